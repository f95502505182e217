import { isRetryable, RepotideError, sleep, throwIfAborted } from '@core/domain';
import { isAnswerInvalid } from './openai-errors.js';

export interface RetryPolicy {
  attempts: number;
  /** Doubles with each further attempt. */
  firstDelayMs: number;
  /** When the server asks for a longer pause, its error is thrown, with `retryAt`. */
  longestDelayMs: number;
}

/** About 8 s of waiting in all, enough for a restart behind a load balancer. The run retries after longer outages. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 };

/**
 * Each request earns a tenth of a retry, up to 30: gRPC's retry throttling (proposal A6) with its ratio. It keeps
 * retries from multiplying the load of a server in trouble.
 */
const RETRIES_PER_REQUEST = 0.1;
const MAX_RETRIES_SAVED = 30;

/** The retries that a client may still make, for all its requests together. */
export class RetryBudget {
  private remaining = MAX_RETRIES_SAVED;

  addRequest(): void {
    this.remaining = Math.min(MAX_RETRIES_SAVED, this.remaining + RETRIES_PER_REQUEST);
  }

  /** @returns false when no retry remains. */
  spend(): boolean {
    if (this.remaining < 1) return false;
    this.remaining -= 1;
    return true;
  }
}

export interface RetryPorts {
  budget: RetryBudget;
  /** Called when the server asks for fewer requests: pauses all clients. The next attempt waits for it too. */
  pause: (ms: number) => Promise<void>;
}

/** Retries temporary failures and unusable answers after the delay that the server names, else after a growing random one. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { budget, pause }: RetryPorts,
  signal: AbortSignal,
): Promise<T> {
  budget.addRequest();
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof RepotideError) || !(isRetryable(error) || isAnswerInvalid(error))) throw error;
      const delayMs = delayBefore(made, error, policy);
      if (error.kind === 'rate_limited') await pause(delayMs);
      if (made >= policy.attempts || delayMs > policy.longestDelayMs || !budget.spend()) throw error;
      if (error.kind !== 'rate_limited') await sleep(delayMs, signal);
    }
  }
}

function delayBefore(made: number, error: RepotideError, policy: RetryPolicy): number {
  const requestedMs = (error.retryAt?.getTime() ?? 0) - Date.now();
  const backoffMs = Math.min(policy.firstDelayMs * 2 ** (made - 1), policy.longestDelayMs);
  // Fully random, so that pods that failed together do not return together.
  const jitteredMs = backoffMs * Math.random();
  if (error.kind === 'rate_limited') return Math.max(requestedMs, backoffMs);
  return requestedMs > 0 ? requestedMs + Math.min(jitteredMs, 1000) : jitteredMs;
}
