import { randomUUID } from 'node:crypto';
import { type LeaderElection, type Logger } from '@core/domain';
import { type RedisConnections } from './connect-redis.js';
import { leaderKey } from './keys.js';
import { monotonicMs } from './lease/shared-instant.js';
import { removeKey } from './owned-key.js';
import { type RedisServer } from './redis-server.js';

export interface RedisLeaderOptions {
  redis: RedisConnections;
  podName: string;
  logger: Logger;
  /** Life of an unrenewed office, so the longest time without a leader after a crash. Default 10 s. */
  ttlMs?: number;
  /** Default 3 s: two renewals may fail before the third is too late. */
  renewMs?: number;
  /** How often a stand-by tries, stretched by up to a fifth at random (client-go's). Default 2 s. */
  tryMs?: number;
}

const DEFAULTS = { ttlMs: 10_000, renewMs: 3_000, tryMs: 2_000 };
const JITTER = 0.2;
/** As for leases: clocks may run a third apart. */
const TRUSTED_SHARE = 3 / 4;
/** A key that is about to end is tried for this much later than Redis said. */
const EXPIRY_SLACK_MS = 20;

/**
 * `SET NX PX` and the renewal in one script, so that repeating it after a lost reply finds its own success.
 * Returns -1 for the leader, else the milliseconds that the office is still taken; of a key without end, set by hand,
 * it is as if renewed just now.
 */
const CLAIM = `
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return -1 end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return -1 end
local left = redis.call('PTTL', KEYS[1])
return left < 0 and tonumber(ARGV[2]) or left`;

/**
 * Elects one pod for the chores; the first attempt has been made when this resolves. A stand-by takes over as soon as
 * the office of a dead leader ends, or within one try after the leader stepped down.
 */
export async function createRedisLeaderElection(options: RedisLeaderOptions): Promise<LeaderElection> {
  const election = new RedisLeaderElection(options);
  await election.takePart();
  return election;
}

class RedisLeaderElection implements LeaderElection {
  private readonly server: RedisServer;
  private readonly key: string;
  /** Tells this process from the one before it under the same pod name. */
  private readonly value: string;
  private readonly times: typeof DEFAULTS;
  private provenAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | null = null;
  private hasLeft = false;
  private wasLeader = false;

  constructor(private readonly options: RedisLeaderOptions) {
    this.server = options.redis.primary;
    this.key = leaderKey(options.redis.keyPrefix);
    this.value = `${options.podName}:${randomUUID()}`;
    const { ttlMs, renewMs, tryMs } = { ...DEFAULTS, ...options };
    this.times = { ttlMs, renewMs, tryMs };
  }

  isLeader(): boolean {
    return !this.hasLeft && monotonicMs() - this.provenAt < this.times.ttlMs * TRUSTED_SHARE;
  }

  async leader(): Promise<string | null> {
    try {
      const value = await this.server.client.get(this.key);
      return value === null ? null : value.slice(0, Math.max(0, value.lastIndexOf(':')));
    } catch {
      return null; // Unknown; the port has no other word for it.
    }
  }

  async stepDown(): Promise<void> {
    this.hasLeft = true;
    clearTimeout(this.timer);
    // A claim under way would otherwise take the office back after it was given up.
    await this.current;
    await removeKey(this.server.client, this.key, this.value).catch((error: unknown) => {
      const fields = { reason: this.server.reasonOf(error) };
      this.options.logger.warn(fields, 'leader office not given back; it ends by itself');
    });
  }

  /** One attempt, and the timer for the next. */
  async takePart(): Promise<void> {
    this.current = this.claim().then((waitMs) => {
      if (!this.hasLeft) this.timer = setTimeout(() => void this.takePart(), waitMs).unref();
    });
    await this.current;
  }

  /** @returns milliseconds until the next attempt. */
  private async claim(): Promise<number> {
    const { ttlMs, renewMs, tryMs } = this.times;
    const untilTry = tryMs * (1 + Math.random() * JITTER);
    const sentAt = monotonicMs();
    try {
      const takenForMs = Number(await this.server.client.eval(CLAIM, 1, this.key, this.value, ttlMs));
      if (takenForMs < 0) this.provenAt = sentAt;
      else this.provenAt = -Infinity;
      this.tell();
      return takenForMs < 0 ? renewMs : Math.min(untilTry, takenForMs + EXPIRY_SLACK_MS);
    } catch (error) {
      this.options.logger.debug({ reason: this.server.reasonOf(error) }, 'leader election: no answer');
      this.tell();
      return untilTry;
    }
  }

  private tell(): void {
    const isLeader = this.isLeader();
    if (isLeader !== this.wasLeader && !this.hasLeft) {
      this.options.logger.info({ leader: isLeader }, isLeader ? 'leading' : 'leading no more');
    }
    this.wasLeader = isLeader;
  }
}
