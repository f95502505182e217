import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable, RepotideError, throwIfAborted } from '@core/domain';

export interface RetryPolicy {
  attempts: number;
  /** Doubles with each further attempt. */
  firstDelayMs: number;
  /** A server that asks for more patience than this gets its error handed on, with `retryAt`. */
  longestDelayMs: number;
}

/** Together about 8 s of waiting: outlives a restart behind a load balancer; longer outages are the run's to retry. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 };

/**
 * A tenth of the requests may be repeated, and so many at once: what gRPC calls retry throttling (proposal A6), with
 * its ratio. A server in trouble is then not asked five times as much.
 */
const REPEATED_SHARE = 0.1;
const REPEATED_AT_ONCE = 30;

/** The repetitions that a client has left, for all its requests together. */
export class RetryBudget {
  private left = REPEATED_AT_ONCE;

  /** Another request begins. */
  earn(): void {
    this.left = Math.min(REPEATED_AT_ONCE, this.left + REPEATED_SHARE);
  }

  /** @returns false when none is left. */
  spend(): boolean {
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}

export interface RetryPorts {
  budget: RetryBudget;
  /** The server asks for fewer requests: lets everybody rest. The next attempt is held back by it. */
  pause: (ms: number) => Promise<void>;
}

/** Repeats what failed for a passing reason, after the time that the server asked for or a growing, random one. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { budget, pause }: RetryPorts,
  signal: AbortSignal,
): Promise<T> {
  budget.earn();
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof RepotideError) || !isRetryable(error)) throw error;
      const delayMs = delayBefore(made, error, policy);
      if (error.kind === 'rate_limited') await pause(delayMs);
      if (made >= policy.attempts || delayMs > policy.longestDelayMs || !budget.spend()) throw error;
      if (error.kind !== 'rate_limited') await rest(delayMs, signal);
    }
  }
}

function delayBefore(made: number, error: RepotideError, policy: RetryPolicy): number {
  const askedMs = (error.retryAt?.getTime() ?? 0) - Date.now();
  const backoffMs = Math.min(policy.firstDelayMs * 2 ** (made - 1), policy.longestDelayMs);
  // All of it random: pods that failed together come back one by one.
  const jitteredMs = backoffMs * Math.random();
  if (error.kind === 'rate_limited') return Math.max(askedMs, backoffMs);
  return askedMs > 0 ? askedMs + Math.min(jitteredMs, 1000) : jitteredMs;
}

async function rest(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}
