import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepotideError, systemClock } from '@core/domain';
import { silentLogger } from '../../../../../test/support/silent-logger.js';
import { RetryPolicy } from './retry-policy.js';

const start = new Date('2026-03-01T12:00:00Z');
const signal = new AbortController().signal;
let nowMs: number;
let waits: number[];

function retryPolicy(maxRetries: number, random = 0): RetryPolicy {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  return new RetryPolicy({
    maxRetries,
    logger: silentLogger,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
  });
}
const unavailable = (status: number) =>
  new RepotideError('temporary', 'source_unavailable', 'x', { details: { status } });
const limitedFor = (seconds: number) =>
  new RepotideError('rate_limited', 'source_rate_limited', 'x', {
    retryAt: new Date(nowMs + seconds * 1000),
  });

describe('RetryPolicy', () => {
  beforeEach(() => {
    nowMs = start.getTime();
    waits = [];
    jest.spyOn(systemClock, 'now').mockImplementation(() => new Date(nowMs));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('backs off exponentially, up to thirty seconds', async () => {
    const policy = retryPolicy(20, 0.999);
    for (let retries = 0; retries < 12; retries += 1)
      await policy.waitToRepeat(unavailable(503), retries, 0, signal);
    expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 3998].map((ms) => expect.closeTo(ms, -1)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  });

  it('gives up after maxRetries, on a 500 after two', async () => {
    const [down, broken] = [unavailable(503), unavailable(500)];
    await expect(retryPolicy(3).waitToRepeat(down, 3, 0, signal)).rejects.toBe(down);
    await retryPolicy(3).waitToRepeat(down, 2, 0, signal);
    await expect(retryPolicy(3).waitToRepeat(broken, 2, 0, signal)).rejects.toBe(broken);
  });

  it('does not repeat a request that cannot succeed', async () => {
    const denied = new RepotideError('forbidden', 'source_access_denied', 'x');
    await expect(retryPolicy(3).waitToRepeat(denied, 0, 0, signal)).rejects.toBe(denied);
    expect(waits).toEqual([]);
  });

  it('waits for the time in Retry-After, plus jitter', async () => {
    const told = new RepotideError('temporary', 'source_unavailable', 'x', {
      retryAt: new Date(nowMs + 7000),
    });
    await retryPolicy(3, 0.5).waitToRepeat(told, 0, 0, signal);
    expect(waits).toEqual([7500]);
  });

  it('does not wait after a rate limit, and gives up when the limit lasts an hour', async () => {
    await retryPolicy(3).waitToRepeat(limitedFor(7), 0, 0, signal);
    const limited = limitedFor(3600);
    await expect(retryPolicy(3).waitToRepeat(limited, 0, 0, signal)).rejects.toBe(limited);
    expect(waits).toEqual([]);
  });

  it('lets a run repeat thirty requests plus a tenth of its requests, then throws an error that says what to check', async () => {
    const policy = retryPolicy(5);
    const [requests, allowed] = [200, 50];
    for (let made = 0; made < allowed; made += 1)
      await policy.waitToRepeat(unavailable(503), 0, requests, signal);
    const last = policy.waitToRepeat(unavailable(503), 0, requests, signal);
    await expect(last).rejects.toMatchObject({
      kind: 'temporary',
      code: 'source_unavailable',
      message: expect.stringMatching(/repeated 50 requests.*health/),
    });
    expect(policy.retries).toBe(allowed);
    await policy.waitToRepeat(unavailable(503), 0, requests + 10, signal);
  });

  it('stops waiting when the caller aborts', async () => {
    const caller = new AbortController();
    const reason = new RepotideError('fence_lost', 'fence_lost', 'x');
    const policy = new RetryPolicy({
      maxRetries: 3,
      logger: silentLogger,
      sleep: async () => {
        caller.abort(reason);
        throw new Error('woken');
      },
    });
    await expect(policy.waitToRepeat(unavailable(502), 0, 0, caller.signal)).rejects.toBe(reason);
  });
});
