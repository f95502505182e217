import { type Clock } from '@core/domain';

export interface RateVerdict {
  isAllowed: boolean;
  /** Requests allowed at this moment. */
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until another request is allowed; 0 if this one is allowed. */
  retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** With more buckets than this, full ones are deleted. */
const SWEEP_FROM = 1_000;

/**
 * A token bucket for each caller. A caller may use a whole minute's limit at once; after that the bucket refills at the
 * limit's rate. The limit applies to each process: with n pods a caller may send up to n times as many requests.
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

  take(callerId: string): RateVerdict {
    const now = this.clock.monotonicMs();
    const bucket = this.filled(callerId, now);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    this.buckets.set(callerId, bucket);
    this.sweep(now);
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((this.perMinute - bucket.tokens) / this.perMs / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.ceil((1 - bucket.tokens) / this.perMs / 1000),
    };
  }

  private filled(callerId: string, now: number): Bucket {
    const found = this.buckets.get(callerId);
    if (!found) return { tokens: this.perMinute, atMs: now };
    return { tokens: Math.min(this.perMinute, found.tokens + (now - found.atMs) * this.perMs), atMs: now };
  }

  private sweep(now: number): void {
    if (this.buckets.size < SWEEP_FROM) return;
    for (const [callerId, { atMs }] of this.buckets) {
      // A full bucket equals a new one.
      if (now - atMs >= 60_000) this.buckets.delete(callerId);
    }
  }
}
