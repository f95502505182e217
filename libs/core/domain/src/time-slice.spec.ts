import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sortInSlices, TimeSlice } from './time-slice.js';

describe('sortInSlices', () => {
  it('sorts like toSorted, and keeps the order of equal items', async () => {
    const item = fc.record({ key: fc.integer({ min: 0, max: 500 }), id: fc.integer() });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5_000, size: 'max' }), async (items) => {
        const compare = (left: { key: number }, right: { key: number }) => left.key - right.key;
        expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
      }),
      { seed: 7, numRuns: 20 },
    );
  });

  it('lets other work run between its slices', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    let compared = 0;
    // Each comparison of this sort lasts; the timer must have had its turn long before the end.
    const slow = (left: number, right: number): number => {
      if (compared++ % 1_000 === 0) for (const end = performance.now() + 6; performance.now() < end;);
      return left - right;
    };
    await sortInSlices(
      Array.from({ length: 8_000 }, (_, index) => (index * 7919) % 8_000),
      slow,
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('TimeSlice', () => {
  it('is not over at its beginning', async () => {
    const slice = new TimeSlice();
    while (!slice.isOver);
    await slice.next();
    expect(new TimeSlice().isOver).toBe(false);
  });
});
