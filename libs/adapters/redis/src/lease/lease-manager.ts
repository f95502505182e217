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
import { leaseKey, leaseValue, parseLeaseValue, writeCheckKey } from '../keys.js';
import { removeKey, removeKeyEventually, takeKey } from '../owned-key.js';
import { sendToAll, describeFailures, quorumOf, type Failure, type Replies } from '../quorum.js';
import { type RedisServer } from '../redis-server.js';
import { RedisLease } from './redis-lease.js';
import { mergeLeases, readLeases } from './read-leases.js';
import { Renewer, type StartRenewalThread } from './renewer.js';
import { monotonicMs, SharedInstant } from './shared-instant.js';

export interface RedisLeaseOptions {
  redis: RedisConnections;
  podName: string;
  /** When an unrenewed lease expires. Default 60 s: event loops block for seconds; a dead pod is replaced within 80 s. */
  ttlMs?: number;
  /** Default: a quarter of the TTL, so that three renewals may fail. */
  renewMs?: number;
  logger: Logger;
  /** For tests, which do not run compiled files. */
  startThread?: StartRenewalThread;
}

const DEFAULT_TTL_MS = 60_000;
/** Like client-go's 10 s of 15 s: clocks may differ by a third. It is also Redlock's drift margin. */
const SELF_ABORT_SHARE = 3 / 4;
/** If no pod gets the majority, all withdraw and try again after a random delay. */
const SPLIT_VOTE_TRIES = 3;
const SPLIT_VOTE_DELAY_MS = 100;

/**
 * Leases in Redis; with several servers, in the majority of them (Redlock). A lease is lost, and its signal fires, when
 * the key has another value or when no renewal succeeded for three quarters of its TTL.
 *
 * A thread renews the leases while the event loop is blocked, but for at most three quarters of a TTL: a loop that is
 * blocked for longer counts as hung, and its leases expire.
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
  private readonly closing = new AbortController();
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
      // Before sending: the TTL may start at any time from now.
      const sentAt = monotonicMs();
      const replies = await sendToAll(this.servers, ({ client }) =>
        takeKey(client, key, value, this.times.ttlMs),
      );
      const taken = replies.successes.filter((success) => success.value).length;
      const isFresh = monotonicMs() - sentAt < this.times.selfAbortMs;
      if (taken >= this.quorum && isFresh) return this.hold(key, value, sentAt);
      await this.withdraw(replies, key, value);
      if (!this.hasQuorum(replies) || taken >= this.quorum) throw leaseUnavailable(replies.failures);
      const isHeld = replies.successes.length - taken >= this.quorum;
      if (isHeld || tries === SPLIT_VOTE_TRIES) return null;
      await sleep(SPLIT_VOTE_DELAY_MS * (1 + Math.random()));
    }
  }

  async holderOf(repositoryId: string): Promise<LeaseHolder | null> {
    const key = leaseKey(this.redis.keyPrefix, repositoryId);
    const successes = this.valuesOf(await sendToAll(this.servers, ({ client }) => client.get(key)));
    const held = successes.find(
      (value) => value !== null && successes.filter((other) => other === value).length >= this.quorum,
    );
    return held === undefined || held === null ? null : parseLeaseValue(held);
  }

  async checkHealth(): Promise<void> {
    const key = writeCheckKey(this.redis.keyPrefix);
    this.valuesOf(await sendToAll(this.servers, ({ client }) => client.set(key, this.podName, 'PX', 1_000)));
  }

  async list(): Promise<HeldLease[]> {
    const perServer = this.valuesOf(
      await sendToAll(this.servers, ({ client }) => readLeases(client, this.redis.keyPrefix)),
    );
    return mergeLeases(perServer.flat(), this.quorum);
  }

  async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    const key = leaseKey(this.redis.keyPrefix, repositoryId);
    const replies = await sendToAll(this.servers, ({ client }) => removeKey(client, key, leaseValue(holder)));
    return this.valuesOf(replies).filter(Boolean).length >= this.quorum;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.renewer.close();
  }

  private hold(key: string, value: string, sentAt: number): Lease {
    const provenAt = new SharedInstant();
    provenAt.set(sentAt);
    const stopRenewing = this.renewer.hold({ key, value, provenAt: provenAt.buffer }, () =>
      lease.lose('its key in Redis has another value or is missing'),
    );
    const lease: RedisLease = new RedisLease({
      selfAbortMs: this.times.selfAbortMs,
      provenAt,
      stopRenewing,
      remove: () => this.removeFrom(this.servers, key, value),
    });
    return lease;
  }

  /** A server that did not reply may have granted the lease. */
  private async withdraw(
    { successes, failures }: Replies<boolean>,
    key: string,
    value: string,
  ): Promise<void> {
    this.removeEventually(failures, key, value);
    const takers = successes.filter((success) => success.value).map((success) => success.server);
    await this.removeFrom(takers, key, value);
  }

  private async removeFrom(servers: readonly RedisServer[], key: string, value: string): Promise<void> {
    const { failures } = await sendToAll(servers, ({ client }) => removeKey(client, key, value));
    this.removeEventually(failures, key, value);
  }

  private removeEventually(failures: readonly Failure[], key: string, value: string): void {
    for (const { server } of failures)
      void removeKeyEventually(server.client, key, value, this.closing.signal);
  }

  private hasQuorum({ failures }: Replies<unknown>): boolean {
    return failures.length <= this.servers.length - this.quorum;
  }

  private valuesOf<T>(replies: Replies<T>): T[] {
    if (!this.hasQuorum(replies)) throw leaseUnavailable(replies.failures);
    return replies.successes.map(({ value }) => value);
  }
}

function leaseUnavailable(failures: readonly Failure[]): RepotideError {
  const reason = describeFailures(failures) || 'the reply came too late';
  const message =
    `Redis does not respond, so leases are unavailable (${reason}). No run starts until it does. Check that Redis runs ` +
    'and that REDIS_URL is its address.';
  const details = { addresses: failures.map(({ server }) => server.address) };
  return new RepotideError('temporary', 'lease_unavailable', message, { details });
}
