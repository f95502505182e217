import { isRetryable, type Logger, type RepotideError, throwIfAborted } from '@core/domain';

/** GitLab's own windows last a minute. A longer wait belongs to the next run, not to a sleeping one. */
const LONGEST_WAIT_MS = 120_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Spreads callers that were all told the same instant. */
const RATE_LIMIT_SPREAD_MS = 1000;
/** A 500 is more often a bug that stays than a hiccup that passes. */
const MAX_RETRIES_OF_500 = 2;

export interface PacingOptions {
  /** Repetitions of one call, whatever their causes. */
  maxRetries: number;
  logger: Logger;
  now(): Date;
  /** Resolves after `ms`, rejects when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Decides when a source may ask again. One per source, so that all its calls rest together when quota is used up. */
export class Pacing {
  #quotaUsedUp: RepotideError | null = null;

  constructor(private readonly options: PacingOptions) {}

  /** @throws the rate limit's own error when quota returns too late to wait for it. */
  async waitForQuota(signal: AbortSignal): Promise<void> {
    const reason = this.#quotaUsedUp;
    if (reason === null) return;
    if (this.#msUntil(reason.retryAt) <= 0) {
      this.#quotaUsedUp = null;
      return;
    }
    const waitMs = this.#waitBeforeRepeating(reason, 0);
    if (waitMs > LONGEST_WAIT_MS) throw reason;
    await this.#sleep(waitMs, signal);
  }

  /** Waits until the failed call may be repeated. @throws the failure itself when repeating is over or useless. */
  async waitToRepeat(failure: RepotideError, retries: number, signal: AbortSignal): Promise<void> {
    if (failure.kind === 'rate_limited') this.#quotaUsedUp = failure;
    const waitMs = this.#waitBeforeRepeating(failure, retries);
    if (!isRetryable(failure) || retries >= this.#maxRetries(failure) || waitMs > LONGEST_WAIT_MS)
      throw failure;
    const { code, details } = failure;
    this.options.logger.warn(
      { code, ...details, retries, wait_ms: waitMs },
      'GitLab request will be repeated',
    );
    await this.#sleep(waitMs, signal);
  }

  #maxRetries(failure: RepotideError): number {
    const { maxRetries } = this.options;
    return failure.details['status'] === 500 ? Math.min(maxRetries, MAX_RETRIES_OF_500) : maxRetries;
  }

  #waitBeforeRepeating(failure: RepotideError, retries: number): number {
    if (failure.retryAt !== undefined) {
      return Math.ceil(this.#msUntil(failure.retryAt) + this.options.random() * RATE_LIMIT_SPREAD_MS);
    }
    const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries);
    return Math.ceil(backoffMs * (0.5 + this.options.random() / 2));
  }

  #msUntil(instant: Date | undefined): number {
    return Math.max(0, (instant?.getTime() ?? 0) - this.options.now().getTime());
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.options.sleep(ms, signal);
    } finally {
      throwIfAborted(signal);
    }
  }
}
