import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SourceProcess } from '../../support/child-process.js';
import { withRedis } from '../../support/redis.js';
import { createLimitsWorld, LIMIT, type PodReport, WINDOW_MS } from './limits-world.js';

const PODS = ['pod-a', 'pod-b', 'pod-c'];
const READS = 80;
const AT_ONCE = 24;

describe('three pods that share the limit of a host', () => {
  let world: Awaited<ReturnType<typeof createLimitsWorld>>;

  beforeEach(async () => {
    world = await createLimitsWorld();
    world.gitlab.settings.rateLimits.api = { requests: LIMIT, periodSeconds: WINDOW_MS / 1000 };
  });
  afterEach(() => world.close());

  const reportsOf = (pods: readonly SourceProcess[]): Promise<PodReport[]> =>
    Promise.all(pods.map((pod) => pod.next<PodReport>('done')));

  const requested = async (count: number): Promise<void> => {
    while (world.gitlab.requests.length < count) await sleep(10);
  };

  it('never exceed it, are never refused, all finish, and leave no Redis key without expiry', async () => {
    const pods = PODS.map((name) => world.startPod(name));
    const ttls = await withRedis(world.redis.url, async (client) => {
      let keys: string[] = [];
      // All pods together send more requests than one window allows, so some wait.
      while (!keys.some((key) => key.endsWith(':queue'))) {
        await sleep(10);
        keys = await client.keys('test:limiter:*');
      }
      return Promise.all(keys.map(async (key) => [key, await client.pttl(key)] as const));
    });
    expect(ttls.filter(([, ms]) => ms === -1)).toEqual([]);
    const reports = await reportsOf(pods);
    expect(Math.max(...world.perWindow())).toBeLessThanOrEqual(LIMIT);
    expect(world.refusals()).toBe(0);
    expect(reports.map(({ requests, retries }) => [requests, retries])).toEqual(PODS.map(() => [READS, 0]));
    // Together they send more than one window's requests, so each pod had to wait.
    expect(reports.every(({ waits }) => waits > 0)).toBe(true);
  });

  it('read it from the response headers when none is configured', async () => {
    const unlimited = { limits: { requests: 0, concurrency: AT_ONCE } };
    const reports = await reportsOf(PODS.map((name) => world.startPod(name, unlimited)));
    expect(Math.max(...world.perWindow())).toBeLessThanOrEqual(LIMIT);
    expect(world.refusals()).toBe(0);
    expect(reports.map(({ requests }) => requests)).toEqual(PODS.map(() => READS));
  });

  it('are not blocked by a pod that was killed while it held slots and places in the queue', async () => {
    const orders = { limits: { requests: 0, concurrency: 4 }, slotTtlMs: 3_000 };
    world.gitlab.settings.rateLimits.api = null;
    world.gitlab.faults.add({ times: 4, effect: { kind: 'stall' } });
    const holder = world.startPod('pod-a', { ...orders, atOnce: 8 });
    await requested(4);
    const survivor = world.startPod('pod-b', { ...orders, reads: 20 });
    await survivor.next('started');
    holder.process.kill('SIGKILL');
    await holder.ended;
    expect(await reportsOf([survivor])).toMatchObject([{ requests: 20 }]);
  });

  it.each(['killed', 'frozen'] as const)(
    'finish, each within its share of the limit, while Redis is %s',
    async (how) => {
      world.gitlab.settings.rateLimits.api = null;
      const pods = PODS.map((name) => world.startPod(name));
      await Promise.all(pods.map((pod) => pod.next('started')));
      // One more window, in which each pod learns the number of pods.
      await requested(world.gitlab.requests.length + LIMIT);
      if (how === 'killed') await world.redis.kill();
      else world.redis.freeze();
      expect((await reportsOf(pods)).map(({ requests }) => requests)).toEqual(PODS.map(() => READS));
      if (how === 'frozen') world.redis.thaw();
      // The pods’ own stores do not know what Redis granted before.
      expect(Math.max(...world.perWindow())).toBeLessThanOrEqual(2 * LIMIT);
      const [last = 0] = world.perWindow().slice(-1);
      expect(last).toBeLessThanOrEqual(LIMIT);
    },
  );
});
