import { type IncomingHttpHeaders } from 'node:http';
import { type z } from 'zod';
import { parseResponse } from '../http/response-schema.js';
import { invalidResponse } from '../http/failure.js';
import { type GitLabHttp } from '../http/gitlab-http.js';

/** GitLab's maximum; it silently reduces a larger number to this one. */
const PER_PAGE = 100;

export interface PagedList<Row> {
  /** Below `/api/v4/`, without a query. */
  endpoint: string;
  query: Record<string, string>;
  /** For error messages, e.g. "the projects". */
  what: string;
  rowSchema: z.ZodType<Row[]>;
}

export interface ListPage<Row> {
  rows: Row[];
  headers: IncomingHttpHeaders;
  /** The query of the next page; null on the last one. */
  nextQuery: string | null;
}

/**
 * The pages of a list, by the server's links. Ends only when the headers or the rows show that the list is complete.
 * @throws internal `source_answer_invalid`.
 */
export async function* listPages<Row>(
  http: GitLabHttp,
  { endpoint, query, what, rowSchema }: PagedList<Row>,
  signal: AbortSignal,
): AsyncGenerator<ListPage<Row>> {
  const fetchPage = async (pageQuery: string) => {
    const { headers, json } = await http.getJson(`${endpoint}?${pageQuery}`, signal);
    return { headers, rows: parseResponse(rowSchema, `a page of ${what}`, json, http.target) };
  };
  const first = { per_page: String(PER_PAGE), ...query };
  let pageQuery = new URLSearchParams(first).toString();
  for (let number = 1; ; number += 1) {
    const { headers, rows } = await fetchPage(pageQuery);
    const next = nextPage(headers);
    const broken = (found: string) => invalidResponse(http.target, `${what}: page ${number} ${found}`);
    if (next === null) throw broken('has a next page but no link to it');
    const nextQuery = next.kind === 'query' ? next.query : null;
    yield { rows, headers, nextQuery };
    if (nextQuery !== null) {
      pageQuery = nextQuery;
      continue;
    }
    if (next.kind === 'unknown' && rows.length >= PER_PAGE) {
      // After its last page GitLab sends no links, even if that page is full. A proxy that drops `Link` looks the same.
      const byNumber = new URLSearchParams({ ...first, page: String(number + 1) });
      byNumber.delete('pagination');
      const { rows: more } = await fetchPage(byNumber.toString());
      if (more.length > 0) throw broken('has no Link header but is not the last');
    }
    return;
  }
}

/**
 * - `query`: there is a next page, and this is its query, as the server wrote it.
 * - `end`: the headers show that this was the last page.
 * - `unknown`: the response has no page headers. GitLab marks a last page that way, or a proxy has dropped `Link`.
 */
export type NextPage = { kind: 'query'; query: string } | { kind: 'end' } | { kind: 'unknown' };

/**
 * Reads the `Link` header of keyset and offset pages. Uses only the query of the link: its host comes from GitLab's
 * configuration and may differ from the address that reaches it.
 * @returns null when the headers contradict each other.
 */
export function nextPage(headers: IncomingHttpHeaders): NextPage | null {
  const target = relNext([headers['link'] ?? []].flat().join(', '));
  const nextNumber = headers['x-next-page'];
  if (target !== null) {
    const queryStart = target.indexOf('?');
    return queryStart < 0 ? null : { kind: 'query', query: target.slice(queryStart + 1) };
  }
  if (nextNumber === undefined) return { kind: headers['link'] === undefined ? 'unknown' : 'end' };
  return nextNumber === '' ? { kind: 'end' } : null;
}

function relNext(link: string): string | null {
  for (const [, target = '', parameters = ''] of link.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next"?\s*(;|,|$)/i.test(parameters)) return target;
  }
  return null;
}
