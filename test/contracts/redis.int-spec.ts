import { describe, expect, it } from '@jest/globals';
import { type LeaderElection, type LeaseManager } from '@core/domain';
import {
  connectRedis,
  createRedisLeaderElection,
  createRedisLeaseManager,
  createRedisRateLimitStore,
} from '@adapters/redis';
import { openTestRedis, startRenewalThreadFromSource, startTestRedis } from '../support/redis.js';
import { silentLogger as logger } from '../support/silent-logger.js';
import { leaderContract, type ElectionsUnderTest } from './leader.contract.js';
import { leaseContract, type LeasesUnderTest } from './lease.contract.js';
import { limiterContract } from './limiter.contract.js';

const LEASE = { ttlMs: 2_000, renewMs: 200 };

async function leasesOf(urls: string[], keyPrefix: string, release: () => Promise<void>) {
  const redis = await connectRedis({ urls, keyPrefix, logger });
  const opened: LeaseManager[] = [];
  const subject: LeasesUnderTest = {
    async open(podName) {
      const startThread = startRenewalThreadFromSource;
      const manager = await createRedisLeaseManager({ redis, podName, logger, ...LEASE, startThread });
      opened.push(manager);
      return manager;
    },
    async close() {
      for (const manager of opened) await manager.close();
      await redis.close();
      await release();
    },
    spansPods: true,
    expiresAfterMs: LEASE.ttlMs,
    survivesRestart: true,
  };
  return subject;
}

leaseContract('Redis', async () => {
  const space = await openTestRedis();
  return leasesOf([space.url], space.keyPrefix, () => space.release());
});

leaseContract('quorum of three Redis', async () => {
  const servers = await Promise.all([startTestRedis(), startTestRedis(), startTestRedis()]);
  const urls = servers.map(({ url }) => url);
  return leasesOf(urls, 'test', async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
});

leaderContract('Redis', async (): Promise<ElectionsUnderTest> => {
  const space = await openTestRedis();
  const redis = await connectRedis({ urls: [space.url], keyPrefix: space.keyPrefix, logger });
  const opened: LeaderElection[] = [];
  return {
    async open(podName) {
      const election = await createRedisLeaderElection({
        redis,
        podName,
        logger,
        ttlMs: 2_000,
        renewMs: 300,
        tryMs: 100,
      });
      opened.push(election);
      return election;
    },
    async close() {
      for (const election of opened) await election.stepDown();
      await redis.close();
      await space.release();
    },
    spansPods: true,
  };
});

const WINDOW_MS = 400;

limiterContract('Redis', async () => {
  const space = await openTestRedis();
  const redis = await connectRedis({ urls: [space.url], keyPrefix: space.keyPrefix, logger });
  return {
    open: (podName) => createRedisRateLimitStore({ redis, podName, windowMs: WINDOW_MS, logger }),
    spansPods: true,
    windowMs: WINDOW_MS,
    async close() {
      await redis.close();
      await space.release();
    },
  };
});

describe('The rate limits in Redis', () => {
  it('share a limit with a pod that joins from the next request on, also after Redis lost its keys', async () => {
    const server = await startTestRedis();
    const redis = await connectRedis({ urls: [server.url], keyPrefix: 'joined', logger });
    const options = { redis, windowMs: WINDOW_MS, logger };
    const first = await createRedisRateLimitStore({ ...options, podName: 'pod-a' });
    const second = await createRedisRateLimitStore({ ...options, podName: 'pod-b' });
    const budget = { host: 'git.example', name: 'general' } as const;
    const ticket = { id: 'one', budget, limits: { requests: 10, concurrency: 0 }, isUrgent: false };
    await first.acquire(ticket);
    expect([first.processes(), second.processes()]).toEqual([2, 2]);
    await redis.primary.client.flushall();
    await first.acquire({ ...ticket, id: 'two' });
    expect(first.processes()).toBe(2);
    await Promise.all([first.close(), second.close()]);
    await redis.close();
    await server.stop();
  });

  it('fail no request when Redis loses all keys between any two steps', async () => {
    const server = await startTestRedis();
    const redis = await connectRedis({ urls: [server.url], keyPrefix: 'lossy', logger });
    const store = await createRedisRateLimitStore({ redis, podName: 'pod', windowMs: WINDOW_MS, logger });
    const budget = { host: 'git.example', name: 'general' } as const;
    const limits = { requests: 2, concurrency: 1 };
    const ticket = (id: string, isUrgent = false) => ({ id, budget, limits, isUrgent });
    const [holder, waiter, urgent] = [ticket('holder'), ticket('waiter'), ticket('urgent', true)];
    const headers = { limit: 5, remaining: 1, resetMs: 5 };
    const steps = [
      () => store.acquire(holder),
      () => store.acquire(waiter),
      () => store.renew([holder]),
      () => store.pause(budget, 1),
      () => store.release(holder, headers),
      () => store.release(holder, headers),
      () => store.acquire(urgent),
      () => store.release(holder, null),
      () => store.cancel(urgent),
    ];
    for (let lost = 0; lost < 2 ** (steps.length - 1); lost++) {
      for (const [position, step] of steps.entries()) {
        if (lost & (1 << position)) await redis.primary.client.flushall();
        await step();
      }
      await redis.primary.client.flushall();
      expect(await store.acquire(waiter)).toEqual({ kind: 'granted' });
      await redis.primary.client.flushall();
    }
    await store.close();
    await redis.close();
    await server.stop();
  });
});
