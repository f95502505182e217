import { useEffect } from 'preact/hooks';

/** What the browser's tab, its history and bookmarks call the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Repotide' : `${title} · Repotide`;
  }, [title]);
}
