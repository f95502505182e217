import { type Clock } from '@core/domain';

/** What a caller may still do. */
export interface RateVerdict {
  isAllowed: boolean;
  /** Requests left at this moment. */
  remaining: number;
  /** Until all of the limit is there again. */
  resetSeconds: number;
  /** Until one more request is allowed; 0 when it is. */
  retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Callers beyond this are looked through for those that have their whole limit back. */
const SWEEP_FROM = 1_000;

/**
 * A token bucket for each caller: a minute's worth may come at once, then as many as flow in. In this process only, so
 * with n pods a caller may do up to n times as much.
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
      // Full again, so as good as new.
      if (now - atMs >= 60_000) this.buckets.delete(callerId);
    }
  }
}
