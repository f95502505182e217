import { describe, expect, it } from '@jest/globals';
import { readRateLimit } from './rate-headers.js';

const told = (remaining: string, reset: string) =>
  readRateLimit(
    new Headers({ 'x-ratelimit-remaining-requests': remaining, 'x-ratelimit-reset-requests': reset }),
  );

describe('readRateLimit', () => {
  it.each([
    ['120ms', 120],
    ['6m0s', 360_000],
    ['1h2m3.5s', 3_723_500],
    ['1d', 86_400_000],
  ])('reads the duration %s', (reset, resetMs) => {
    expect(told('59', reset)).toEqual({ limit: null, remaining: 59, resetMs });
  });

  it('ignores unreadable headers', () => {
    expect(told('many', 'soon')).toEqual({ limit: null, remaining: null, resetMs: null });
    expect(readRateLimit(new Headers())).toEqual({ limit: null, remaining: null, resetMs: null });
  });
});
