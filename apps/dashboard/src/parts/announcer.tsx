import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 8_000;

export interface Announcement {
  text: string;
  isBad: boolean;
}

const AnnouncerContext = createContext<(news: Announcement) => void>(() => undefined);

export function useAnnounce(): (news: Announcement) => void {
  return useContext(AnnouncerContext);
}

/** What became of a step: seen at the edge of the page, and read out. Bad news stays until it is closed. */
export function Announcer({ children }: { children: ComponentChildren }) {
  const [news, setNews] = useState<Announcement | null>(null);
  useEffect(() => {
    if (!news || news.isBad) return undefined;
    const timer = setTimeout(() => setNews(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [news]);
  return (
    <AnnouncerContext.Provider value={setNews}>
      {children}
      <div class="announcements" role={news?.isBad ? 'alert' : 'status'}>
        {news && (
          <div class={`announcement ${news.isBad ? 'is-bad' : 'is-good'}`}>
            <span>{news.text}</span>
            <button type="button" class="quiet" aria-label="Close this message" onClick={() => setNews(null)}>
              ✕
            </button>
          </div>
        )}
      </div>
    </AnnouncerContext.Provider>
  );
}
