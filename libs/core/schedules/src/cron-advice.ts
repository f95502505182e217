/** Abbreviations of other programs. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** What to write instead of an expression that has not five fields; null when nothing is known about it. */
export function adviceOnParts(parts: readonly string[]): string | null {
  const [first = ''] = parts;
  const same = ABBREVIATIONS[first.toLowerCase()];
  if (same !== undefined) return `${first} is "${same}"`;
  if (first.toLowerCase() === '@every') return 'every five minutes is "*/5 * * * *"';
  return parts.length === 6 ? `without seconds it is "${parts.slice(1).join(' ')}"` : null;
}

/**
 * Steps do not run on across the start of an hour, a day, a month, a year or a week.
 * @param period what the values of the field run through: the hour for minutes.
 */
export function stepAdvice(period: string, most: number): string {
  const remedy =
    period === 'hour' ? '; every 90 minutes is two schedules, "0 */3 * * *" and "30 1-23/3 * * *"' : '';
  return `a step of 1-${most}, which starts again with each ${period}${remedy}`;
}

/** @param ends the first and the last value of the field, as the item names values. */
export function backwardsAdvice(period: string, item: string, ends: readonly [string, string]): string {
  const [from, to] = item.split('-');
  const list = `"${from}-${ends[1]},${ends[0]}-${to}"`;
  return `a range from low to high; across the end of the ${period} it is a list, ${list}`;
}

/** What to write instead of an item that other programs accept; null when nothing is known about it. */
export function adviceOnItem(item: string, words: readonly string[]): string | null {
  if (item === '') return 'a value before and after each comma';
  if (item === '?') return '"*", which means the same';
  const short = item.slice(0, 3).toLowerCase();
  if (words.includes(short) && /^[a-z]{4,}$/i.test(item)) return `"${short}"`;
  if (/^(L|LW|\d*W|\w+L|\w+#\d)$/i.test(item))
    return 'days by number or name: "L", "W" and "#" of other programs are unknown';
  return null;
}
