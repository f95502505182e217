import { type Clock, type RateVerdict } from '@core/domain';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** With more buckets than this, the oldest is deleted: the number of callers must not decide the size of the memory. */
const MOST_BUCKETS = 20_000;

/**
 * A token bucket for each key, in this process. A key may use a whole minute's limit at once; after that the bucket
 * refills at the limit's rate.
 */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;

  /** @param perMinute 0 for no limit. */
  constructor(
    readonly perMinute: number,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.perMs = perMinute / 60_000;
  }

  take(key: string): RateVerdict {
    const bucket = this.filled(key);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    this.keep(key, bucket);
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((this.perMinute - bucket.tokens) / this.perMs / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.ceil((1 - bucket.tokens) / this.perMs / 1000),
    };
  }

  /** Undoes one `take`. */
  giveBack(key: string): void {
    const bucket = this.filled(key);
    bucket.tokens = Math.min(this.perMinute, bucket.tokens + 1);
    this.keep(key, bucket);
  }

  /** Refuses the key for this long, because another process saw too many of its requests. */
  block(key: string, seconds: number): void {
    const bucket = this.filled(key);
    this.keep(key, { ...bucket, tokens: Math.min(bucket.tokens, 1 - seconds * 1000 * this.perMs) });
  }

  private filled(key: string): Bucket {
    const now = this.clock.monotonicMs();
    const found = this.buckets.get(key);
    if (!found) return { tokens: this.perMinute, atMs: now };
    return { tokens: Math.min(this.perMinute, found.tokens + (now - found.atMs) * this.perMs), atMs: now };
  }

  /** The map is in the order of the last use, so the first bucket is the one that has refilled most. */
  private keep(key: string, bucket: Bucket): void {
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    for (const [oldest, { atMs }] of this.buckets) {
      // A full bucket equals a new one.
      if (this.buckets.size <= MOST_BUCKETS && bucket.atMs - atMs < 60_000) return;
      this.buckets.delete(oldest);
    }
  }
}
