import { isRetryable, type Logger, type RepotideError, throwIfAborted } from '@core/domain';
import { retriesExhausted } from './failure.js';

/** GitLab's own windows last a minute. A longer wait belongs to the next run, not to a sleeping one. */
const LONGEST_WAIT_MS = 120_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Spreads callers that were all told the same instant. */
const TOLD_SPREAD_MS = 1000;
/** A 500 is more often a bug that stays than a hiccup that passes. */
const MAX_RETRIES_OF_500 = 2;
/**
 * A run may repeat a tenth of its requests, the share that Google's Site Reliability Engineering (chapter 21, "Handling
 * Overload") gives a client, so that a host in trouble is not asked three times as much; and a few, when it is short.
 */
const RETRY_SHARE = 0.1;
const RETRIES_IN_ANY_CASE = 30;

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

/** Decides whether and when a failed call is repeated. One per source, so that its retries are counted together. */
export class Pacing {
  #retries = 0;

  constructor(private readonly options: PacingOptions) {}

  get retries(): number {
    return this.#retries;
  }

  /**
   * Waits until the failed call may be repeated. After a rate limit that is at once: the host's budget holds it back.
   * @param retries of this call so far.
   * @param requests of the source so far.
   * @throws the failure itself when repeating is over or useless.
   */
  async waitToRepeat(
    failure: RepotideError,
    retries: number,
    requests: number,
    signal: AbortSignal,
  ): Promise<void> {
    const waitMs = this.#waitBeforeRepeating(failure, retries);
    const isTooLong = Math.max(waitMs, this.#msUntil(failure.retryAt)) > LONGEST_WAIT_MS;
    if (!isRetryable(failure) || retries >= this.#maxRetries(failure) || isTooLong) throw failure;
    if (this.#retries >= RETRIES_IN_ANY_CASE + requests * RETRY_SHARE)
      throw retriesExhausted(failure, this.#retries);
    this.#retries += 1;
    const { code, details } = failure;
    this.options.logger.warn(
      { code, ...details, retries, wait_ms: waitMs },
      'GitLab request will be repeated',
    );
    if (failure.kind !== 'rate_limited') await this.#sleep(waitMs, signal);
  }

  #maxRetries(failure: RepotideError): number {
    const { maxRetries } = this.options;
    return failure.details['status'] === 500 ? Math.min(maxRetries, MAX_RETRIES_OF_500) : maxRetries;
  }

  #waitBeforeRepeating(failure: RepotideError, retries: number): number {
    if (failure.kind === 'rate_limited') return 0;
    if (failure.retryAt !== undefined) {
      return Math.ceil(this.#msUntil(failure.retryAt) + this.options.random() * TOLD_SPREAD_MS);
    }
    // All of it random: callers that failed together come back one by one.
    const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries);
    return Math.ceil(backoffMs * this.options.random());
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
