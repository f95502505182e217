import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { axisTicks, labelStride, shortNumber } from './scale.js';

describe('a chart axis', () => {
  it('starts at 0, reaches the highest value and has at most six whole ticks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (highest) => {
        const ticks = axisTicks(highest);
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)!).toBeGreaterThanOrEqual(highest);
        expect(ticks.at(-2)!).toBeLessThan(highest);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect(ticks.every(Number.isInteger)).toBe(true);
      }),
    );
  });

  it('has fractional ticks for values below one', () => {
    expect(axisTicks(0.5)).toEqual([0, 0.2, 0.4, 0.6000000000000001]);
  });

  it('runs from 0 to 1 when all values are 0', () => {
    expect(axisTicks(0)).toEqual([0, 1]);
  });

  it('has few and short labels', () => {
    expect(labelStride(168, 8)).toBe(21);
    expect(labelStride(3, 8)).toBe(1);
    expect(shortNumber(12_340)).toBe('12.3K');
  });
});
