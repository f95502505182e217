import { type GitEndpoint } from '@core/domain';
import { type GitLabHttp } from './gitlab-http.js';

/** Git's smart HTTP protocol at a path of the host. @param suffix of the repository's address after its path. */
export function gitEndpoint(http: GitLabHttp, suffix: '.git' | ''): GitEndpoint {
  return {
    identity: http.identity,
    advertise: (path, signal) =>
      http.streamGit(`${path}${suffix}/info/refs?service=git-upload-pack`, undefined, signal),
    uploadPack: (path, command, signal) =>
      http.streamGit(`${path}${suffix}/git-upload-pack`, command, signal),
  };
}
