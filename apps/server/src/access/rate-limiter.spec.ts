import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from './rate-limiter.js';

function limiter(perMinute: number) {
  const time = { ms: 1000 };
  return { time, limiter: new RateLimiter(perMinute, { monotonicMs: () => time.ms }) };
}

describe('RateLimiter', () => {
  it("allows a whole minute's limit at once, then refills at the limit's rate", () => {
    const { limiter: limited, time } = limiter(6);
    const burst = Array.from({ length: 6 }, () => limited.take('a'));
    expect(burst.map(({ remaining }) => remaining)).toEqual([5, 4, 3, 2, 1, 0]);
    expect(burst.every(({ isAllowed }) => isAllowed)).toBe(true);
    expect(limited.take('a')).toEqual({
      isAllowed: false,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 10,
    });
    time.ms += 9_000;
    expect(limited.take('a')).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 });
    time.ms += 1_000;
    expect(limited.take('a').isAllowed).toBe(true);
    expect(limited.take('a').isAllowed).toBe(false);
  });

  it("never allows more than a minute's limit at once", () => {
    const { limiter: limited, time } = limiter(2);
    limited.take('a');
    time.ms += 3_600_000;
    expect([1, 2, 3].map(() => limited.take('a').isAllowed)).toEqual([true, true, false]);
  });

  it('limits each caller separately', () => {
    const { limiter: limited } = limiter(1);
    expect(
      [limited.take('a'), limited.take('a'), limited.take('b')].map(({ isAllowed }) => isAllowed),
    ).toEqual([true, false, true]);
  });

  it('deletes full buckets only', () => {
    const { limiter: limited, time } = limiter(1);
    for (let caller = 0; caller < 5_000; caller++) limited.take(`old-${caller}`);
    time.ms += 60_000;
    limited.take('new');
    expect(limited['buckets'].size).toBe(1);
    expect(limited.take('new').isAllowed).toBe(false);
  });

  it('holds a bounded number of buckets', () => {
    const { limiter: limited } = limiter(1);
    for (let caller = 0; caller < 30_000; caller++) limited.take(`caller-${caller}`);
    expect(limited['buckets'].size).toBe(20_000);
  });

  it('gives a request back, and refuses a key for as long as another process says', () => {
    const { limiter: limited, time } = limiter(60);
    for (let sent = 0; sent < 60; sent += 1) limited.take('a');
    expect(limited.take('a').isAllowed).toBe(false);
    limited.giveBack('a');
    expect(limited.take('a').isAllowed).toBe(true);
    limited.block('b', 5);
    time.ms += 4_000;
    expect(limited.take('b').isAllowed).toBe(false);
    time.ms += 1_000;
    expect(limited.take('b').isAllowed).toBe(true);
  });
});
