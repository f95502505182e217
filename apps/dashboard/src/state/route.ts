import { useEffect, useState } from 'preact/hooks';

/** Where one is: kept in the fragment, which never reaches a server or its log. */
export interface Route {
  /** Segments of the path, e.g. `['history', '<execution id>']`; empty for the start. */
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
export function linkTo(path: string, query: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const text = parameters.toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
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
