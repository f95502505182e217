import { RepotideError } from '@core/domain';

/**
 * Checks the address of a GitLab, with or without a path prefix (`https://host/gitlab`), and returns it without a
 * trailing slash.
 * @throws invalid `source_url_invalid`; the message never repeats credentials from the address.
 */
export function parseBaseUrl(baseUrl: string): string {
  const trimmed = baseUrl.trim();
  if (!URL.canParse(trimmed)) throw invalidUrl('it is not a URL');
  const url = new URL(trimmed);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalidUrl(`found "${url.protocol}"`);
  if (url.username !== '' || url.password !== '') throw invalidUrl('it contains a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalidUrl('it contains a query or fragment');
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/api(\/v\d+)?$/.test(path)) throw invalidUrl('it ends with the API path, which Repotide adds itself');
  return url.origin + path;
}

function invalidUrl(found: string): RepotideError {
  const message =
    `The address of GitLab is invalid: ${found}. Expected e.g. "https://gitlab.example.com" or ` +
    `"https://example.com/gitlab". Set GITLAB_URL, or the repository's base_url.`;
  return new RepotideError('invalid', 'source_url_invalid', message);
}
