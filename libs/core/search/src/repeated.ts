/** V8 copies shorter parts of a text. */
const SHORTEST_PART = 13;

/**
 * Remembers what a function returns for a text, at most twice `size` results. When the newer half is full, the older half is
 * forgotten, so that texts that repeat stay known.
 */
export function repeated<T>(size: number, compute: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let former = new Map<string, T>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    // A part of a text would keep the whole text in memory.
    const copy = text.length < SHORTEST_PART ? text : Buffer.from(text).toString();
    const result = former.get(copy) ?? compute(copy);
    if (recent.size >= size) {
      former = recent;
      recent = new Map();
    }
    recent.set(copy, result);
    return result;
  };
}
