import { randomUUID } from 'node:crypto';
import {
  groupBy,
  type WaitReason,
  type HostBudget,
  type Logger,
  type RateLimitReply,
  type RateLimitHeaders,
  type RateLimitStore,
  type RateLimitTicket,
} from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { limiterKeys, limiterPodsKey, limiterWakeUpChannel } from '../keys.js';
import { limiterUnavailable } from '../redis-error.js';
import { Subscription } from '../subscription.js';
import { ANNOUNCE, ACQUIRE, CANCEL, PAUSE, RELEASE, RENEW } from './scripts.js';

export interface RedisRateLimitOptions {
  redis: RedisConnections;
  podName: string;
  /** The window of requests per window. */
  windowMs: number;
  /** When the slots of a silent owner expire; at least three times the renewal interval. Default 30 s. */
  slotTtlMs?: number;
  logger: Logger;
}

/** Wake-ups arrive at once; this bounds the wait after a lost one. */
const MAX_POLL_MS = 1_000;
/** A ticket whose owner has not polled for this long is removed from the queue. */
const PLACE_TTL_MS = 3 * MAX_POLL_MS;
/** A limit from a header applies for this long. */
const HEADER_LIMIT_TTL_MS = 600_000;
/** A process that was silent for this long gets no share of the limits. */
const PROCESS_TTL_MS = 30_000;

/** Slots and queues of all pods, in Redis; those of a dead pod expire. */
export async function createRedisRateLimitStore(options: RedisRateLimitOptions): Promise<RateLimitStore> {
  const store = new RedisRateLimitStore(options);
  await store.renew([]);
  return store;
}

class RedisRateLimitStore implements RateLimitStore {
  private readonly channel: string;
  private readonly wakeUps: Subscription;
  private readonly slotTtlMs: number;
  /** Distinguishes this process from an earlier one with the same pod name. */
  private readonly self: string;
  private processCount = 1;
  private wakeUp: (ticketId: string) => void = () => undefined;
  private isClosed = false;

  constructor(private readonly options: RedisRateLimitOptions) {
    const { redis, logger, podName, slotTtlMs = 30_000 } = options;
    this.channel = limiterWakeUpChannel(redis.keyPrefix);
    this.wakeUps = new Subscription(redis, this.channel, 'limiter', logger, (ticketId) =>
      this.wakeUp(ticketId),
    );
    this.slotTtlMs = slotTtlMs;
    this.self = `${podName}:${randomUUID()}`;
  }

  async acquire({ id, budget, limits, isUrgent }: RateLimitTicket): Promise<RateLimitReply> {
    const { redis, windowMs } = this.options;
    const ttls = [windowMs, this.slotTtlMs, PLACE_TTL_MS];
    const args = [id, limits.requests, limits.concurrency, ...ttls, isUrgent ? 1 : 0];
    const reply = await this.run(ACQUIRE, budget, args);
    // A proxy that mixes up the bytes of a connection must not fail a run.
    if (!Array.isArray(reply))
      throw limiterUnavailable(redis.primary.address, 'it sent the reply of another command', reply);
    const [isGranted, reason, untilRoomMs, processes] = reply as [number, WaitReason, number, number];
    // The next request may find Redis down, so its share must count the pods that joined since the last renewal.
    // Redis knows none after it lost its data.
    if (processes > 0) this.processCount = processes;
    if (isGranted === 1) return { kind: 'granted' };
    if (!this.isClosed) this.wakeUps.open();
    const waitMs = untilRoomMs < 0 ? null : untilRoomMs;
    return { kind: 'queued', reason, waitMs, retryInMs: Math.min(waitMs ?? Infinity, MAX_POLL_MS) };
  }

  async cancel({ id, budget }: RateLimitTicket): Promise<void> {
    await this.run(CANCEL, budget, [id]);
  }

  async release({ id, budget }: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void> {
    const { limit, remaining, resetMs } = headers ?? { limit: null, remaining: null, resetMs: null };
    const values = [limit ?? -1, remaining ?? -1, Math.ceil(resetMs ?? -1)];
    await this.run(RELEASE, budget, [id, this.options.windowMs, ...values, HEADER_LIMIT_TTL_MS]);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    await this.run(PAUSE, budget, [Math.max(1, Math.ceil(ms))]);
  }

  async renew(tickets: readonly RateLimitTicket[]): Promise<void> {
    const byBudget = groupBy(tickets, ({ budget }) => limiterKeys('', budget).join());
    const times = [this.options.windowMs, this.slotTtlMs];
    const renewals = [...byBudget.values()].map((same) =>
      this.run(RENEW, same[0]!.budget, [...times, ...same.map(({ id }) => id)]),
    );
    await Promise.all([this.announce(), ...renewals]);
  }

  onWakeUp(listener: (ticketId: string) => void): void {
    this.wakeUp = listener;
  }

  processes(): number {
    return this.processCount;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.wakeUps.close();
  }

  /** Never throws: while Redis is down the last known number of processes is used. */
  private async announce(): Promise<void> {
    const { primary, keyPrefix } = this.options.redis;
    try {
      const key = limiterPodsKey(keyPrefix);
      this.processCount = Number(await primary.client.eval(ANNOUNCE, 1, key, this.self, PROCESS_TTL_MS));
    } catch (error) {
      const reason = primary.reasonOf(error);
      this.options.logger.debug({ reason }, 'processes that share the rate limits were not counted');
    }
  }

  private async run(script: string, budget: HostBudget, args: (string | number)[]): Promise<unknown> {
    const { primary, keyPrefix } = this.options.redis;
    const keys = limiterKeys(keyPrefix, budget);
    try {
      return await primary.client.eval(script, keys.length, ...keys, this.channel, ...args);
    } catch (error) {
      throw limiterUnavailable(primary.address, primary.reasonOf(error), error);
    }
  }
}
