import { setTimeout as sleep } from 'node:timers/promises';
import {
  RepotideError,
  type HeldLease,
  type Lease,
  type LeaseHolder,
  type LeaseManager,
  type Logger,
} from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { leaseKey, leaseValue, parseLeaseValue } from '../keys.js';
import { removeKey, takeKey } from '../owned-key.js';
import { askAll, describeFailures, quorumOf, type Failure, type Replies } from '../quorum.js';
import { type RedisServer } from '../redis-server.js';
import { RedisLease } from './held-lease.js';
import { KeyRemoval } from './key-removal.js';
import { mergeLeases, readLeases } from './read-leases.js';
import { Renewer, type StartRenewalThread } from './renewer.js';
import { monotonicMs, SharedInstant } from './shared-instant.js';

export interface RedisLeaseOptions {
  redis: RedisConnections;
  podName: string;
  /** Life of an unrenewed lease. Default 60 s: event loops stall for seconds, and a dead pod must be replaced in 80 s. */
  ttlMs?: number;
  /** Default a quarter of the TTL: three renewals may fail before the fourth is too late. */
  renewMs?: number;
  logger: Logger;
  /** Only for code that does not run from its compiled files. */
  startThread?: StartRenewalThread;
}

const DEFAULT_TTL_MS = 60_000;
/** client-go's ratio of 10 s to 15 s, rounded: clocks may run a third apart. It is Redlock's drift margin too. */
const SELF_ABORT_SHARE = 3 / 4;
/** Of contenders that split the votes each withdraws and comes back after a while of its own. */
const SPLIT_VOTE_TRIES = 3;
const SPLIT_VOTE_DELAY_MS = 100;

/**
 * Leases in Redis; in the majority of them when there are several (Redlock). A lease is lost, and its signal fires,
 * when the servers say so, or when no renewal sent within the last three quarters of its life succeeded.
 *
 * Renewal goes on in a thread while this process's main loop is busy, but for at most those three quarters of a TTL:
 * a loop that stands still longer is taken for hung, and its lease runs out.
 * @throws internal `renewal_thread_failed`.
 */
export async function createRedisLeaseManager(options: RedisLeaseOptions): Promise<LeaseManager> {
  const { redis, podName, logger, startThread, ttlMs = DEFAULT_TTL_MS, renewMs = ttlMs / 4 } = options;
  const selfAbortMs = ttlMs * SELF_ABORT_SHARE;
  const renewer = await Renewer.start({
    urls: redis.urls,
    settings: redis.settings,
    ttlMs,
    renewMs,
    mainSilenceLimitMs: selfAbortMs,
    logger,
    startThread,
  });
  return new RedisLeaseManager(redis, podName, { ttlMs, selfAbortMs }, renewer);
}

class RedisLeaseManager implements LeaseManager {
  private readonly removal = new KeyRemoval();
  private readonly servers: readonly RedisServer[];
  private readonly quorum: number;

  constructor(
    private readonly redis: RedisConnections,
    private readonly podName: string,
    private readonly times: { ttlMs: number; selfAbortMs: number },
    private readonly renewer: Renewer,
  ) {
    this.servers = redis.servers;
    this.quorum = quorumOf(this.servers);
  }

  async acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null> {
    const key = leaseKey(this.redis.keyPrefix, run.repositoryId);
    const value = leaseValue({ ...run, podName: this.podName });
    for (let tries = 1; ; tries++) {
      // Before sending: whatever the answer takes is taken off the lease's life.
      const sentAt = monotonicMs();
      const replies = await askAll(this.servers, ({ client }) =>
        takeKey(client, key, value, this.times.ttlMs),
      );
      const taken = replies.answers.filter((answer) => answer.value).length;
      const isFresh = monotonicMs() - sentAt < this.times.selfAbortMs;
      if (taken >= this.quorum && isFresh) return this.hold(key, value, sentAt);
      await this.withdraw(replies, key, value);
      if (!this.isAnswered(replies) || taken >= this.quorum) throw leaseUnavailable(replies.failures);
      const isHeld = replies.answers.length - taken >= this.quorum;
      if (isHeld || tries === SPLIT_VOTE_TRIES) return null;
      await sleep(SPLIT_VOTE_DELAY_MS * (1 + Math.random()));
    }
  }

  async holderOf(repositoryId: string): Promise<LeaseHolder | null> {
    const key = leaseKey(this.redis.keyPrefix, repositoryId);
    const answers = this.answersOf(await askAll(this.servers, ({ client }) => client.get(key)));
    const held = answers.find(
      (value) => value !== null && answers.filter((other) => other === value).length >= this.quorum,
    );
    return held === undefined || held === null ? null : parseLeaseValue(held);
  }

  async list(): Promise<HeldLease[]> {
    const perServer = this.answersOf(
      await askAll(this.servers, ({ client }) => readLeases(client, this.redis.keyPrefix)),
    );
    return mergeLeases(perServer.flat(), this.quorum);
  }

  async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    const key = leaseKey(this.redis.keyPrefix, repositoryId);
    const replies = await askAll(this.servers, ({ client }) => removeKey(client, key, leaseValue(holder)));
    return this.answersOf(replies).filter(Boolean).length >= this.quorum;
  }

  async close(): Promise<void> {
    this.removal.close();
    await this.renewer.close();
  }

  private hold(key: string, value: string, sentAt: number): Lease {
    const provenAt = new SharedInstant();
    provenAt.set(sentAt);
    const stopRenewing = this.renewer.hold({ key, value, provenAt: provenAt.buffer }, () =>
      lease.lose('Redis says that this run does not hold it any more'),
    );
    const lease: RedisLease = new RedisLease({
      selfAbortMs: this.times.selfAbortMs,
      provenAt,
      stopRenewing,
      remove: () => this.removeFrom(this.servers, key, value),
    });
    return lease;
  }

  /** Where it was taken it is given back at once; where no answer came, it may have been taken too. */
  private async withdraw({ answers, failures }: Replies<boolean>, key: string, value: string): Promise<void> {
    for (const { server } of failures) this.removal.removeEventually(server, key, value);
    const takers = answers.filter((answer) => answer.value).map((answer) => answer.server);
    await this.removeFrom(takers, key, value);
  }

  private async removeFrom(servers: readonly RedisServer[], key: string, value: string): Promise<void> {
    const { failures } = await askAll(servers, ({ client }) => removeKey(client, key, value));
    for (const { server } of failures) this.removal.removeEventually(server, key, value);
  }

  private isAnswered({ failures }: Replies<unknown>): boolean {
    return failures.length <= this.servers.length - this.quorum;
  }

  private answersOf<T>(replies: Replies<T>): T[] {
    if (!this.isAnswered(replies)) throw leaseUnavailable(replies.failures);
    return replies.answers.map(({ value }) => value);
  }
}

function leaseUnavailable(failures: readonly Failure[]): RepotideError {
  const reason = describeFailures(failures) || 'the answer came too late';
  return new RepotideError(
    'temporary',
    'lease_unavailable',
    `Redis does not answer for leases (${reason}). Nothing starts until it does; check it and REDIS_URL.`,
    { details: { addresses: failures.map(({ server }) => server.address) } },
  );
}
