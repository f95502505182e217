import { type RepotideError } from '@core/domain';

/** What becomes of a run that did not end by itself. */
export type NextStep =
  { kind: 'requeue'; availableAt: Date | null } | { kind: 'end'; status: 'failed' | 'cancelled' };

/** Attempts of one execution, counted over failures, hand-overs and crashes; then it stays failed, to be seen. */
const MAX_ATTEMPTS = 5;
/** First wait of the back-off; each further one is four times as long: 15 s, 1 min, 4 min, 16 min. */
const FIRST_WAIT_MS = 15_000;
/** Spreads runs that failed together over a fifth of their wait. */
const JITTER_SHARE = 0.2;

/** Codes whose run is handed over at once: the pod, not the work, is the trouble. */
const HAND_OVER_CODES = ['shutdown', 'lease_lost'];

/**
 * Decides by the error's kind: a stopping pod hands over, a temporary failure waits longer each time, a limit waits
 * until it ends, everything else fails for good. Pure but for the jitter.
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
