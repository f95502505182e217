import { useEffect, useState } from 'preact/hooks';
import { withQuery } from '../api/api.js';

/** The current page, kept in the URL's fragment, which never reaches a server or its log. */
export interface Route {
  /** Segments of the path, e.g. `['history', '<execution id>']`; empty for the start page. */
  path: string[];
  query: Record<string, string>;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  return {
    path: path.split('/').filter((segment) => segment !== ''),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @returns an address for `href`; parameters without a value are left out. */
export function linkTo(path: string, query: Readonly<Record<string, unknown>> = {}): string {
  return `#/${withQuery(path, query)}`;
}

/** @returns the page number from 0; 0 for a missing or malformed one. */
export function pageOf(page: string | undefined): number {
  return /^\d{1,6}$/.test(page ?? '') ? Number(page) : 0;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = (): void => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return parseRoute(hash);
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Repotide' : `${title} · Repotide`;
  }, [title]);
}
