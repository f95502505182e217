import { setMaxListeners } from 'node:events';
import { RepotideError, throwIfAborted } from '@core/domain';

/**
 * Runs `work` under the caller's signal and a time limit. Rejects as soon as either fires, even while the work still
 * runs. (`AbortSignal.any` is no alternative: on Node 20 it leaks memory with each call on a long-lived signal.)
 * @throws temporary `source_unavailable` at the time limit; the signal's reason when that has fired.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  const { controller, stop } = forwardAbort(signal);
  const timer = setTimeout(() => controller.abort(deadlineExceeded(limitMs)), limitMs);
  const fired = new Promise<never>((_, reject) => {
    controller.signal.onabort = () => reject(controller.signal.reason as Error);
  });
  try {
    return await Promise.race([work(controller.signal), fired]);
  } finally {
    clearTimeout(timer);
    stop();
  }
}

/** A controller that the caller's signal aborts as well, until `stop` is called. */
export function forwardAbort(signal: AbortSignal): { controller: AbortController; stop: () => void } {
  // All requests of a run share its signal; Node would warn of a leak at more than ten listeners.
  setMaxListeners(0, signal);
  const controller = new AbortController();
  const onCallerAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onCallerAbort, { once: true });
  return { controller, stop: () => signal.removeEventListener('abort', onCallerAbort) };
}

export function deadlineExceeded(limitMs: number): RepotideError {
  const message =
    `The response of GitLab was not complete after ${limitMs} ms. ` +
    `Raise REQUEST_TIMEOUT_SECONDS, or check GitLab's load.`;
  return new RepotideError('temporary', 'source_unavailable', message, { details: { reason: 'deadline' } });
}
