import { setTimeout as sleep } from 'node:timers/promises';
import { createAdvisoryLeaseManager, type Database, PostgresProgressStore } from '@adapters/postgres';
import {
  connectRedis,
  createRedisLeaderElection,
  createRedisLeaseManager,
  createRedisRateLimitStore,
  RedisProgressStore,
  RedisRequestLimits,
} from '@adapters/redis';
import {
  type LeaderElection,
  type LeaseManager,
  systemClock,
  type Logger,
  type ProgressStore,
  type RequestLimits,
} from '@core/domain';
import { InProcessLeaseManager, MemoryProgressStore, SoleLeader } from '@adapters/memory';
import { type Config, type RedisConfig } from '@platform/config';
import { LIMIT_WINDOW_MS, type HostLimits } from './host-limits.js';

/** The adapters that coordinate pods, or that replace them in standalone mode. */
export interface Coordination {
  leases: LeaseManager;
  election: LeaderElection;
  progress: ProgressStore;
  requestLimits: RequestLimits;
  /** Call it after everything has drained. */
  close(): Promise<void>;
}

/**
 * Opens the coordination of the mode: Redis if it is configured, otherwise in this process.
 * @throws RepotideError that names REDIS_URL when Redis does not answer or refuses the connection.
 */
export function openCoordination(
  config: Config,
  logger: Logger,
  limits: HostLimits,
  database: Database,
): Promise<Coordination> {
  return config.redis === undefined
    ? openStandalone(config, logger, database)
    : openDistributed(config, config.redis, logger, limits, database);
}

/** Other processes may use an external database too. Only this process uses an embedded one. */
async function openStandalone(
  { postgres, pod, lease }: Config,
  logger: Logger,
  database: Database,
): Promise<Coordination> {
  const alone = { election: new SoleLeader(pod.name), requestLimits: { take: () => Promise.resolve(null) } };
  if (postgres.url === undefined) {
    const leases = new InProcessLeaseManager(pod.name);
    return {
      ...{ ...alone, leases, progress: new MemoryProgressStore(systemClock) },
      close: () => leases.close(),
    };
  }
  const leases = await createAdvisoryLeaseManager({
    url: postgres.url,
    tlsDir: postgres.tlsDir,
    podName: pod.name,
    ttlMs: lease.ttlSeconds * 1000,
    renewMs: lease.renewSeconds * 1000,
    logger,
  });
  const progress = new PostgresProgressStore(database);
  const close = async (): Promise<void> => {
    progress.close();
    await leases.close();
  };
  return { ...alone, leases, progress, close };
}

async function openDistributed(
  config: Config,
  { urls, keyPrefix, tlsDir }: RedisConfig,
  logger: Logger,
  limits: HostLimits,
  database: Database,
): Promise<Coordination> {
  const { pod, lease, roles } = config;
  const podName = pod.name;
  const redis = await connectRedis({ urls, keyPrefix, tlsDir, clientName: podName, logger });
  const [ttlMs, renewMs] = [lease.ttlSeconds * 1000, lease.renewSeconds * 1000];
  const leases = await createRedisLeaseManager({ redis, podName, ttlMs, renewMs, logger });
  const progress = new RedisProgressStore(redis, logger);
  const rateLimits = await createRedisRateLimitStore({ redis, podName, windowMs: LIMIT_WINDOW_MS, logger });
  limits.store.join(rateLimits);
  // A process without roles is a single command: it takes no part in the election.
  const election =
    roles.length > 0
      ? await createRedisLeaderElection({ redis, podName, logger, isFit: () => reaches(database) })
      : new SoleLeader(podName);
  const close = async (): Promise<void> => {
    progress.close();
    await limits.limiter.close();
    await leases.close();
    await redis.close();
  };
  const requestLimits = new RedisRequestLimits(redis, logger);
  return { leases, election, progress, requestLimits, close };
}

/** A renewal waits for it, so it must end well before the leadership expires. */
const REACH_TIMEOUT_MS = 2_000;

/** The chores need Postgres: a pod that cannot reach it must not lead. */
async function reaches(database: Database): Promise<boolean> {
  const answered = database.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(REACH_TIMEOUT_MS, false, { ref: false })]);
}
