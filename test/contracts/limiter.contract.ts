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
import { BookedHostLimiter } from '@core/rate-limit';
import { silentLogger as logger } from '../support/silent-logger.js';

export interface LimitersUnderTest {
  /** The book as the pod of this name opens it, once. All of them share what they write. */
  open(podName: string): Promise<RateLimitStore>;
  /** Books of several pods can be open. */
  spansPods: boolean;
  windowMs: number;
  close(): Promise<void>;
}

const LIMIT = 3;
/** A pause may begin with a millisecond that has begun. */
const CUT_MS = 1;
const forever = new AbortController().signal;

/** One request that asks for its turn. */
class Request {
  readonly waits: HostWait[] = [];
  slot: HostSlot | null = null;
  readonly ended: Promise<HostSlot>;
  private onWait: () => void = () => undefined;

  constructor(
    limiter: BookedHostLimiter,
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

  /** Its place in the line is written down. */
  async stands(): Promise<HostWait> {
    while (this.waits.length === 0) await new Promise<void>((resolve) => (this.onWait = resolve));
    return this.waits[0]!;
  }
}

/** Every promise of a `RateLimitStore`, held against one implementation under the limiter that works over it. */
export function limiterContract(name: string, factory: () => Promise<LimitersUnderTest>): void {
  describe(`HostLimiter: ${name}`, () => {
    let subject: LimitersUnderTest;
    let limits: BudgetLimits;
    let budget: HostBudget;
    let hosts = 0;
    const opened = new Map<string, BookedHostLimiter>();

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

    async function open(asked: string): Promise<BookedHostLimiter> {
      const podName = subject.spansPods ? asked : 'alone';
      const known = opened.get(podName);
      if (known !== undefined) return known;
      const book = await subject.open(podName);
      const limiter = new BookedHostLimiter({ book, limitsOf: () => limits, clock: systemClock, logger });
      opened.set(podName, limiter);
      return limiter;
    }
    const take = (limiter: BookedHostLimiter, of = budget) => limiter.take(of, forever);

    it('grants as many requests as the limit, and the next when a window has passed since an answer', async () => {
      limits = { requests: LIMIT, concurrency: 0 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const slots = [await take(here), await take(there), await take(here)];
      const late = new Request(there, budget);
      expect((await late.stands()).why).toBe('rate');
      // Unanswered requests may be counted by the host at any time: they never leave by themselves.
      await sleep(subject.windowMs * 1.5);
      expect(late.slot).toBeNull();
      slots[0]!.answered();
      slots[0]!.release();
      await late.ended;
      expect(late.waits.every(({ why }) => why === 'rate')).toBe(true);
    });

    it('never grants more than the limit within a window of the host, wherever that begins', async () => {
      limits = { requests: LIMIT, concurrency: 0 };
      const requests: { granted: number; answered: number }[] = [];
      const work = async (limiter: BookedHostLimiter) => {
        for (let made = 0; made < LIMIT; made++) {
          const slot = await take(limiter);
          const request = { granted: performance.now(), answered: Infinity };
          requests.push(request);
          await sleep((requests.length * 7) % 20);
          request.answered = performance.now();
          slot.answered();
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

    it('bounds the requests under way, over all pods', async () => {
      limits = { requests: 0, concurrency: 2 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const first = await take(here);
      const second = await take(there);
      const waiting = new Request(here, budget);
      expect(await waiting.stands()).toEqual({ budget, why: 'concurrency', until: null });
      second.answered();
      expect(waiting.slot).toBeNull();
      second.release();
      (await waiting.ended).release();
      first.release();
    });

    it('serves who came first, and before them whom a person waits for', async () => {
      limits = { requests: 0, concurrency: 1 };
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      let slot = await take(here);
      const line: Request[] = [];
      for (const [limiter, isUrgent] of [
        [here, false],
        [there, false],
        [here, false],
        [there, true],
      ] as const) {
        const request = new Request(limiter, budget, { isUrgent });
        await request.stands();
        line.push(request);
        // Within a millisecond nobody came first.
        await sleep(5);
      }
      for (const next of [3, 0, 1, 2]) {
        slot.release();
        slot = await line[next]!.ended;
        expect(line.filter((request) => request.slot !== null).length).toBe([3, 0, 1, 2].indexOf(next) + 1);
      }
      slot.release();
    });

    it('lets nobody ask while the host wants quiet, and a longer quiet stays', async () => {
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      await here.pause(budget, 100_000);
      await there.pause(budget, 1);
      const caller = new AbortController();
      const request = new Request(there, budget, { signal: caller.signal });
      const wait = await request.stands();
      expect(wait.why).toBe('paused');
      expect(wait.until!.getTime()).toBeGreaterThan(Date.now() + 1_000);
      caller.abort();
      await expect(request.ended).rejects.toMatchObject({ kind: 'cancelled' });
    });

    it('goes on when the quiet ends', async () => {
      const limiter = await open('pod-a');
      const before = performance.now();
      await limiter.pause(budget, subject.windowMs);
      await take(limiter);
      expect(performance.now() - before).toBeGreaterThanOrEqual(subject.windowMs - CUT_MS);
    });

    it('hands a long quiet on as an error with its end', async () => {
      const limiter = await open('pod-a');
      await limiter.pause(budget, 3_600_000);
      await expect(take(await open('pod-b'))).rejects.toMatchObject({
        kind: 'rate_limited',
        code: 'host_paused',
        retryAt: expect.any(Date),
      });
    });

    it('tells a person when to come again, where a run would wait', async () => {
      const limiter = await open('pod-a');
      await limiter.pause(budget, 60_000);
      const person = new Request(limiter, budget, { isUrgent: true });
      await expect(person.ended).rejects.toMatchObject({ code: 'host_paused', retryAt: expect.any(Date) });
      const caller = new AbortController();
      const run = new Request(limiter, budget, { signal: caller.signal });
      expect((await run.stands()).why).toBe('paused');
      caller.abort();
      await expect(run.ended).rejects.toMatchObject({ kind: 'cancelled' });
    });

    it('keeps hosts, budgets and their parts apart', async () => {
      const limiter = await open('pod-a');
      const archive: HostBudget = { host: budget.host, name: 'archive', scope: '7' };
      await limiter.pause(archive, 3_600_000);
      await take(limiter);
      await take(limiter, { ...archive, scope: '8' });
      await take(limiter, { ...archive, host: `other-${budget.host}` });
      await expect(take(limiter, archive)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('obeys the stricter of its own limit and the one that the host tells', async () => {
      limits = { requests: 50, concurrency: 0 };
      const limiter = await open('pod-a');
      const told = await take(limiter);
      told.answered({ limit: 2, remaining: null, resetMs: null });
      const unanswered = [await take(limiter), await take(limiter)];
      const next = new Request(limiter, budget);
      expect((await next.stands()).why).toBe('rate');
      unanswered[0]!.answered();
      await next.ended;
    });

    it('asks for no more than the host says it has left, with what is under way', async () => {
      const [here, there] = [await open('pod-a'), await open('pod-b')];
      const first = await take(here);
      await take(there);
      first.answered({ limit: null, remaining: 3, resetMs: 3_600_000 });
      // The second one may not have been counted when the host said three.
      await take(here);
      await take(there);
      await expect(take(here)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('believes the strictest of the answers about one window, whatever their order', async () => {
      const limiter = await open('pod-a');
      const [first, second] = [await take(limiter), await take(limiter)];
      second.answered({ limit: null, remaining: 0, resetMs: 3_600_000 });
      first.answered({ limit: null, remaining: 9, resetMs: 3_600_000 });
      await expect(take(limiter)).rejects.toMatchObject({ code: 'host_paused' });
    });

    it('stops waiting when the caller does, and gives the place to the next', async () => {
      limits = { requests: 0, concurrency: 1 };
      const limiter = await open('pod-a');
      const slot = await take(limiter);
      const caller = new AbortController();
      const gone = new Request(limiter, budget, { signal: caller.signal });
      await gone.stands();
      const next = new Request(limiter, budget);
      await next.stands();
      caller.abort(new Error('enough'));
      await expect(gone.ended).rejects.toMatchObject({ message: 'enough' });
      slot.release();
      (await next.ended).release();
    });

    it('counts a request that was never answered as long as one that was', async () => {
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
