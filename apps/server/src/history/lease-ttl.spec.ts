import { describe, expect, it } from '@jest/globals';
import { suggestLeaseTtl } from './lease-ttl.js';

const secondsFor = (p95: number | null, renewSeconds = 15) =>
  suggestLeaseTtl({ runs: 10, p95 }, renewSeconds).seconds;

describe('suggestLeaseTtl', () => {
  it('survives two failed renewals, even if all runs are short', () => {
    expect(secondsFor(0.3)).toBe(45);
    expect(secondsFor(null)).toBe(45);
    expect(secondsFor(0.3, 200)).toBe(600);
  });

  it('rounds p95 up to a multiple of 15 s, at most five minutes', () => {
    expect(secondsFor(61)).toBe(75);
    expect(secondsFor(75)).toBe(75);
    expect(secondsFor(4000)).toBe(300);
  });

  it('explains the calculation', () => {
    expect(suggestLeaseTtl({ runs: 12, p95: 61.04 }, 15).explanation).toBe(
      '95 % of 12 runs took at most 61.0 s: rounded up to 75 s, at least 45 s, three renewals, and at most 300 s.',
    );
  });
});
