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
      await paced.waitToRepeat(unavailable(503), retries, signal);
    expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 3998].map((ms) => expect.closeTo(ms, -1)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  });

  it('gives up after maxRetries, and on a 500 after two', async () => {
    const [down, broken] = [unavailable(503), unavailable(500)];
    await expect(pacing(3).waitToRepeat(down, 3, signal)).rejects.toBe(down);
    await pacing(3).waitToRepeat(down, 2, signal);
    await expect(pacing(3).waitToRepeat(broken, 2, signal)).rejects.toBe(broken);
  });

  it('never repeats what cannot succeed', async () => {
    const denied = new RepotideError('forbidden', 'source_access_denied', 'x');
    await expect(pacing(3).waitToRepeat(denied, 0, signal)).rejects.toBe(denied);
    expect(waits).toEqual([]);
  });

  it('waits as long as it was told, and a little more', async () => {
    await pacing(3, 0.5).waitToRepeat(limitedFor(7), 0, signal);
    expect(waits).toEqual([7500]);
  });

  it('leaves a long wait to the next run', async () => {
    const limited = limitedFor(3600);
    const paced = pacing(3);
    await expect(paced.waitToRepeat(limited, 0, signal)).rejects.toBe(limited);
    await expect(paced.waitForQuota(signal)).rejects.toBe(limited);
    expect(waits).toEqual([]);
  });

  it('holds back every other call while quota is used up, and no longer', async () => {
    const paced = pacing(0);
    await paced.waitForQuota(signal);
    expect(waits).toEqual([]);
    const limited = limitedFor(30);
    await expect(paced.waitToRepeat(limited, 0, signal)).rejects.toBe(limited);
    await paced.waitForQuota(signal);
    expect(waits).toEqual([30_000]);
    await paced.waitForQuota(signal);
    expect(waits).toEqual([30_000]);
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
    await expect(paced.waitToRepeat(unavailable(502), 0, caller.signal)).rejects.toBe(reason);
  });
});
