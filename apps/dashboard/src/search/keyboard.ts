import { useEffect } from 'preact/hooks';

/** `/` goes to the query; arrows move through the hits, Enter opens the focused one; Escape returns to the query. */
export function useSearchKeys(): void {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const input = document.querySelector<HTMLInputElement>('#query');
  const hits = [...document.querySelectorAll<HTMLElement>('.hit-link')];
  const focused = document.activeElement;
  const current = hits.findIndex((hit) => hit === focused);
  const isTyping = focused instanceof HTMLElement && focused.matches('input, select, textarea');
  const target =
    (event.key === '/' && !isTyping) || (event.key === 'Escape' && current >= 0)
      ? input
      : event.key === 'ArrowDown' && (focused === input || current >= 0)
        ? hits[current + 1]
        : event.key === 'ArrowUp' && current >= 0
          ? (hits[current - 1] ?? input)
          : null;
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}
