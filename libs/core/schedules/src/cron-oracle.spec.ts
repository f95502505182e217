import { describe, expect, it } from '@jest/globals';
import { wallClockOf, walkTicks, walkZone } from '../../../../test/support/cron-walk.js';
import { nextTick, parseCron, ticksBetween, type CronSchedule } from './cron.js';

// The oracle walks minute by minute and knows only the zone's wall clock. `LONG_TESTS=1` walks every zone.
const isLong = process.env['LONG_TESTS'] === '1';
const FROM = Date.UTC(2020, 0, 1);
const UNTIL = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** On each side of a change: more than the longest gap of these years, three hours. */
const MARGIN = 5 * HOUR;

const EVERY_KIND_OF_CHANGE = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'Antarctica/Casey',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Apia',
];
const ZONES = isLong ? Intl.supportedValuesOf('timeZone') : EVERY_KIND_OF_CHANGE;

const MINUTES = ['0', '15', '30', '45', '59', '*', '*/15', '7,37', '0-10', '5/20'];
const HOURS = ['*', '*/2', '0', '1', '2', '3', '1-3', '0,23', '2/6', '23'];
const EXPRESSIONS = MINUTES.flatMap((minute) => HOURS.map((hour) => `${minute} ${hour} * * *`));
const CRONS = EXPRESSIONS.map((expression) => parseCron(expression));

/** Spans around each change of the zone's offset. */
function changes(clock: (instantMs: number) => number): [number, number][] {
  const spans: [number, number][] = [];
  let before = clock(FROM) - FROM;
  for (let at = FROM; at < UNTIL; at += HOUR) {
    const offset = clock(at) - at;
    if (offset !== before) spans.push([at - MARGIN, at + MARGIN]);
    before = offset;
  }
  return spans;
}

function found(cron: CronSchedule, timezone: string, [fromMs, untilMs]: [number, number]): number[] {
  const ticks: number[] = [];
  for (let last = fromMs - 1; ; last = ticks.at(-1)!) {
    const tick = nextTick(cron, timezone, new Date(last))?.getTime() ?? Infinity;
    if (tick > untilMs) return ticks;
    ticks.push(tick);
  }
}

describe('a hundred cron expressions', () => {
  it.each(ZONES)(
    'have the ticks that a walk over every minute finds around each clock change in %s',
    (timezone) => {
      const clock = wallClockOf(timezone);
      for (const [position, span] of changes(clock).entries()) {
        const zone = walkZone(timezone, ...span);
        const crons = isLong ? CRONS : CRONS.filter((_, index) => index % 20 === position % 20);
        for (const cron of crons) {
          const expected = walkTicks(cron.fields, zone);
          const where = { timezone, expression: cron.expression, from: new Date(span[0]).toISOString() };
          expect({ ...where, ticks: found(cron, timezone, span) }).toEqual({ ...where, ticks: expected });
          const range = ticksBetween(cron, timezone, new Date(span[0]), new Date(span[1]));
          expect({ ...where, count: range?.count ?? 0 }).toEqual({ ...where, count: expected.length });
          expect(range?.last.getTime()).toBe(expected.at(-1));
        }
      }
    },
  );
});
