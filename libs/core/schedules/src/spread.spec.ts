import { describe, expect, it } from '@jest/globals';
import { parseCron } from './cron.js';
import { spreadCron } from './spread.js';

const KEYS = Array.from({ length: 500 }, (_, index) => `https://gitlab.example.com 4711 main ${index}`);

describe('spreadCron', () => {
  it('gives the same key the same minute, and 500 keys all minutes of the hour', () => {
    const minutes = KEYS.map((key) => spreadCron('H * * * *', key));
    expect(KEYS.map((key) => spreadCron('H * * * *', key))).toEqual(minutes);
    const perMinute = new Map<string, number>();
    for (const minute of minutes) perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    expect(perMinute.size).toBe(60);
    // 8 or 9 each would be even; no minute may have a heap of them.
    expect(Math.max(...perMinute.values())).toBeLessThan(25);
  });

  it('spreads each field independently', () => {
    const both = new Set(KEYS.map((key) => spreadCron('H H * * *', key)));
    expect(both.size).toBeGreaterThan(350);
  });

  it.each([
    ['H(10-19) 2 * * *', /^1\d 2 \* \* \*$/],
    ['H/15 * * * *', /^([0-9]|1[0-4])-59\/15 \* \* \* \*$/],
    ['H(30-59)/10 * * * *', /^3\d-59\/10 \* \* \* \*$/],
    ['0 H(0-5) H * H', /^0 [0-5] ([1-9]|1\d|2[0-8]) \* [0-6]$/],
    ['5,H * * * *', /^5,\d{1,2} \* \* \* \*$/],
    ['  */5   * * * * ', /^\*\/5 \* \* \* \*$/],
  ])('converts %s to a cron expression', (template, expected) => {
    for (const key of KEYS) {
      const spread = spreadCron(template, key);
      expect(spread).toMatch(expected);
      expect(() => parseCron(spread)).not.toThrow();
    }
  });

  it.each(['H/0 * * * *', 'H(9-3) * * * *', 'H/61 * * * *', 'H(50-70) * * * *', 'H-5 * * * *', 'h * * * *'])(
    'leaves %s to the parser, which refuses it',
    (template) => {
      const refused = KEYS.every((key) => {
        try {
          parseCron(spreadCron(template, key));
          return false;
        } catch {
          return true;
        }
      });
      expect(refused).toBe(true);
    },
  );
});
