import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  systemClock,
  type BudgetLimits,
  type HostBudget,
  type HostSlot,
  type HostWait,
  type RateLimitStore,
} from '@core/domain';
import { QueueingHostLimiter } from '@core/rate-limit';
import { silentLogger as logger } from '../support/silent-logger.js';

export interface LimitersUnderTest {
  /** The store of the pod with this name; called once per pod. All pods share the state. */
  open(podName: string): Promise<RateLimitStore>;
  /** Whether several pods can share the store. */
  spansPods: boolean;
  windowMs: number;
  close(): Promise<void>;
}

const LIMIT = 3;
/** Stores truncate times to milliseconds. */
const CUT_MS = 1;
const forever = new AbortController().signal;

/** One request that waits for a slot. */
class Request {
  readonly waits: HostWait[] = [];
  slot: HostSlot | null = null;
  readonly ended: Promise<HostSlot>;
  private onWait: () => void = () => undefined;

  constructor(
    limiter: QueueingHostLimiter,
    budget: HostBudget,
    options: { signal?: AbortSignal; isUrgent?: boolean } = {},
  ) {
    const observer = {
      waiting: (_: object, wait: HostWait) => (this.waits.push(wait), this.onWait()),
      resumed: () => undefined,
    };
    const { signal = forever, isUrgent = false } = options;
    this.ended = limiter.take(budget, signal, { observer, isUrgent }).then((slot) => (this.slot = slot));
    this.ended.catch(() => undefined);
  }

  /** Resolves when the request is in the queue. */
  async queued(): Promise<HostWait> {
    while (this.waits.length === 0) await new Promise<void>((resolve) => (this.onWait = resolve));
    return this.waits[0]!;
  }
}

/** Tests every promise of a `RateLimitStore` through the limiter that uses it. */
export function limiterContract(name: string, factory: () => Promise<LimitersUnderTest>): void {
  describe(`HostLimiter: ${name}`, () => {
    let subject: LimitersUnderTest;
    let limits: BudgetLimits;
    let budget: HostBudget;
    let hosts = 0;
    const opened = new Map<string, QueueingHostLimiter>();

    beforeAll(async () => {
      subject = await factory();
    });
    beforeEach(() => {
      limits = { requests: 0, concurrency: 0 };
      budget = { host: `host-${hosts++}.example:8080`, name: 'general' };
    });
    afterAll(async () => {
      for (const limiter of opened.values()) await limiter.close();
      await subject?.close();
    });

    async function open(wanted: string): Promise<QueueingHostLimiter> {
      const podName = subject.spansPods ? wanted : 'alone';
      const known = opened.get(podName);
      if (known !== undefined) return known;
      const store = await subject.open(podName);
      const limiter = new QueueingHostLimiter({ store, limitsOf: () => limits, clock: systemClock, logger });
      opened.set(podName, limiter);
      return limiter;
    }
    const take = (limiter: QueueingHostLimiter, of = budget) => limiter.take(of, forever);

    it('grants no more requests than the limit until one window after their end', async () => {
      limits = { requests: LIMIT, concurrency: 0 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const slots = [await take(here), await take(there), await take(here)];
      const late = new Request(there, budget);
      expect((await late.queued()).reason).toBe('rate');
      // The host may count requests in flight at any time: they never leave the window.
      await sleep(subject.windowMs * 1.5);
      expect(late.slot).toBeNull();
      slots[0]!.release();
      await late.ended;
      expect(late.waits.every(({ reason }) => reason === 'rate')).toBe(true);
    });

    it('never exceeds the limit within any window of the host, wherever the window starts', async () => {
      limits = { requests: LIMIT, concurrency: 0 };
      const requests: { granted: number; answered: number }[] = [];
      const work = async (limiter: QueueingHostLimiter) => {
        for (let made = 0; made < LIMIT; made++) {
          const slot = await take(limiter);
          const request = { granted: performance.now(), answered: Infinity };
          requests.push(request);
          await sleep((requests.length * 7) % 20);
          request.answered = performance.now();
          slot.release();
        }
      };
      await Promise.all(['pod-a', 'pod-b', 'pod-c'].map(async (podName) => work(await open(podName))));
      expect(requests).toHaveLength(3 * LIMIT);
      for (const { granted } of requests) {
        const counted = requests.filter(
          (other) => other.granted < granted && other.answered + subject.windowMs > granted,
        );
        expect(counted.length).toBeLessThan(LIMIT);
      }
    });

    it('limits the requests in flight over all pods', async () => {
      limits = { requests: 0, concurrency: 2 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const first = await take(here);
      const second = await take(there);
      const waiting = new Request(here, budget);
      expect(await waiting.queued()).toEqual({ budget, reason: 'concurrency', until: null });
      second.release();
      (await waiting.ended).release();
      first.release();
    });

    it('grants slots first come, first served, but urgent requests before all others', async () => {
      limits = { requests: 0, concurrency: 1 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      let slot = await take(here);
      const queue: Request[] = [];
      for (const [limiter, isUrgent] of [
        [here, false],
        [there, false],
        [here, false],
        [there, true],
      ] as const) {
        const request = new Request(limiter, budget, { isUrgent });
        await request.queued();
        queue.push(request);
        // The order within a millisecond is undefined.
        await sleep(5);
      }
      for (const next of [3, 0, 1, 2]) {
        slot.release();
        slot = await queue[next]!.ended;
        expect(queue.filter((request) => request.slot !== null).length).toBe([3, 0, 1, 2].indexOf(next) + 1);
      }
      slot.release();
    });

    it('sends nothing while the host is paused, and a shorter pause does not replace a longer one', async () => {
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      await here.pause(budget, 100_000);
      await there.pause(budget, 1);
      const caller = new AbortController();
      const request = new Request(there, budget, { signal: caller.signal });
      const wait = await request.queued();
      expect(wait.reason).toBe('paused');
      expect(wait.until!.getTime()).toBeGreaterThan(Date.now() + 1_000);
      caller.abort();
      await expect(request.ended).rejects.toMatchObject({ kind: 'cancelled' });
    });

    it('grants slots again when a pause ends', async () => {
      const limiter = await open('pod-a');
      const before = performance.now();
      await limiter.pause(budget, subject.windowMs);
      await take(limiter);
      expect(performance.now() - before).toBeGreaterThanOrEqual(subject.windowMs - CUT_MS);
    });

    it('throws host_paused with retryAt when a pause is too long to wait for', async () => {
      const limiter = await open('pod-a');
      await limiter.pause(budget, 3_600_000);
      await expect(take(await open('pod-b'))).rejects.toMatchObject({
        kind: 'rate_limited',
        code: 'host_paused',
        retryAt: expect.any(Date),
      });
    });

    it('throws host_paused for an urgent request where a run would wait', async () => {
      const limiter = await open('pod-a');
      await limiter.pause(budget, 60_000);
      const person = new Request(limiter, budget, { isUrgent: true });
      await expect(person.ended).rejects.toMatchObject({ code: 'host_paused', retryAt: expect.any(Date) });
      const caller = new AbortController();
      const run = new Request(limiter, budget, { signal: caller.signal });
      expect((await run.queued()).reason).toBe('paused');
      caller.abort();
      await expect(run.ended).rejects.toMatchObject({ kind: 'cancelled' });
    });

    it('keeps hosts, budgets and scopes separate', async () => {
      const limiter = await open('pod-a');
      const archive: HostBudget = { host: budget.host, name: 'archive', scope: '7' };
      await limiter.pause(archive, 3_600_000);
      await take(limiter);
      await take(limiter, { ...archive, scope: '8' });
      await take(limiter, { ...archive, host: `other-${budget.host}` });
      await expect(take(limiter, archive)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('obeys the stricter of the configured limit and the limit from the headers', async () => {
      limits = { requests: 50, concurrency: 0 };
      const limiter = await open('pod-a');
      const limited = await take(limiter);
      limited.release({ limit: 2, remaining: null, resetMs: null });
      const inFlight = [await take(limiter), await take(limiter)];
      const next = new Request(limiter, budget);
      expect((await next.queued()).reason).toBe('rate');
      inFlight[0]!.release();
      await next.ended;
    });

    it('sends no more requests than the headers say remain, including those in flight', async () => {
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const first = await take(here);
      await take(there);
      first.release({ limit: null, remaining: 3, resetMs: 3_600_000 });
      // The host may not have counted the second request when it answered the first.
      await take(here);
      await take(there);
      await expect(take(here)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('uses the strictest of several responses about one window, in any order', async () => {
      const limiter = await open('pod-a');
      const [first, second] = [await take(limiter), await take(limiter)];
      second.release({ limit: null, remaining: 0, resetMs: 3_600_000 });
      first.release({ limit: null, remaining: 9, resetMs: 3_600_000 });
      await expect(take(limiter)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('leaves the queue when the caller aborts, and the next request gets the slot', async () => {
      limits = { requests: 0, concurrency: 1 };
      const limiter = await open('pod-a');
      const slot = await take(limiter);
      const caller = new AbortController();
      const cancelled = new Request(limiter, budget, { signal: caller.signal });
      await cancelled.queued();
      const next = new Request(limiter, budget);
      await next.queued();
      caller.abort(new Error('enough'));
      await expect(cancelled.ended).rejects.toMatchObject({ message: 'enough' });
      slot.release();
      (await next.ended).release();
    });

    it('counts a request without a response for one window after its end', async () => {
      limits = { requests: 1, concurrency: 0 };
      const limiter = await open('pod-a');
      const slot = await take(limiter);
      const before = performance.now();
      slot.release();
      slot.release();
      await take(limiter);
      expect(performance.now() - before).toBeGreaterThanOrEqual(subject.windowMs);
    });
  });
}
