import { RepotideError } from '@core/domain';

/** @throws invalid `timezone_invalid` unless it is an IANA zone that this runtime knows. */
export function assertTimezone(timezone: string): void {
  if (offsetFormats.has(timezone)) return;
  // Numeric offsets are valid for Intl, but a fixed offset is not a zone and would hide a wrong DST expectation.
  if (/^[A-Za-z]/.test(timezone)) {
    try {
      offsetFormatOf(timezone);
      return;
    } catch {
      // Unknown to Intl: the error below names the setting.
    }
  }
  const message = `"${timezone}" is not a known time zone; expected an IANA name such as UTC, Europe/Berlin or America/New_York.`;
  const details = { field: 'timezone', found: timezone, expected: 'an IANA time zone name' };
  throw new RepotideError('invalid', 'timezone_invalid', message, { details });
}

// Cached: creating an Intl formatter is far slower than using it.
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

function offsetFormatOf(timezone: string): Intl.DateTimeFormat {
  const known = offsetFormats.get(timezone);
  if (known) return known;
  const date = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hourCycle: 'h23', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...date, ...time });
  offsetFormats.set(timezone, format);
  return format;
}

/** Local wall-clock time of an instant, as if it were UTC: milliseconds since the epoch. */
function wallClockMs(instantMs: number, timezone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of offsetFormatOf(timezone).formatToParts(instantMs)) part[type] = Number(value);
  const { year, month, day, hour, minute, second } = part;
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

/** Local time minus UTC at an instant, in milliseconds. Whole seconds: `Intl` shows no smaller part. */
export function offsetAt(instantMs: number, timezone: string): number {
  const wholeSecond = Math.floor(instantMs / 1000) * 1000;
  return wallClockMs(wholeSecond, timezone) - wholeSecond;
}

const DAY_MS = 86_400_000;

/** The midnight that begins the local day of an instant, as if it were UTC. */
export function localDayOf(instantMs: number, timezone: string): number {
  return Math.floor((instantMs + offsetAt(instantMs, timezone)) / DAY_MS) * DAY_MS;
}

/** How a zone's offset from UTC changes around a local day. */
export interface DayOffsets {
  beforeMs: number;
  afterMs: number;
  /** The first instant with the new offset. */
  changedAt: number;
}

/** Null when the zone keeps its offset around the day. No zone changes twice within three days. */
export function changeAround(day: number, timezone: string): DayOffsets | null {
  let low = day - DAY_MS;
  let high = day + 2 * DAY_MS;
  const [beforeMs, afterMs] = [offsetAt(low, timezone), offsetAt(high, timezone)];
  if (beforeMs === afterMs) return null;
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(middle, timezone) === beforeMs) low = middle;
    else high = middle;
  }
  return { beforeMs, afterMs, changedAt: high };
}

/** The instants at which the zone shows a local time, ascending: none in a gap, two in an overlap. */
export function instantsOf(localMs: number, { beforeMs, afterMs, changedAt }: DayOffsets): number[] {
  const [old, fresh] = [localMs - beforeMs, localMs - afterMs];
  return [...(old < changedAt ? [old] : []), ...(fresh >= changedAt ? [fresh] : [])];
}
