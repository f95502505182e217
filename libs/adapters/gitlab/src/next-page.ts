import { type IncomingHttpHeaders } from 'node:http';

/**
 * - `query`: there is a next page, and this is its query, as the server wrote it.
 * - `end`: the server says that this was the last page.
 * - `unsaid`: the server says nothing about pages, as GitLab does after a last page, or as a proxy does that drops
 *   `Link`.
 */
export type NextPage = { kind: 'query'; query: string } | { kind: 'end' } | { kind: 'unsaid' };

/**
 * Where the listing goes on, by the `Link` header: keyset and offset answers alike. Only its query counts: GitLab
 * writes the host it was configured with, which need not be the address it is reached at.
 * @returns null when the headers contradict each other.
 */
export function nextPage(headers: IncomingHttpHeaders): NextPage | null {
  const target = relNext([headers['link'] ?? []].flat().join(', '));
  const numbered = headers['x-next-page'];
  if (target !== null) {
    const queryStart = target.indexOf('?');
    return queryStart < 0 ? null : { kind: 'query', query: target.slice(queryStart + 1) };
  }
  if (numbered === undefined) return { kind: headers['link'] === undefined ? 'unsaid' : 'end' };
  return numbered === '' ? { kind: 'end' } : null;
}

function relNext(link: string): string | null {
  for (const [, target = '', parameters = ''] of link.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next"?\s*(;|,|$)/i.test(parameters)) return target;
  }
  return null;
}
