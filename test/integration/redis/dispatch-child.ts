/**
 * A pod that takes one execution and never ends it, for tests that kill it. Prints events as JSON lines.
 * Arguments: URL, key prefix, lifetime of a job lock in milliseconds.
 */
import { connectRedis, createBullDispatcher } from '@adapters/redis';
import { silentLogger as logger } from '../../support/silent-logger.js';

const [url = '', keyPrefix = '', jobLockMs = ''] = process.argv.slice(2);

async function work(): Promise<void> {
  const redis = await connectRedis({ urls: [url], keyPrefix, logger });
  const queue = await createBullDispatcher({ redis, concurrency: 1, jobLockMs: Number(jobLockMs), logger });
  await queue.start((executionId) => {
    process.stdout.write(`${JSON.stringify({ event: 'started', executionId })}\n`);
    return new Promise<void>(() => undefined);
  });
  process.stdout.write(`${JSON.stringify({ event: 'ready' })}\n`);
}

void work();
