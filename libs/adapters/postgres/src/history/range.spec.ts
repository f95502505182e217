import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ceilTo, floorTo, splitRange, type Level } from './range.js';

const LEVELS: Level[][] = [
  ['month', 'week', 'day'],
  ['month', 'day', 'hour'],
  ['day', 'quarter'],
  ['quarter'],
  [],
];
const parts = (from: string, to: string, levels: Level[]) =>
  splitRange({ from: new Date(from), to: new Date(to) }, levels).map(
    (part) => `${part.level} ${part.from.toISOString()} ${part.to.toISOString()}`,
  );

describe('splitRange', () => {
  it('uses whole months, then whole days, then rows', () => {
    expect(parts('2026-01-30T12:00:00Z', '2026-03-02T00:00:00.001Z', ['month', 'day'])).toEqual([
      'rows 2026-01-30T12:00:00.000Z 2026-01-31T00:00:00.000Z',
      'day 2026-01-31T00:00:00.000Z 2026-02-01T00:00:00.000Z',
      'month 2026-02-01T00:00:00.000Z 2026-03-01T00:00:00.000Z',
      'day 2026-03-01T00:00:00.000Z 2026-03-02T00:00:00.000Z',
      'rows 2026-03-02T00:00:00.000Z 2026-03-02T00:00:00.001Z',
    ]);
  });

  it('uses rows for a range shorter than a unit', () => {
    expect(parts('2026-01-30T12:01:00Z', '2026-01-30T12:14:00Z', ['day', 'quarter'])).toEqual([
      'rows 2026-01-30T12:01:00.000Z 2026-01-30T12:14:00.000Z',
    ]);
    expect(parts('2026-01-30T12:00:00Z', '2026-01-30T12:00:00Z', ['quarter'])).toEqual([]);
  });

  it('covers every instant of any range exactly once', () => {
    const instant = fc.date({
      min: new Date('2023-01-01'),
      max: new Date('2027-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, instant, fc.constantFrom(...LEVELS), (one, other, levels) => {
        const [from, to] = one < other ? [one, other] : [other, one];
        const found = splitRange({ from, to }, levels);
        let reached = from;
        for (const part of found) {
          expect(part.from).toEqual(reached);
          expect(part.to > part.from).toBe(true);
          if (part.level !== 'rows') {
            expect([floorTo(part.level, part.from), ceilTo(part.level, part.to)]).toEqual([
              part.from,
              part.to,
            ]);
          }
          reached = part.to;
        }
        expect(reached).toEqual(from < to ? to : from);
      }),
    );
  });
});
