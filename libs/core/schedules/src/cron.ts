import { CronExpressionParser } from 'cron-parser';
import { RepotideError } from '@core/domain';
import { CRON_FIELD_NAMES, parseCronFields, type CronFields } from './cron-fields.js';
import { assertTimezone, gapsBetween, type Gap } from './timezone.js';

/** A validated five-field expression. */
export interface CronSchedule {
  expression: string;
  fields: CronFields;
}

/**
 * @throws invalid `cron_invalid` with the field in `details`, also for a date that never comes (30 February).
 */
export function parseCron(expression: string): CronSchedule {
  const fields = parseCronFields(expression);
  const cron = { expression: expression.trim().split(/\s+/).join(' '), fields };
  if (nextTick(cron, 'UTC', new Date(0)) === null) {
    throw new RepotideError(
      'invalid',
      'cron_invalid',
      `The cron expression "${cron.expression}" never comes due: no such day in any of its months.`,
      { details: { field: 'day_of_month', found: cron.expression, expected: 'a date that exists' } },
    );
  }
  return cron;
}

/**
 * The first tick after an instant; null when there is none. Pure.
 *
 * Daylight saving follows Debian's cron: a fixed time inside a gap fires once, later by the gap's length; a fixed time
 * in an overlap fires once, the first time; a wildcard hour keeps its real-time cadence through both.
 * @throws invalid `timezone_invalid`.
 */
export function nextTick(cron: CronSchedule, timezone: string, after: Date): Date | null {
  assertTimezone(timezone);
  const next = nextRegular(withoutDoubles(cron), timezone, after);
  if (timezone === 'UTC' || cron.fields.hour.isWildcard) return next;
  const shifted = firstShifted(cron, timezone, after, next);
  if (!next) return shifted;
  return shifted && shifted < next ? shifted : next;
}

/** At most `count` ticks. */
export function nextTicks(cron: CronSchedule, timezone: string, after: Date, count: number): Date[] {
  const ticks: Date[] = [];
  let last = after;
  while (ticks.length < count) {
    const tick = nextTick(cron, timezone, last);
    if (!tick) break;
    ticks.push(tick);
    last = tick;
  }
  return ticks;
}

/** cron-parser refuses a field that names a value twice, such as `1-5,3`. */
function withoutDoubles({ expression, fields }: CronSchedule): string {
  return expression
    .split(' ')
    .map((text, position) => {
      const field = fields[CRON_FIELD_NAMES[position]!];
      return text.includes('*') ? text : [...field.values].sort((a, b) => a - b).join(',');
    })
    .join(' ');
}

function nextRegular(expression: string, timezone: string, after: Date): Date | null {
  try {
    const next = CronExpressionParser.parse(expression, { currentDate: after, tz: timezone }).next().toDate();
    // A tick that is not later would be claimed again and again.
    return next > after ? next : null;
  } catch {
    // The fields are valid, so the error means a date that does not exist.
    return null;
  }
}

// A gap can hide a tick only between two regular ones; a year holds every gap of a zone at least once.
const HORIZON_MS = 400 * 86_400_000;

/** cron-parser drops a fixed time that falls into a gap of less than an hour; this finds it. */
function firstShifted(cron: CronSchedule, timezone: string, after: Date, next: Date | null): Date | null {
  // The shifted minutes of a gap up to a day earlier may still be ahead.
  const fromMs = after.getTime() - 86_400_000;
  const toMs = Math.min(next?.getTime() ?? Infinity, after.getTime() + HORIZON_MS);
  for (const gap of gapsBetween(fromMs, toMs, timezone)) {
    for (let minute = 0; minute < gap.lengthMinutes; minute++) {
      const instant = new Date(gap.instantMs + minute * 60_000);
      if (instant > after && matchesSkippedMinute(cron.fields, gap, minute)) return instant;
    }
  }
  return null;
}

function matchesSkippedMinute(fields: CronFields, gap: Gap, minute: number): boolean {
  const local = new Date(gap.instantMs + (gap.offsetBeforeMinutes + minute) * 60_000);
  return (
    fields.minute.values.has(local.getUTCMinutes()) &&
    fields.hour.values.has(local.getUTCHours()) &&
    fields.month.values.has(local.getUTCMonth() + 1) &&
    matchesDay(fields, local)
  );
}

/** Cron's special rule: with both day fields restricted, either may match. */
function matchesDay(fields: CronFields, local: Date): boolean {
  const dayOfMonth = fields.day_of_month.values.has(local.getUTCDate());
  const dayOfWeek = fields.day_of_week.values.has(local.getUTCDay());
  if (fields.day_of_month.isWildcard) return dayOfWeek && dayOfMonth;
  return fields.day_of_week.isWildcard ? dayOfMonth && dayOfWeek : dayOfMonth || dayOfWeek;
}
