import { setTimeout as sleep } from 'node:timers/promises';
import { toRepotideError, type Logger } from '@core/domain';

/** Waits between tries, in milliseconds: together a quarter of a lease's life. */
const RETRY_DELAYS_MS = [250, 1000, 4000, 10_000];

/**
 * Does what may not be left undone through a short outage. Only for work that may be repeated.
 * @throws at once what says that another attempt owns the run, and in the end whatever the last try threw.
 */
export async function withRetry<T>(what: string, work: () => Promise<T>, logger: Logger): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      const error = toRepotideError(thrown);
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (error.kind === 'fence_lost' || delayMs === undefined) throw error;
      logger.warn({ what, error_code: error.code, retry_in_ms: delayMs }, 'not done; trying again');
      await sleep(delayMs);
    }
  }
}
