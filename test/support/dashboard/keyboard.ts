import { type Page } from 'playwright-core';
import { settle } from './page.js';

/** The element with the focus, as a person at the keyboard sees it. */
interface Focus {
  name: string;
  /** Why it cannot be seen: it is out of the window, another element covers it, or it is not marked. Null: it can. */
  fault: string | null;
}

/** Describes the focused element; null when none is focused. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const header = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
  const middle = (from, to, least, most) => (Math.max(from, least) + Math.min(to, most)) / 2;
  const x = middle(left, right, 0, innerWidth);
  // Of an element that is larger than the window, a part is enough.
  const above = [0, header].map((first) => document.elementFromPoint(x, middle(top, bottom, first, innerHeight)));
  const labels = [...(element.labels ?? [])].flatMap((label) =>
    [...label.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent.trim()));
  const name = element.getAttribute('aria-label') ?? (labels.join(' ').trim() || element.textContent);
  const isUncovered = above.some((other) => other && (element.contains(other) || other.contains(element)));
  return {
    name: name.trim(),
    fault: !isUncovered ? 'It is covered by ' + above[0]?.outerHTML.slice(0, 200)
      : outlineStyle === 'none' || outlineWidth === '0px' ? 'It has no outline.' : null,
  };
})()`;

const MOST_STEPS = 200;
const VISIBLE_MS = 10_000;

/** The name of the focused element; null when none is focused. @throws when the focus cannot be seen. */
export async function focusedName(page: Page): Promise<string | null> {
  const deadline = Date.now() + VISIBLE_MS;
  for (;;) {
    const focus = await page.evaluate<Focus | null>(FOCUS);
    if (focus === null || focus.fault === null) return focus?.name ?? null;
    // The page may still scroll to it.
    if (Date.now() > deadline) throw new Error(`The focus on "${focus.name}" cannot be seen. ${focus.fault}`);
    await page.waitForTimeout(50);
  }
}

/** Presses Tab until an element of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const passed: (string | null)[] = [];
  const isReached = (found: string | null): boolean =>
    found !== null && (typeof name === 'string' ? found === name : name.test(found));
  while (passed.length < MOST_STEPS) {
    await page.keyboard.press(key);
    const found = await focusedName(page);
    if (isReached(found)) return;
    passed.push(found);
  }
  throw new Error(`Tab never came to ${String(name)}, but to ${passed.join(', ')}`);
}

/** Goes to an element of this name and presses Enter. */
export async function enter(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
  await settle(page);
}

/** Goes to a field of this name and replaces its text. */
export async function typeInto(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}
