import { type Logger, type RateVerdict, RequestLimits } from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { requestLimitKey } from '../keys.js';

const WINDOW_MS = 60_000;
/** A request does not wait longer than this for Redis. */
const PATIENCE_MS = 500;
/** After a failure Redis is not used for this long, so that an outage does not delay every request. */
const PAUSE_MS = 10_000;

/**
 * KEYS: the key. ARGV: requests per minute. Returns allowed (1 or 0), and ms until the full limit is available again.
 * The value is that time (the "theoretical arrival time" of the generic cell rate algorithm), on the clock of Redis.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval, window = ${WINDOW_MS} / tonumber(ARGV[1]), ${WINDOW_MS}
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
-- Half a millisecond, because the sum of many intervals is not exact.
if full_at + interval - now > window + 0.5 then return {0, math.ceil(full_at - now)} end
full_at = full_at + interval
redis.call('SET', KEYS[1], string.format('%.3f', full_at), 'PX', math.ceil(full_at - now))
return {1, math.ceil(full_at - now)}`;

/** The limits of the API, counted in Redis, with one small key for each caller that was active in the last minute. */
export class RedisRequestLimits extends RequestLimits {
  private pausedUntilMs = 0;

  constructor(
    private readonly redis: RedisConnections,
    private readonly logger: Logger,
  ) {
    super();
  }

  async take(key: string, perMinute: number): Promise<RateVerdict | null> {
    if (performance.now() < this.pausedUntilMs) return null;
    const { primary, keyPrefix } = this.redis;
    try {
      const answer = await Promise.race([
        primary.client.eval(TAKE, 1, requestLimitKey(keyPrefix, key), perMinute),
        silence(),
      ]);
      const [allowed, usedMs] = answer as [number, number];
      return verdictOf(allowed === 1, usedMs, WINDOW_MS / perMinute);
    } catch (error) {
      this.pausedUntilMs = performance.now() + PAUSE_MS;
      const message = 'API requests are counted by each pod alone, because Redis does not answer';
      this.logger.warn({ reason: primary.reasonOf(error) }, message);
      return null;
    }
  }
}

function silence(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS).unref();
  });
}

function verdictOf(isAllowed: boolean, usedMs: number, intervalMs: number): RateVerdict {
  const freeMs = WINDOW_MS - usedMs;
  return {
    isAllowed,
    remaining: isAllowed ? Math.max(0, Math.floor(freeMs / intervalMs)) : 0,
    resetSeconds: Math.ceil(usedMs / 1000),
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((intervalMs - freeMs) / 1000)),
  };
}
