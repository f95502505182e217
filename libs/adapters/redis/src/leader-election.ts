import { randomUUID } from 'node:crypto';
import { type LeaderElection, type Logger } from '@core/domain';
import { type RedisConnections } from './connect-redis.js';
import { leaderKey } from './keys.js';
import { monotonicMs } from './lease/shared-instant.js';
import { removeKey } from './owned-key.js';
import { type RedisServer } from './redis-server.js';

interface RedisLeaderOptions {
  redis: RedisConnections;
  podName: string;
  logger: Logger;
  /** Whether this pod can do the chores; a leader that cannot resigns. Default: always. */
  isFit?: () => Promise<boolean>;
  /** When an unrenewed leadership expires: the longest time without a leader after a crash. Default 10 s. */
  ttlMs?: number;
  /** Default 3 s, so that two renewals may fail. */
  renewMs?: number;
  /** How often a stand-by tries, plus up to a fifth at random (as client-go does). Default 2 s. */
  tryMs?: number;
}

const JITTER = 0.2;
/** Like for leases: clocks may differ by a third. */
const TRUSTED_SHARE = 3 / 4;
/** A stand-by tries this long after the leadership should have expired. */
const EXPIRY_MARGIN_MS = 20;

/**
 * `SET NX PX` and renewal in one script, so that a repetition after a lost reply succeeds. Returns -1 for the leader, else
 * the milliseconds until the leadership of another pod expires; a key without expiry, set by hand, counts as just renewed.
 */
const CLAIM = `
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return -1 end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return -1 end
local left = redis.call('PTTL', KEYS[1])
return left < 0 and tonumber(ARGV[2]) or left`;

/**
 * Elects one pod for the chores; the first attempt has been made when this resolves. A stand-by takes over when the
 * leadership of a dead leader expires, or within `tryMs` after the leader stepped down.
 */
export async function createRedisLeaderElection(options: RedisLeaderOptions): Promise<LeaderElection> {
  const election = new RedisLeaderElection(options);
  await election.tryOnce();
  return election;
}

class RedisLeaderElection implements LeaderElection {
  private readonly server: RedisServer;
  private readonly key: string;
  /** Distinguishes this process from an earlier one with the same pod name. */
  private readonly value: string;
  private readonly times: { ttlMs: number; renewMs: number; tryMs: number };
  private provenAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | null = null;
  private hasLeft = false;
  private wasLeader = false;

  constructor(private readonly options: RedisLeaderOptions) {
    const { redis, podName, ttlMs = 10_000, renewMs = 3_000, tryMs = 2_000 } = options;
    this.server = redis.primary;
    this.key = leaderKey(redis.keyPrefix);
    this.value = `${podName}:${randomUUID()}`;
    this.times = { ttlMs, renewMs, tryMs };
  }

  isLeader(): boolean {
    return !this.hasLeft && monotonicMs() - this.provenAt < this.times.ttlMs * TRUSTED_SHARE;
  }

  async leader(): Promise<string | null> {
    const value = await this.server.client.get(this.key).catch(() => null);
    return value === null ? null : value.slice(0, Math.max(0, value.lastIndexOf(':')));
  }

  async stepDown(): Promise<void> {
    this.hasLeft = true;
    clearTimeout(this.timer);
    // A claim in flight would take the leadership back.
    await this.current;
    await removeKey(this.server.client, this.key, this.value).catch((error: unknown) => {
      const fields = { reason: this.server.reasonOf(error) };
      this.options.logger.warn(fields, 'leadership was not released; it expires');
    });
  }

  /** Makes one attempt, and starts the timer for the next. */
  async tryOnce(): Promise<void> {
    this.current = this.claim().then((waitMs) => {
      if (!this.hasLeft) this.timer = setTimeout(() => void this.tryOnce(), waitMs).unref();
    });
    await this.current;
  }

  /** @returns milliseconds until the next attempt. */
  private async claim(): Promise<number> {
    const { ttlMs, renewMs, tryMs } = this.times;
    const retryMs = tryMs * (1 + Math.random() * JITTER);
    try {
      if (!(await this.isFit())) return await this.resign(retryMs);
      const sentAt = monotonicMs();
      const takenForMs = Number(await this.server.client.eval(CLAIM, 1, this.key, this.value, ttlMs));
      this.provenAt = takenForMs < 0 ? sentAt : -Infinity;
      return takenForMs < 0 ? renewMs : Math.min(retryMs, takenForMs + EXPIRY_MARGIN_MS);
    } catch (error) {
      this.options.logger.debug({ reason: this.server.reasonOf(error) }, 'leader election got no reply');
      return retryMs;
    } finally {
      this.logChange();
    }
  }

  private isFit(): Promise<boolean> {
    return this.options.isFit?.() ?? Promise.resolve(true);
  }

  /** Gives up the leadership at once and tries again later. */
  private async resign(retryMs: number): Promise<number> {
    if (this.provenAt > -Infinity) await removeKey(this.server.client, this.key, this.value);
    this.provenAt = -Infinity;
    return retryMs;
  }

  private logChange(): void {
    const isLeader = this.isLeader();
    if (isLeader !== this.wasLeader && !this.hasLeft)
      this.options.logger.info(
        { leader: isLeader },
        isLeader ? 'this pod is the leader' : 'this pod is no longer the leader',
      );
    this.wasLeader = isLeader;
  }
}
