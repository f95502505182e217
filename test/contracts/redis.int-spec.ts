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
