import { useState } from 'preact/hooks';

/**
 * An id that no other element of the page has. Those of Preact's `useId` begin again with each call of `render`, and the page
 * with forms is drawn by its own one.
 */
export function useElementId(): string {
  const [id] = useState(() => `id-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`);
  return id;
}
