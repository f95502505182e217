import { randomUUID } from 'node:crypto';
import {
  type HoldReason,
  type HostBudget,
  type RateLimitHeaders,
  type RateLimitAnswer,
  type RateLimitStore,
  type RateLimitTicket,
  type Logger,
} from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { limiterKeys, limiterPodsKey, limiterTurnChannel } from '../keys.js';
import { limiterUnavailable } from '../redis-error.js';
import { ANNOUNCE, ANSWERED, ASK, LEAVE, PAUSE, RELEASE, RENEW } from './scripts.js';
import { TurnNews } from './turn-news.js';

export interface RedisLimiterOptions {
  redis: RedisConnections;
  podName: string;
  /** The time that limits are given for. */
  windowMs: number;
  /** Life of a slot whose owner is not heard of; renew three times in it. Default 30 s. */
  slotLifeMs?: number;
  logger: Logger;
}

export interface RedisRateLimitStore extends RateLimitStore {
  /** Processes that share the book, as last heard. */
  pods(): number;
}

const SLOT_LIFE_MS = 30_000;
/** News of a turn come at once; in case they were lost it is asked for as often. */
const ASK_AGAIN_MS = 1_000;
/** Who has not asked for so long has gone: three times as long as anybody sleeps. */
const PLACE_LIFE_MS = 3 * ASK_AGAIN_MS;
/** What a host once said about its limit is believed for so long. */
const BELIEVED_MS = 600_000;

/** A pod that has not announced itself for so long takes no share any more. */
const POD_LIFE_MS = 30_000;
const ANNOUNCE_MS = 10_000;

/** Slots and lines of all pods, in Redis; a pod that dies gives up its slots and places by not renewing them. */
export async function createRedisLimiterBook(options: RedisLimiterOptions): Promise<RedisRateLimitStore> {
  const book = new Book(options);
  await book.announce();
  return book;
}

class Book implements RedisRateLimitStore {
  private readonly turns: TurnNews;
  private readonly channel: string;
  private readonly slotLifeMs: number;
  /** Tells this process from the one before it under the same pod name. */
  private readonly self: string;
  private readonly announcing: NodeJS.Timeout;
  private podCount = 1;

  constructor(private readonly options: RedisLimiterOptions) {
    const { redis, logger, slotLifeMs = SLOT_LIFE_MS } = options;
    this.channel = limiterTurnChannel(redis.keyPrefix);
    this.turns = new TurnNews(redis, this.channel, logger);
    this.slotLifeMs = slotLifeMs;
    this.self = `${options.podName}:${randomUUID()}`;
    this.announcing = setInterval(() => void this.announce(), ANNOUNCE_MS).unref();
  }

  /** Never throws: how many share matters when they cannot any more, and then the last number counts. */
  async announce(): Promise<void> {
    const { primary, keyPrefix } = this.options.redis;
    try {
      const key = limiterPodsKey(keyPrefix);
      this.podCount = Number(await primary.client.eval(ANNOUNCE, 1, key, this.self, POD_LIFE_MS));
    } catch (error) {
      this.options.logger.debug({ reason: primary.reasonOf(error) }, 'limiter: pods not counted');
    }
  }

  async ask({ id, budget, limits, isUrgent }: RateLimitTicket): Promise<RateLimitAnswer> {
    const { windowMs } = this.options;
    const times = [windowMs, this.slotLifeMs, PLACE_LIFE_MS];
    const asked = [id, limits.requests, limits.concurrency, ...times, isUrgent ? 1 : 0];
    const reply = await this.run(ASK, budget, asked);
    const [isGranted, why, waitMs, pods] = reply as [number, HoldReason, number, number];
    this.podCount = Math.max(1, pods);
    if (isGranted === 1) return { kind: 'granted' };
    this.turns.listen();
    const known = waitMs < 0 ? null : waitMs;
    return { kind: 'held', why, waitMs: known, askAgainMs: Math.min(known ?? Infinity, ASK_AGAIN_MS) };
  }

  async leave({ id, budget }: RateLimitTicket): Promise<void> {
    await this.run(LEAVE, budget, [id]);
  }

  async answered({ id, budget }: RateLimitTicket, told: RateLimitHeaders | null): Promise<void> {
    const words = [told?.limit ?? -1, told?.remaining ?? -1, Math.ceil(told?.resetMs ?? -1)];
    await this.run(ANSWERED, budget, [id, this.options.windowMs, ...words, BELIEVED_MS]);
  }

  async release({ id, budget }: RateLimitTicket): Promise<void> {
    await this.run(RELEASE, budget, [id, this.options.windowMs]);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    await this.run(PAUSE, budget, [Math.max(1, Math.ceil(ms))]);
  }

  async renew(tickets: readonly RateLimitTicket[]): Promise<void> {
    const byBudget = new Map<string, RateLimitTicket[]>();
    for (const ticket of tickets) {
      const key = limiterKeys('', ticket.budget).join();
      byBudget.set(key, [...(byBudget.get(key) ?? []), ticket]);
    }
    const { windowMs } = this.options;
    await Promise.all(
      [...byBudget.values()].map((together) =>
        this.run(RENEW, together[0]!.budget, [windowMs, this.slotLifeMs, ...together.map(({ id }) => id)]),
      ),
    );
  }

  onTurn(listener: (ticketId: string) => void): void {
    this.turns.onTurn = listener;
  }

  pods(): number {
    return this.podCount;
  }

  async close(): Promise<void> {
    clearInterval(this.announcing);
    this.turns.close();
  }

  private async run(script: string, budget: HostBudget, args: (string | number)[]): Promise<unknown> {
    const { primary, keyPrefix } = this.options.redis;
    const keys = [...limiterKeys(keyPrefix, budget), limiterPodsKey(keyPrefix)];
    try {
      return await primary.client.eval(script, keys.length, ...keys, this.channel, ...args);
    } catch (error) {
      throw limiterUnavailable(primary.address, primary.reasonOf(error), error);
    }
  }
}
