import { setTimeout as delay } from 'node:timers/promises';
import { isRetryable, type Logger, type RepotideError, systemClock, throwIfAborted } from '@core/domain';
import { retriesExhausted } from './failure.js';

/** GitLab's windows last a minute. After a longer pause the next run tries again. */
const LONGEST_WAIT_MS = 120_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Spreads the requests of callers that got the same time from `Retry-After`. */
const RETRY_AFTER_JITTER_MS = 1000;
/** A 500 is more often a permanent bug than a temporary fault. */
const MAX_RETRIES_OF_500 = 2;
/**
 * A run may repeat a tenth of its requests, the share that Google's Site Reliability Engineering (chapter 21, "Handling
 * Overload") gives a client, so that an overloaded host does not get three times the load. A short run may repeat a few.
 */
const RETRY_SHARE = 0.1;
const MIN_RETRIES_PER_RUN = 30;

export interface RetryPolicyOptions {
  /** Repetitions of one call after its first failure. */
  maxRetries: number;
  logger: Logger;
  /** Resolves after `ms`, rejects when the signal fires; real time unless given. */
  sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Decides whether and when a failed call is repeated. Each source has one, which counts the retries of its run. */
export class RetryPolicy {
  #retries = 0;

  constructor(private readonly options: RetryPolicyOptions) {}

  get retries(): number {
    return this.#retries;
  }

  /**
   * Waits until the failed call may be repeated. After a rate limit it returns at once: the host's budget delays the
   * next request.
   * @param retries of this call so far.
   * @param requests of the source so far.
   * @throws the failure itself when another try is useless or not allowed.
   */
  async waitToRepeat(
    failure: RepotideError,
    retries: number,
    requests: number,
    signal: AbortSignal,
  ): Promise<void> {
    const waitMs = this.#delayMs(failure, retries);
    const isTooLong = Math.max(waitMs, this.#msUntil(failure.retryAt)) > LONGEST_WAIT_MS;
    if (!isRetryable(failure) || retries >= this.#maxRetries(failure) || isTooLong) throw failure;
    if (this.#retries >= MIN_RETRIES_PER_RUN + requests * RETRY_SHARE)
      throw retriesExhausted(failure, this.#retries);
    this.#retries += 1;
    const { code, details } = failure;
    this.options.logger.warn(
      { code, ...details, retries, wait_ms: waitMs },
      'GitLab request will be repeated',
    );
    if (failure.kind === 'rate_limited') return;
    try {
      await (this.options.sleep ?? realSleep)(waitMs, signal);
    } finally {
      throwIfAborted(signal);
    }
  }

  #maxRetries(failure: RepotideError): number {
    const { maxRetries } = this.options;
    return failure.details['status'] === 500 ? Math.min(maxRetries, MAX_RETRIES_OF_500) : maxRetries;
  }

  #delayMs(failure: RepotideError, retries: number): number {
    if (failure.kind === 'rate_limited') return 0;
    if (failure.retryAt !== undefined)
      return Math.ceil(this.#msUntil(failure.retryAt) + Math.random() * RETRY_AFTER_JITTER_MS);
    // Full jitter: calls that failed together are not repeated together.
    return Math.ceil(Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries) * Math.random());
  }

  #msUntil(instant: Date | undefined): number {
    return Math.max(0, (instant?.getTime() ?? 0) - systemClock.now().getTime());
  }
}

function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
