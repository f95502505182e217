import { setTimeout as sleep } from 'node:timers/promises';
import { toRepotideError, type Logger } from '@core/domain';

/** Their sum is a quarter of a lease's TTL. */
const RETRY_DELAYS_MS = [250, 1000, 4000, 10_000];

/**
 * Retries work that must succeed, for about 15 s. The work must be safe to repeat.
 * @throws `fence_lost` at once; otherwise the last error.
 */
export async function withRetry<T>(what: string, work: () => Promise<T>, logger: Logger): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      const error = toRepotideError(thrown);
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (error.kind === 'fence_lost' || delayMs === undefined) throw error;
      logger.warn({ what, error_code: error.code, retry_in_ms: delayMs }, 'failed; trying again');
      await sleep(delayMs);
    }
  }
}
