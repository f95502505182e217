import { type RepotideError } from '@core/domain';

export type NextStep =
  | { kind: 'requeue'; delaySeconds: number | null; isFailure: boolean }
  | { kind: 'end'; status: 'failed' | 'cancelled' };

/** Of one run. The stop of a pod and a loss without proof are no failures. */
const MAX_FAILURES = 5;
/** Back-off: 15 s, 1 min, 4 min, 16 min. */
const FIRST_WAIT_SECONDS = 15;
/** A host may ask for more, but its limit may also end earlier. */
const LONGEST_WAIT_SECONDS = 3_600;
/** Spreads runs that failed at the same time. */
const JITTER_SHARE = 0.2;

/** The next attempt starts at once: the pod or the attempt's number was wrong, not the work. */
const HAND_OVER_CODES = ['lease_lost', 'fences_behind'];

/**
 * Decides what follows a failed attempt: a stopping pod hands over, a temporary failure backs off, a rate limit waits
 * until it ends, every other error fails the run. Pure except for the jitter.
 * The wait is a duration, which the database adds to its own clock.
 * @param failures of the run, with this one. @param now on the clock of the error's `retryAt`. @param jitter 0 to 1.
 */
export function whatNext(
  error: RepotideError,
  failures: number,
  now: Date,
  jitter = Math.random(),
): NextStep {
  if (error.code === 'shutdown') return { kind: 'requeue', delaySeconds: null, isFailure: false };
  if (failures >= MAX_FAILURES)
    return { kind: 'end', status: error.kind === 'cancelled' ? 'cancelled' : 'failed' };
  if (HAND_OVER_CODES.includes(error.code)) return { kind: 'requeue', delaySeconds: null, isFailure: true };
  switch (error.kind) {
    case 'temporary':
      return waiting(FIRST_WAIT_SECONDS * 4 ** (failures - 1) * (1 + JITTER_SHARE * jitter));
    case 'rate_limited':
      return waiting(((error.retryAt?.getTime() ?? 0) - now.getTime()) / 1000);
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

function waiting(seconds: number): NextStep {
  const delaySeconds = Math.min(Math.max(seconds, FIRST_WAIT_SECONDS), LONGEST_WAIT_SECONDS);
  return { kind: 'requeue', delaySeconds, isFailure: true };
}
