import { beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError, type RateLimitStore, type RateLimitTicket } from '@core/domain';
import { recordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.js';
import { FallbackRateLimitStore } from './fallback-store.js';
import { MemoryRateLimitStore } from './memory-store.js';

const WINDOW_MS = 60_000;
const PODS = 3;
const budget = { host: 'git.example', name: 'general' } as const;

describe('FallbackRateLimitStore', () => {
  let nowMs: number;
  let isDown: boolean;
  let logger: RecordingLogger;
  let store: FallbackRateLimitStore;
  let tickets: number;

  beforeEach(() => {
    [nowMs, isDown, tickets] = [0, false, 0];
    logger = recordingLogger();
    const clock = { monotonicMs: () => nowMs };
    store = new FallbackRateLimitStore(new MemoryRateLimitStore(clock, WINDOW_MS), clock, logger);
    const shared = new Proxy<RateLimitStore>(new MemoryRateLimitStore(clock, WINDOW_MS), {
      get: (target, name: keyof RateLimitStore) => {
        if (name === 'processes') return () => PODS;
        return isDown ? fail : target[name].bind(target);
      },
    });
    store.join(shared);
  });

  const fail = () => Promise.reject(new RepotideError('temporary', 'limiter_unavailable', 'away'));
  const ticket = (): RateLimitTicket => ({
    id: String(tickets++),
    budget,
    limits: { requests: 10, concurrency: 0 },
    isUrgent: false,
  });

  async function grantsUntilHeld(): Promise<RateLimitTicket[]> {
    const granted: RateLimitTicket[] = [];
    for (;;) {
      const next = ticket();
      if ((await store.acquire(next)).kind === 'granted') granted.push(next);
      else return store.cancel(next).then(() => granted);
    }
  }

  it('uses this process’s share of the limit while the shared store is down, and logs that once', async () => {
    isDown = true;
    expect(await grantsUntilHeld()).toHaveLength(Math.floor(10 / PODS));
    expect(logger.lines).toEqual([expect.stringContaining('limiter_unavailable')]);
  });

  it('uses the shared store again after an outage, and releases each slot in the store that granted it', async () => {
    isDown = true;
    const own = await grantsUntilHeld();
    isDown = false;
    nowMs += 10_001;
    expect(await grantsUntilHeld()).toHaveLength(10);
    for (const slot of own) await store.release(slot, null);
    nowMs += WINDOW_MS;
    isDown = true;
    expect(await grantsUntilHeld()).toHaveLength(own.length);
    expect(logger.lines).toEqual(
      ['cannot be shared', 'shared by all pods again', 'cannot be shared'].map((words) =>
        expect.stringContaining(words),
      ),
    );
  });

  it('releases after an outage the slots whose release failed during it', async () => {
    const limits = { requests: 0, concurrency: 1 };
    const held = { ...ticket(), limits };
    expect(await store.acquire(held)).toEqual({ kind: 'granted' });
    isDown = true;
    await expect(store.release(held, null)).rejects.toMatchObject({ code: 'limiter_unavailable' });
    isDown = false;
    expect(await store.acquire({ ...ticket(), limits })).toEqual({ kind: 'granted' });
  });

  it('keeps a pause of the host through an outage of the shared store', async () => {
    await store.pause(budget, 30_000);
    isDown = true;
    expect(await store.acquire(ticket())).toMatchObject({ kind: 'queued', reason: 'paused' });
  });
});
