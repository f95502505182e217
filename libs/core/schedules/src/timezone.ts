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
      // falls through to the error that names the setting
    }
  }
  throw new RepotideError(
    'invalid',
    'timezone_invalid',
    `"${timezone}" is not a known time zone; expected an IANA name such as UTC, Europe/Berlin or America/New_York.`,
    { details: { field: 'timezone', found: timezone, expected: 'an IANA time zone name' } },
  );
}

// Cached: creating an Intl formatter is far slower than using it.
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

function offsetFormatOf(timezone: string): Intl.DateTimeFormat {
  let format = offsetFormats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    offsetFormats.set(timezone, format);
  }
  return format;
}

/** Local wall-clock time of an instant, as if it were UTC: milliseconds since the epoch. */
function wallClockMs(instantMs: number, timezone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of offsetFormatOf(timezone).formatToParts(instantMs)) part[type] = Number(value);
  return Date.UTC(
    part['year']!,
    part['month']! - 1,
    part['day'],
    part['hour'],
    part['minute'],
    part['second'],
  );
}

/** Minutes east of UTC at an instant (whole minutes: every zone has had whole-minute offsets since 1972). */
export function offsetMinutesAt(instantMs: number, timezone: string): number {
  const wholeSecond = Math.floor(instantMs / 1000) * 1000;
  return Math.round((wallClockMs(wholeSecond, timezone) - wholeSecond) / 60_000);
}

/** A forward jump of local time at `instantMs`: the next `lengthMinutes` of wall-clock time do not exist. */
export interface Gap {
  instantMs: number;
  offsetBeforeMinutes: number;
  lengthMinutes: number;
}

const STEP_MS = 6 * 3_600_000;

/** The forward jumps within (fromMs, toMs]; no zone changes its offset twice within six hours. */
export function gapsBetween(fromMs: number, toMs: number, timezone: string): Gap[] {
  const gaps: Gap[] = [];
  let left = fromMs;
  let before = offsetMinutesAt(left, timezone);
  while (left < toMs) {
    const right = Math.min(left + STEP_MS, toMs);
    const after = offsetMinutesAt(right, timezone);
    if (after > before) {
      gaps.push({
        instantMs: firstInstantWith(after, left, right, timezone),
        offsetBeforeMinutes: before,
        lengthMinutes: after - before,
      });
    }
    left = right;
    before = after;
  }
  return gaps;
}

function firstInstantWith(offset: number, leftMs: number, rightMs: number, timezone: string): number {
  let low = leftMs;
  let high = rightMs;
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 120_000) * 60_000;
    if (middle <= low) break;
    if (offsetMinutesAt(middle, timezone) === offset) high = middle;
    else low = middle;
  }
  return Math.floor(high / 60_000) * 60_000;
}
