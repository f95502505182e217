import { describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { nextTick, nextTicks, parseCron, ticksBetween } from './cron.js';
import { assertTimezone, offsetAt } from './timezone.js';

const NEW_YORK = 'America/New_York';

function ticks(expression: string, timezone: string, after: string, count: number): string[] {
  return nextTicks(parseCron(expression), timezone, new Date(after), count).map((tick) =>
    tick.toISOString().slice(0, 16),
  );
}

function fieldAtFault(expression: string): unknown {
  try {
    parseCron(expression);
  } catch (error) {
    expect(error).toBeInstanceOf(RepotideError);
    expect((error as RepotideError).code).toBe('cron_invalid');
    return (error as RepotideError).details['field'];
  }
  return 'accepted';
}

function messageFor(expression: string, written?: string): string {
  try {
    parseCron(expression, written);
  } catch (error) {
    return (error as RepotideError).message;
  }
  return 'accepted';
}

describe('a message about a wrong cron expression', () => {
  it.each([
    ['@hourly', '@hourly is "0 * * * *"'],
    ['@every 5m', '"*/5 * * * *"'],
    ['30 0 9 * * 1', 'without seconds it is "0 9 * * 1"'],
    ['* * * *', 'minute hour day-of-month month day-of-week'],
    ['5-1 * * * *', 'across the end of the hour it is a list, "5-59,0-1"'],
    ['0 9 * * FRI-MON', 'it is a list, "FRI-sat,sun-MON"'],
    ['0 9 * nov-feb *', 'it is a list, "nov-dec,jan-feb"'],
    ['0 9 ? * *', 'expected "*", which means the same'],
    ['0 9 L * *', '"L", "W" and "#" of other programs are unknown'],
    ['0 9 * * 5#2', '"L", "W" and "#" of other programs are unknown'],
    ['0 9 * * Sunday', 'expected "sun"'],
    ['1,,2 * * * *', 'a value before and after each comma'],
    ['H/90 * * * *', 'every 90 minutes is two schedules'],
    ['*/0 * * * *', 'a step of 1-59'],
  ])('for %j says: %s', (expression, words) => {
    expect(messageFor(expression)).toContain(words);
  });

  it('shows the expression as it was written', () => {
    expect(messageFor('17 25 * * *', 'H 25 * * *')).toContain(
      'The hour field of the cron expression "H 25 * * *"',
    );
  });
});

describe('parseCron', () => {
  it.each([
    ['', 'expression'],
    ['*', 'expression'],
    ['* * * * * *', 'expression'],
    ['@daily', 'expression'],
    ['60 * * * *', 'minute'],
    ['-1 * * * *', 'minute'],
    ['*/0 * * * *', 'minute'],
    ['*/90 * * * *', 'minute'],
    ['5x * * * *', 'minute'],
    ['1,,2 * * * *', 'minute'],
    ['0 24 * * *', 'hour'],
    ['0 5-2 * * *', 'hour'],
    ['0 0 0 * *', 'day_of_month'],
    ['0 0 ? * MON', 'day_of_month'],
    ['0 0 L * *', 'day_of_month'],
    ['0 0 31 2 *', 'day_of_month'],
    ['0 0 1 13 *', 'month'],
    ['0 0 1 foo *', 'month'],
    ['0 0 * * 8', 'day_of_week'],
    ['0 0 * * MON#2', 'day_of_week'],
  ])('refuses "%s" and names the field %s', (expression, field) => {
    expect(fieldAtFault(expression)).toBe(field);
  });

  it('refuses a step above 59 minutes with expressions that do the same', () => {
    expect(() => parseCron('*/90 * * * *')).toThrow('every 90 minutes is two schedules');
    for (const remedy of ['0 */3 * * *', '30 1-23/3 * * *']) expect(() => parseCron(remedy)).not.toThrow();
  });

  it.each([
    '* * * * *',
    '*/15 0-6 1,15 jan-mar MON-FRI',
    '0 0 * * 7',
    '5/20 * * * *',
    '59 23 31 12 0',
    '0 0 29 2 *',
  ])('accepts "%s"', (expression) => {
    expect(parseCron(expression).expression).toBe(expression);
  });

  it('folds white space', () => {
    expect(parseCron('  0   4 * *\t1 ').expression).toBe('0 4 * * 1');
  });
});

describe('nextTick', () => {
  it('is strictly after the given instant', () => {
    const tick = nextTick(parseCron('* * * * *'), 'UTC', new Date('2026-03-01T10:00:00.000Z'));
    expect(tick?.toISOString()).toBe('2026-03-01T10:01:00.000Z');
  });

  it('treats Sunday 0 and 7 alike', () => {
    expect(ticks('0 0 * * 7', 'UTC', '2026-03-02T00:00:00Z', 2)).toEqual(
      ticks('0 0 * * 0', 'UTC', '2026-03-02T00:00:00Z', 2),
    );
  });

  it('fires a fixed time in a gap once, later by the gap', () => {
    expect(ticks('30 2 * * *', NEW_YORK, '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:30',
      '2026-03-09T06:30',
    ]);
  });

  it('fires a fixed time in an overlap once', () => {
    expect(ticks('30 1 * * *', NEW_YORK, '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ]);
  });

  it('keeps the cadence of a wildcard hour through an overlap', () => {
    expect(ticks('0 * * * *', NEW_YORK, '2026-11-01T04:30:00Z', 3)).toEqual([
      '2026-11-01T05:00',
      '2026-11-01T06:00',
      '2026-11-01T07:00',
    ]);
    expect(ticks('*/15 * * * *', NEW_YORK, '2026-11-01T05:40:00Z', 3)).toEqual([
      '2026-11-01T05:45',
      '2026-11-01T06:00',
      '2026-11-01T06:15',
    ]);
  });

  it('does not lose the day in a half-hour gap (Lord Howe)', () => {
    // 2026-10-04 02:00 +10:30 becomes 02:30 +11:00; 02:15 fires at 02:45 local = 15:45Z the day before.
    expect(ticks('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', 2)).toEqual([
      '2026-10-03T15:45',
      '2026-10-04T15:15',
    ]);
  });

  it('fires after a gap at midnight (Cairo)', () => {
    expect(ticks('30 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', 1)).toEqual(['2026-04-23T22:30']);
  });

  it('finds a leap day years ahead', () => {
    expect(ticks('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual(['2028-02-29T00:00']);
  });

  it('gives a daily schedule one tick for each local day, in zones with every kind of change', () => {
    const zones = [
      'Europe/Berlin',
      NEW_YORK,
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/Santiago',
      'Asia/Beirut',
    ];
    for (const timezone of zones) {
      for (const time of ['30 0', '15 2', '30 1', '59 23']) {
        const year = nextTicks(parseCron(`${time} * * *`), timezone, new Date('2026-01-01T12:00:00Z'), 365);
        const days = year.map((tick) => localDay(tick, timezone));
        expect({ timezone, time, distinct: new Set(days).size }).toEqual({ timezone, time, distinct: 365 });
        expect(year.every((tick, position) => position === 0 || tick > year[position - 1]!)).toBe(true);
      }
    }
  });
});

function localDay(instant: Date, timezone: string): string {
  return new Date(instant.getTime() + offsetAt(instant.getTime(), timezone)).toISOString().slice(0, 10);
}

describe('assertTimezone', () => {
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata'])('accepts %s', (timezone) => {
    expect(() => assertTimezone(timezone)).not.toThrow();
  });
  it.each(['', 'Mars/Olympus', '+02:00', 'Berlin'])('refuses "%s"', (timezone) => {
    expect(() => assertTimezone(timezone)).toThrow(expect.objectContaining({ code: 'timezone_invalid' }));
  });
});

describe('a repeated value', () => {
  it.each([
    ['5,5 * * * *', ['2026-01-01T01:05', '2026-01-01T02:05']],
    ['0 1-5,3 * * *', ['2026-01-01T01:00', '2026-01-01T02:00']],
    ['0 0 * * 0,7', ['2026-01-04T00:00', '2026-01-11T00:00']],
  ])('counts once: %s', (expression, expected) => {
    expect(ticks(expression, 'UTC', '2026-01-01T00:30:00Z', 2)).toEqual(expected);
  });
});

describe('ticksBetween', () => {
  it('counts the ticks of a span with both ends included', () => {
    const at = (text: string): Date => new Date(`2026-11-${text}:00Z`);
    const quarter = parseCron('*/15 * * * *');
    expect(ticksBetween(quarter, 'UTC', at('20T10:00'), at('20T11:00'))).toEqual({
      first: at('20T10:00'),
      last: at('20T11:00'),
      count: 5,
    });
    expect(ticksBetween(quarter, 'UTC', at('20T10:01'), at('20T10:14'))).toBeNull();
  });

  it('counts ten years of minutes', () => {
    const range = ticksBetween(
      parseCron('* * * * *'),
      'Europe/Berlin',
      new Date('2016-01-01T00:00:00Z'),
      new Date('2025-12-31T23:59:00Z'),
    );
    expect(range?.count).toBe(3653 * 1440);
  });
});
