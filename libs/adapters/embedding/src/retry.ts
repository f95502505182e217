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

/** Repeats what failed for a passing reason, after the time that the server asked for or a growing, jittered one. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof RepotideError) || !isRetryable(error) || made >= policy.attempts) throw error;
      const delayMs = delayBefore(made, error, policy);
      if (delayMs > policy.longestDelayMs) throw error;
      await pause(delayMs, signal);
    }
  }
}

function delayBefore(made: number, error: RepotideError, policy: RetryPolicy): number {
  const askedMs = (error.retryAt?.getTime() ?? 0) - Date.now();
  const backoffMs = Math.min(policy.firstDelayMs * 2 ** (made - 1), policy.longestDelayMs);
  // Half fixed, half random: pods that failed together do not come back together.
  const jitteredMs = backoffMs * (0.5 + Math.random() / 2);
  return askedMs > 0 ? askedMs + Math.min(jitteredMs, 1000) : jitteredMs;
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}
