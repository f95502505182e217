import { setTimeout as sleep } from 'node:timers/promises';
import {
  RepotideError,
  type Dispatchable,
  type DispatchConsumer,
  type Dispatcher,
  type Logger,
} from '@core/domain';
import { Queue } from 'bullmq';
import { messageOf, withoutArguments } from '../redis-error.js';
import { BullConsumer, type BullConsumerOptions } from './bull-consumer.js';
import { jobOptions, QUEUE_NAME, type JobData } from './queue.js';
import { ThrottledWarnings } from './throttled-warnings.js';

export interface BullDispatcherOptions extends BullConsumerOptions {
  /** How long {@link BullDispatcher.close} waits for BullMQ. Default 5 s: the last share of a pod's grace. */
  closeTimeoutMs?: number;
  logger: Logger;
}

/** The queue between pods: BullMQ as transport, Postgres as truth. */
export interface BullDispatcher extends Dispatcher, DispatchConsumer {
  /**
   * Ends fetching and all connections of the queue; drain first. Bounded: what Redis does not note in time is given
   * out again and found done. Repeating is harmless.
   */
  close(): Promise<void>;
}

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

/** @throws temporary `queue_unavailable`. */
export async function createBullDispatcher(options: BullDispatcherOptions): Promise<BullDispatcher> {
  const { redis, logger, closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const { primary } = redis;
  const queue = new Queue<JobData>(QUEUE_NAME, {
    connection: primary.client,
    prefix: redis.keyPrefix,
    skipVersionCheck: true, // connectRedis has checked it.
  });
  const warnings = new ThrottledWarnings(logger, 'queue trouble');
  queue.on('error', (error) => warnings.warn(messageOf(error)));
  const consumer = new BullConsumer(options);
  let closing: Promise<void> | null = null;

  async function ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (thrown) {
      throw queueUnavailable(primary.address, primary.reasonOf(thrown), thrown);
    }
  }

  async function closeAll(): Promise<void> {
    const closed = consumer.closeWorker().then(() => queue.close());
    closed.catch((error: unknown) => warnings.warn(messageOf(error)));
    const patience = new AbortController();
    const timeout = sleep(closeTimeoutMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([closed.catch(() => undefined), timeout]);
    patience.abort();
    consumer.disconnect();
  }

  await ask(() => queue.waitUntilReady());
  return {
    async dispatch(execution: Dispatchable) {
      await ask(() => queue.add('run', { execution_id: execution.id }, jobOptions(execution)));
    },
    async depth() {
      const counts = await ask(() => queue.getJobCounts('waiting', 'prioritized', 'delayed'));
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    start: (run) => consumer.start(run),
    drain: () => consumer.drain(),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function queueUnavailable(address: string, reason: string, thrown: unknown): RepotideError {
  return new RepotideError(
    'temporary',
    'queue_unavailable',
    `The queue in Redis at ${address} does not answer (${reason}). Queued runs wait in the database until it does; check it and REDIS_URL.`,
    { cause: withoutArguments(thrown), details: { address } },
  );
}
