const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** At most two units: `< 0.1 s`, `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds > 0 && seconds < 0.05) return '< 0.1 s';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) return parts.join(' ');
    rest -= count * size;
    if (parts.length === 2) return parts.join(' ');
  }
  if (rest > 0) parts.push(`${rest} s`);
  return parts.join(' ');
}

/** One unit: `3 min ago`, `in 2 h`, `just now`. */
export function formatDistance(instant: string, nowMs: number): string {
  const seconds = (Date.parse(instant) - nowMs) / 1000;
  const distance = Math.abs(seconds);
  const [unit, size] = UNITS.find(([, unitSize]) => distance >= unitSize) ?? ['s', 1];
  if (unit === 's' && distance < 5) return seconds < 0 ? 'just now' : 'now';
  const text = `${Math.floor(distance / size)} ${unit}`;
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

export function formatNumber(count: number): string {
  return count.toLocaleString('en');
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}

/** Rounded down, so that 100 % means all. */
export function formatPercent(share: number | null): string {
  return share === null ? '–' : `${Math.floor(share * 1000) / 10} %`;
}

/** In the reader's time zone, with its name. */
export function formatInstant(instant: string): string {
  return new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}

/** The reader's time zone, such as `Europe/Berlin`. */
export const readersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The value of a date and time field, in the reader's time zone. */
export function localInput(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
