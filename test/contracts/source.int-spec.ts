import { afterAll } from '@jest/globals';
import { type GitServer, startGitServer } from '@devkit';
import { openPlainSource } from '../integration/git/open-plain-source.js';
import { openGitSource } from '../integration/git/open-git-source.js';
import { openSource } from '../integration/gitlab/open-source.js';
import { describeSource } from './source.contract.js';

describeSource(
  'The API of GitLab',
  async ({ url, token }) => (await openSource(url, { defaultToken: token })).source,
);
describeSource('Git', (gitlab) => openGitSource(gitlab));
describeSource('Git with everything in one transfer', (gitlab) =>
  openGitSource(gitlab, undefined, { isEverything: true }),
);
describeSource('Git without filters', (gitlab) => {
  gitlab.settings.git.hasFilters = false;
  return openGitSource(gitlab);
});
describeSource('Git that is not allowed', (gitlab) => {
  gitlab.settings.git.isEnabled = false;
  return openGitSource(gitlab);
});

const servers: GitServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

for (const hasFilters of [true, false]) {
  const openPlain = async (directory: string) => {
    const server = await startGitServer();
    servers.push(server);
    server.settings.hasFilters = hasFilters;
    server.add('team/app.git', directory);
    return openPlainSource(server);
  };
  const name = `A plain git server ${hasFilters ? 'with' : 'without'} filters`;
  describeSource(name, (_gitlab, git) => openPlain(git.directory), null);
}
