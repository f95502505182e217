import { createAdvisoryLeaseManager } from '@adapters/postgres';
import {
  connectRedis,
  createBullDispatcher,
  createRedisHints,
  createRedisLeaderElection,
  createRedisLeaseManager,
  createRedisRateLimitStore,
  RedisProgressStore,
} from '@adapters/redis';
import {
  type DispatchConsumer,
  type Dispatcher,
  type Hints,
  type LeaderElection,
  type LeaseManager,
  systemClock,
  type Logger,
  type ProgressStore,
} from '@core/domain';
import {
  InProcessLeaseManager,
  LocalHints,
  MemoryProgressStore,
  SoleLeader,
  InProcessDispatcher,
} from '@adapters/memory';
import { type Config, type RedisConfig } from '@platform/config';
import { LIMIT_WINDOW_MS, type HostLimits } from './host-limits.js';

/** The adapters that coordinate pods, or that replace them in standalone mode. */
export interface Coordination {
  leases: LeaseManager;
  queue: Dispatcher & DispatchConsumer;
  election: LeaderElection;
  hints: Hints;
  progress: ProgressStore;
  /** Call it after everything has drained. */
  close(): Promise<void>;
}

/**
 * Opens the coordination of the mode: Redis if it is configured, otherwise in this process.
 * @throws RepotideError that names REDIS_URL when Redis does not answer or refuses the connection.
 */
export function openCoordination(config: Config, logger: Logger, limits: HostLimits): Promise<Coordination> {
  return config.redis === undefined
    ? openStandalone(config, logger)
    : openDistributed(config, config.redis, logger, limits);
}

async function openStandalone(config: Config, logger: Logger): Promise<Coordination> {
  const { pod, worker } = config;
  const leases = await openLeases(config, logger);
  return {
    leases,
    queue: new InProcessDispatcher(worker.concurrency),
    election: new SoleLeader(pod.name),
    hints: new LocalHints(),
    progress: new MemoryProgressStore(systemClock),
    close: () => leases.close(),
  };
}

/** Other processes may use an external database, so they need advisory locks. Only this process uses an embedded one. */
async function openLeases({ postgres, pod, lease }: Config, logger: Logger): Promise<LeaseManager> {
  if (postgres.url === undefined) return new InProcessLeaseManager(pod.name);
  return createAdvisoryLeaseManager({
    url: postgres.url,
    podName: pod.name,
    ttlMs: lease.ttlSeconds * 1000,
    renewMs: lease.renewSeconds * 1000,
    logger,
  });
}

async function openDistributed(
  config: Config,
  { urls, keyPrefix }: RedisConfig,
  logger: Logger,
  limits: HostLimits,
): Promise<Coordination> {
  const { pod, lease, worker, roles } = config;
  const podName = pod.name;
  const redis = await connectRedis({ urls, keyPrefix, clientName: podName, logger });
  const [ttlMs, renewMs] = [lease.ttlSeconds * 1000, lease.renewSeconds * 1000];
  const leases = await createRedisLeaseManager({ redis, podName, ttlMs, renewMs, logger });
  // A job whose pod died before the run began is redelivered within twice the lock time, which is the TTL of a lease.
  const jobLockMs = ttlMs / 2;
  const queue = await createBullDispatcher({ redis, concurrency: worker.concurrency, jobLockMs, logger });
  const hints = createRedisHints({ redis, logger });
  const progress = new RedisProgressStore(redis, logger);
  const rateLimits = await createRedisRateLimitStore({ redis, podName, windowMs: LIMIT_WINDOW_MS, logger });
  limits.store.join(rateLimits);
  // A process without roles is a single command: it takes no part in the election.
  const election =
    roles.length > 0 ? await createRedisLeaderElection({ redis, podName, logger }) : new SoleLeader(podName);
  const close = async (): Promise<void> => {
    await queue.close();
    await hints.close();
    progress.close();
    await limits.limiter.close();
    await leases.close();
    await redis.close();
  };
  return { leases, queue, election, hints, progress, close };
}
