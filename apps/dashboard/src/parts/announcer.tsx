import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 8_000;

export interface Announcement {
  text: string;
  isBad: boolean;
}

export const AnnouncerContext = createContext<(announcement: Announcement) => void>(() => undefined);

export const useAnnounce = () => useContext(AnnouncerContext);

/** Shows the result of an action at the edge of the page, also to screen readers. A failure stays until dismissed. */
export function Announcer({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Announcement | null>(null);
  useEffect(() => {
    if (!shown || shown.isBad) return undefined;
    const timer = setTimeout(() => setShown(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <AnnouncerContext.Provider value={setShown}>
      {children}
      <div class="announcements" role={shown?.isBad ? 'alert' : 'status'}>
        {shown && (
          <div class={`announcement ${shown.isBad ? 'is-bad' : ''}`}>
            <span>{shown.text}</span>
            <button type="button" class="quiet" aria-label="Dismiss" onClick={() => setShown(null)}>
              ✕
            </button>
          </div>
        )}
      </div>
    </AnnouncerContext.Provider>
  );
}
