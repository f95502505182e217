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
