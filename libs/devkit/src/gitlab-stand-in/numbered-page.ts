import { positiveParameter } from './route.js';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

interface PagedCall {
  baseUrl: string;
  /** As sent. */
  path: string;
  query: URLSearchParams;
}

/** `per_page` as GitLab reads it: default 20, larger values are reduced to 100 without an error. */
export function pageSize(query: URLSearchParams): number {
  return Math.min(positiveParameter(query, 'per_page', DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
}

/** The page that the `page` parameter selects, with offset headers. Above `countedRecords` GitLab sends no totals. */
export function numberedPage<T>(
  call: PagedCall,
  all: readonly T[],
  countedRecords: number,
): { items: T[]; headers: Record<string, string> } {
  const size = pageSize(call.query);
  const number = positiveParameter(call.query, 'page', 1);
  const pages = Math.max(1, Math.ceil(all.length / size));
  const isCounted = all.length <= countedRecords;
  const next = number < pages ? number + 1 : null;
  const link = (page: number, rel: string) =>
    `<${linkTo(call, { page: `${page}`, per_page: `${size}` })}>; rel="${rel}"`;
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev')] : []),
    ...(next === null ? [] : [link(next, 'next')]),
    link(1, 'first'),
    ...(isCounted ? [link(pages, 'last')] : []),
  ];
  return {
    items: all.slice((number - 1) * size, number * size),
    headers: {
      link: links.join(', '),
      'x-next-page': next === null ? '' : `${next}`,
      'x-page': `${number}`,
      'x-per-page': `${size}`,
      'x-prev-page': number > 1 ? `${number - 1}` : '',
      ...(isCounted ? { 'x-total': `${all.length}`, 'x-total-pages': `${pages}` } : {}),
    },
  };
}

/** The URL of this call with other parameters, for a `Link` header. */
export function linkTo(call: PagedCall, changes: Record<string, string>): string {
  const query = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${call.baseUrl}${call.path}?${query.toString()}`;
}
