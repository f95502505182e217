import { RepotideError } from '@core/domain';

/** Tells the URL of a repository from the path of a GitLab project, which contains no colon. */
export function isUrl(project: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(project.trim());
}

/** @throws invalid `source_url_invalid`. */
export function assertGitUrl(url: string): string {
  parseGitUrl(url);
  return url;
}

/**
 * The origin and the whole URL of a repository, in one spelling.
 * @throws invalid `source_url_invalid`; the message never repeats what may contain a secret.
 */
export function parseGitUrl(text: string): { origin: string; projectPath: string } {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) throw invalidUrl('it is not a URL');
  const url = new URL(trimmed);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalidUrl(`found "${url.protocol}"`);
  if (url.username !== '' || url.password !== '')
    throw invalidUrl('it contains a user name or password; store them as a credential');
  if (url.search !== '' || url.hash !== '') throw invalidUrl('it contains a query or fragment');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') throw invalidUrl('it has no path');
  return { origin: url.origin, projectPath: url.origin + path };
}

function invalidUrl(found: string): RepotideError {
  const message =
    `The URL of the repository is invalid: ${found}. Expected the URL that git clone takes over HTTPS, e.g. ` +
    '"https://github.com/group/project.git". SSH is not supported.';
  return new RepotideError('invalid', 'source_url_invalid', message, { details: { field: 'git_url' } });
}
