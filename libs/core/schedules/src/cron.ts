import { RepotideError } from '@core/domain';
import { parseCronFields, type CronFields } from './cron-fields.js';
import { assertTimezone, changeAround, instantsOf, localDayOf, offsetAt } from './timezone.js';

/** A validated five-field expression. */
export interface CronSchedule {
  expression: string;
  fields: CronFields;
  /** The times of a day that its minute and hour fields name, in minutes from midnight, ascending. */
  minutesOfDay: readonly number[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 29 February on one weekday returns within 28 years, or 40 where a century's leap day is missing. */
const HORIZON_DAYS = 41 * 366;

/**
 * @param written the expression as its author wrote it, for messages.
 * @throws invalid `cron_invalid` with the field in `details`, also for a date that does not exist (30 February).
 */
export function parseCron(expression: string, written = expression): CronSchedule {
  const fields = parseCronFields(expression, written);
  const hours = [...fields.hour.values].sort((a, b) => a - b);
  const minutes = [...fields.minute.values].sort((a, b) => a - b);
  const minutesOfDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const cron = { expression: expression.trim().split(/\s+/).join(' '), fields, minutesOfDay };
  if (nextTick(cron, 'UTC', new Date(0)) === null) {
    const message = `The cron expression "${written}" is never due: none of its months has such a day.`;
    const details = { field: 'day_of_month', found: written, expected: 'a date that exists' };
    throw new RepotideError('invalid', 'cron_invalid', message, { details });
  }
  return cron;
}

/**
 * The first tick after an instant; null when there is none within 41 years. Pure.
 *
 * Daylight saving follows Debian's cron: a fixed time inside a gap fires once, later by the gap's length; a fixed time
 * in an overlap fires once, the first time; a wildcard hour fires at every instant whose local time matches.
 * @throws invalid `timezone_invalid`.
 */
export function nextTick(cron: CronSchedule, timezone: string, after: Date): Date | null {
  assertTimezone(timezone);
  const afterMs = after.getTime();
  const today = localDayOf(afterMs, timezone);
  // A gap can move ticks of yesterday to today.
  let lastDay = today + HORIZON_DAYS * DAY_MS;
  let found = Infinity;
  for (let day = today - DAY_MS; day <= lastDay; day += DAY_MS) {
    const tick = ticksOfDay(cron, timezone, day).find((ms) => ms > afterMs);
    if (tick === undefined) continue;
    found = Math.min(found, tick);
    // A gap can move this tick behind the first one of the following day.
    lastDay = Math.min(lastDay, day + DAY_MS);
  }
  return found === Infinity ? null : new Date(found);
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

/** The ticks of a span of time, without a list of them: a month of minutes has 43,200. */
export interface TickRange {
  first: Date;
  last: Date;
  count: number;
}

/** The ticks from `from` to `until`, both included; null when there are none. Takes time by days, not by ticks. */
export function ticksBetween(
  cron: CronSchedule,
  timezone: string,
  from: Date,
  until: Date,
): TickRange | null {
  assertTimezone(timezone);
  const [fromMs, untilMs] = [from.getTime(), until.getTime()];
  const lastDay = localDayOf(untilMs, timezone) + DAY_MS;
  let first = Infinity;
  let last = -Infinity;
  let count = 0;
  for (let day = localDayOf(fromMs, timezone) - DAY_MS; day <= lastDay; day += DAY_MS) {
    for (const tick of ticksOfDay(cron, timezone, day)) {
      // Days overlap where a zone skips a whole day.
      if (tick < fromMs || tick > untilMs || tick <= last) continue;
      first = Math.min(first, tick);
      last = tick;
      count++;
    }
  }
  return count === 0 ? null : { first: new Date(first), last: new Date(last), count };
}

/** The days that were looked at last. Callers go from tick to tick, and a day can have 1,440 of them. */
let latest: { cron?: CronSchedule; timezone?: string; days: Map<number, readonly number[]> } = {
  days: new Map(),
};
const KEPT_DAYS = 4;

/** @param day the midnight that begins the local day, as if it were UTC. */
function ticksOfDay(cron: CronSchedule, timezone: string, day: number): readonly number[] {
  if (latest.cron !== cron || latest.timezone !== timezone) latest = { cron, timezone, days: new Map() };
  const { days } = latest;
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size === KEPT_DAYS) days.clear();
  const ticks = computeTicks(cron, timezone, day);
  days.set(day, ticks);
  return ticks;
}

function computeTicks({ fields, minutesOfDay }: CronSchedule, timezone: string, day: number): number[] {
  if (!matchesDay(fields, new Date(day))) return [];
  const change = changeAround(day, timezone);
  if (change === null) {
    const midnight = day - offsetAt(day, timezone);
    return minutesOfDay.map((minute) => midnight + minute * MINUTE_MS);
  }
  const ticks = minutesOfDay.flatMap((minute) => {
    const localMs = day + minute * MINUTE_MS;
    const instants = instantsOf(localMs, change);
    if (fields.hour.isWildcard) return instants;
    return [instants[0] ?? localMs - change.beforeMs];
  });
  return [...new Set(ticks)].sort((a, b) => a - b);
}

/** Cron's special rule: with both day fields restricted, either may match. */
function matchesDay(fields: CronFields, local: Date): boolean {
  if (!fields.month.values.has(local.getUTCMonth() + 1)) return false;
  const isDayOfMonth = fields.day_of_month.values.has(local.getUTCDate());
  const isDayOfWeek = fields.day_of_week.values.has(local.getUTCDay());
  const isEither = !fields.day_of_month.isWildcard && !fields.day_of_week.isWildcard;
  return isEither ? isDayOfMonth || isDayOfWeek : isDayOfMonth && isDayOfWeek;
}
