import { type RepotideError } from '@core/domain';

export type NextStep =
  { kind: 'requeue'; availableAt: Date | null } | { kind: 'end'; status: 'failed' | 'cancelled' };

/** Includes attempts that ended by a failure, a hand-over or a crash. */
const MAX_ATTEMPTS = 5;
/** Back-off: 15 s, 1 min, 4 min, 16 min. */
const FIRST_WAIT_MS = 15_000;
/** Spreads runs that failed at the same time. */
const JITTER_SHARE = 0.2;

/** The next attempt starts at once: the pod or the attempt's number was wrong, not the work. */
const HAND_OVER_CODES = ['shutdown', 'lease_lost', 'fences_behind'];

/**
 * Decides what follows a failed attempt: a stopping pod hands over, a temporary failure backs off, a rate limit waits
 * until it ends, every other error fails the run. Pure except for the jitter.
 * @param jitter 0 to 1.
 */
export function whatNext(error: RepotideError, attempt: number, now: Date, jitter = Math.random()): NextStep {
  if (error.code === 'shutdown') return { kind: 'requeue', availableAt: null };
  if (attempt >= MAX_ATTEMPTS)
    return { kind: 'end', status: error.kind === 'cancelled' ? 'cancelled' : 'failed' };
  if (HAND_OVER_CODES.includes(error.code)) return { kind: 'requeue', availableAt: null };
  switch (error.kind) {
    case 'temporary':
      return { kind: 'requeue', availableAt: new Date(now.getTime() + backOffMs(attempt, jitter)) };
    case 'rate_limited': {
      const earliest = now.getTime() + FIRST_WAIT_MS;
      return { kind: 'requeue', availableAt: new Date(Math.max(earliest, error.retryAt?.getTime() ?? 0)) };
    }
    case 'cancelled':
      return { kind: 'end', status: 'cancelled' };
    case 'invalid':
    case 'not_found':
    case 'unauthorized':
    case 'forbidden':
    case 'conflict':
    case 'fence_lost':
    case 'internal':
      return { kind: 'end', status: 'failed' };
  }
}

function backOffMs(attempt: number, jitter: number): number {
  return FIRST_WAIT_MS * 4 ** (attempt - 1) * (1 + JITTER_SHARE * jitter);
}
