import { useEffect, useRef } from 'preact/hooks';
import { useAnnounce } from '../../parts/announcer.js';

interface ShownOnceProps {
  /** Stands before the name. */
  what: string;
  name: string;
  secret: string;
  onClose: () => void;
}

/** A secret that the service shows only when it is made. It gets the focus, so that nobody overlooks it. */
export function ShownOnce({ what, name, secret, onClose }: ShownOnceProps) {
  const announce = useAnnounce();
  const notice = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLElement>(null);
  useEffect(() => notice.current?.focus(), [secret]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(secret);
      announce({ text: 'Copied.', isBad: false });
    } catch {
      // Browsers offer the clipboard to pages of HTTPS only.
      getSelection()?.selectAllChildren(text.current!);
      announce({ text: 'Press Ctrl+C to copy what is selected.', isBad: false });
    }
  };
  return (
    <div ref={notice} class="notice notice-good" role="group" aria-label={`${what} ${name}`} tabIndex={-1}>
      <p>
        {what} <strong>{name}</strong>. Copy it now: it is not shown again.
      </p>
      <p class="row">
        <code ref={text} class="breaking">
          {secret}
        </code>
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
}
