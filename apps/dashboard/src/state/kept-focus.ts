import { useEffect } from 'preact/hooks';

/** Where the focus is, and how to find a place near it when its element is removed. */
interface Place {
  element: HTMLElement;
  /** Recognizes the element when it is drawn again, such as the link to the next page of a list. */
  likeness: string;
  /** The page that was shown, without the query. */
  page: string;
  /** Nearest first. */
  ancestors: readonly Element[];
  /** Where the focus was before, for what stands outside of the page's content. */
  before: HTMLElement | null;
}

const FOCUSABLE = 'a, button, input, select, textarea, summary';

/**
 * Keeps the keyboard's place when the focused element is removed, such as the button of a deleted row or a step of a form.
 * The focus moves to the same element when it is drawn again, else to the heading of the nearest part that remains. Without this, the next
 * Tab would begin at the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Place | null = null;
    /** Where this put the focus. A later change may offer a better place, until the user moves on. */
    let substitute: Element | null = null;
    const note = ({ target }: FocusEvent): void => {
      if (target === substitute || !(target instanceof HTMLElement)) return;
      substitute = null;
      last = placeOf(target, last?.element ?? null);
    };
    const forget = (): void => {
      last = substitute = null;
    };
    const keep = (): void => {
      if (!last || last.element.isConnected) return;
      const focused = document.activeElement;
      const next = focused === document.body || focused === substitute ? substituteFor(last) : null;
      if (!next || next === focused) return;
      substitute = next;
      next.focus();
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    document.addEventListener('pointerdown', forget);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('pointerdown', forget);
    };
  }, []);
}

function placeOf(element: HTMLElement, before: HTMLElement | null): Place {
  const ancestors: Element[] = [];
  for (let above = element.parentElement; above; above = above.parentElement) ancestors.push(above);
  const isContent = element.closest('#main') !== null;
  return {
    ...{ element, ancestors, likeness: likenessOf(element), page: pageShown() },
    before: isContent ? null : before,
  };
}

const pageShown = (): string => location.hash.replace(/\?.*/, '');

function likenessOf(element: Element): string {
  const { tagName, textContent } = element;
  return [tagName, element.getAttribute('name'), element.getAttribute('aria-label'), textContent].join();
}

function substituteFor({ likeness, page, ancestors, before }: Place): HTMLElement | null {
  if (before?.isConnected) return before;
  const main = document.querySelector<HTMLElement>('#main');
  const around = ancestors.find((ancestor) => ancestor.isConnected && main?.contains(ancestor)) ?? main;
  const alike =
    page === pageShown() &&
    [...(around?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])].find(
      (element) => likenessOf(element) === likeness,
    );
  if (alike) return alike;
  const heading = around?.closest('section, main')?.querySelector<HTMLElement>('h1, h2, h3');
  if (!heading) return main;
  heading.tabIndex = -1;
  return heading;
}
