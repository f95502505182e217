/**
 * A pod that reads blobs through the real source, within limits shared through Redis, and prints the results
 * as JSON lines, which `spawnSource` reads.
 */
import { createGitLabSourceFactory } from '@adapters/gitlab';
import { connectRedis, createRedisRateLimitStore } from '@adapters/redis';
import { systemClock } from '@core/domain';
import { FallbackRateLimitStore, MemoryRateLimitStore, QueueingHostLimiter } from '@core/rate-limit';
import { silentLogger as logger } from '../../support/silent-logger.js';

/** One JSON argument. */
export interface PodOrders {
  podName: string;
  redisUrl: string;
  keyPrefix: string;
  windowMs: number;
  slotTtlMs?: number;
  limits: { requests: number; concurrency: number };
  gitlabUrl: string;
  token: string;
  projectId: number;
  blobSha: string;
  /** The blobs to read, and the concurrency. */
  reads: number;
  atOnce: number;
}

const orders = JSON.parse(process.argv[2] ?? '') as PodOrders;
const say = (event: object): void => void process.stdout.write(`${JSON.stringify(event)}\n`);

const { podName, windowMs, slotTtlMs, keyPrefix } = orders;
const redis = await connectRedis({ urls: [orders.redisUrl], keyPrefix, clientName: podName, logger });
const shared = await createRedisRateLimitStore({
  ...{ redis, podName, windowMs, logger },
  ...(slotTtlMs === undefined ? {} : { slotTtlMs }),
});
const store = new FallbackRateLimitStore(
  new MemoryRateLimitStore(systemClock, windowMs),
  systemClock,
  logger,
);
store.join(shared);
const none = { requests: 0, concurrency: 0 };
const limiter = new QueueingHostLimiter({
  ...{ store, clock: systemClock, logger },
  limitsOf: ({ name }) => (name === 'general' ? orders.limits : none),
});
const sources = createGitLabSourceFactory({
  defaultToken: orders.token,
  requestTimeoutMs: 60_000,
  maxRetries: 5,
  userAgent: 'repotide-test',
  ...{ limiter, logger },
});
const signal = new AbortController().signal;
let waits = 0;
const observer = { waiting: () => void waits++, resumed: () => undefined };
const source = await sources.open({ baseUrl: orders.gitlabUrl, credentialId: null }, signal, { observer });

let left = orders.reads;
const worker = async (): Promise<void> => {
  while (left-- > 0) await source.readBlob(orders.projectId, orders.blobSha, 1_000_000, signal);
};
say({ event: 'started' });
await Promise.all(Array.from({ length: orders.atOnce }, worker));
say({ event: 'done', ...source.usage(), waits });
await limiter.close();
await redis.close();
