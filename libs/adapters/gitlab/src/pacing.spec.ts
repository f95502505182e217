import { beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { silentLogger } from '../../../../test/support/silent-logger.js';
import { Pacing } from './pacing.js';

const start = new Date('2026-03-01T12:00:00Z');
const signal = new AbortController().signal;
let nowMs: number;
let waits: number[];

function pacing(maxRetries: number, random = 0): Pacing {
  return new Pacing({
    maxRetries,
    logger: silentLogger,
    now: () => new Date(nowMs),
    random: () => random,
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

describe('Pacing', () => {
  beforeEach(() => {
    nowMs = start.getTime();
    waits = [];
  });

  it('backs off further each time, within a bound', async () => {
    const paced = pacing(20, 0.999);
    for (let retries = 0; retries < 12; retries += 1)
      await paced.waitToRepeat(unavailable(503), retries, 0, signal);
    expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 3998].map((ms) => expect.closeTo(ms, -1)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  });

  it('gives up after maxRetries, and on a 500 after two', async () => {
    const [down, broken] = [unavailable(503), unavailable(500)];
    await expect(pacing(3).waitToRepeat(down, 3, 0, signal)).rejects.toBe(down);
    await pacing(3).waitToRepeat(down, 2, 0, signal);
    await expect(pacing(3).waitToRepeat(broken, 2, 0, signal)).rejects.toBe(broken);
  });

  it('never repeats what cannot succeed', async () => {
    const denied = new RepotideError('forbidden', 'source_access_denied', 'x');
    await expect(pacing(3).waitToRepeat(denied, 0, 0, signal)).rejects.toBe(denied);
    expect(waits).toEqual([]);
  });

  it('waits as long as it was told, and a little more', async () => {
    const told = new RepotideError('temporary', 'source_unavailable', 'x', {
      retryAt: new Date(nowMs + 7000),
    });
    await pacing(3, 0.5).waitToRepeat(told, 0, 0, signal);
    expect(waits).toEqual([7500]);
  });

  it('leaves the waiting for a limit to the budget of the host, and a long one to the next run', async () => {
    await pacing(3).waitToRepeat(limitedFor(7), 0, 0, signal);
    const limited = limitedFor(3600);
    await expect(pacing(3).waitToRepeat(limited, 0, 0, signal)).rejects.toBe(limited);
    expect(waits).toEqual([]);
  });

  it('lets a run repeat thirty requests and a tenth of what it asks, then says what to look at', async () => {
    const paced = pacing(5);
    const [requests, allowed] = [200, 50];
    for (let made = 0; made < allowed; made += 1)
      await paced.waitToRepeat(unavailable(503), 0, requests, signal);
    const last = paced.waitToRepeat(unavailable(503), 0, requests, signal);
    await expect(last).rejects.toMatchObject({
      kind: 'temporary',
      code: 'source_unavailable',
      message: expect.stringMatching(/repeated 50 requests.*health/),
    });
    expect(paced.retries).toBe(allowed);
    await paced.waitToRepeat(unavailable(503), 0, requests + 10, signal);
  });

  it('stops waiting when the caller does', async () => {
    const caller = new AbortController();
    const reason = new RepotideError('fence_lost', 'fence_lost', 'x');
    const paced = new Pacing({
      maxRetries: 3,
      logger: silentLogger,
      now: () => start,
      random: () => 0,
      sleep: async () => {
        caller.abort(reason);
        throw new Error('woken');
      },
    });
    await expect(paced.waitToRepeat(unavailable(502), 0, 0, caller.signal)).rejects.toBe(reason);
  });
});
