import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type JobsOptions, Queue, WaitingError, Worker } from 'bullmq';
import {
  RepotideError,
  type Dispatchable,
  type DispatchConsumer,
  type Dispatcher,
  type ExecutionTrigger,
  type Logger,
} from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { messageOf, withoutArguments } from '../redis-error.js';
import { WorkerConnections } from './worker-connections.js';

export interface BullDispatcherOptions {
  redis: RedisConnections;
  /** Runs at once in this process. */
  concurrency: number;
  /** Jobs of a dead pod are redelivered within twice this time. Default 30 s. */
  jobLockMs?: number;
  /** How long {@link BullDispatcher.close} waits for BullMQ. Default 5 s, the last part of a pod's grace period. */
  closeTimeoutMs?: number;
  logger: Logger;
}

/** Any pod can run any job from its id. */
interface JobData {
  execution_id: string;
}

type Run = (executionId: string) => Promise<void>;

const QUEUE_NAME = 'executions';
/** BullMQ runs the lowest number first. */
const PRIORITY: Record<ExecutionTrigger, number> = { manual: 1, webhook: 2, recovery: 3, cron: 3 };
/** A job whose pod died is redelivered once; after that the reconciler decides by the execution's row. */
const MAX_STALLED_COUNT = 1;
/** BullMQ repeats a failing command as fast as Redis refuses it. */
const SAME_WARNING_MS = 60_000;
/** For `skipVersionCheck`: connectRedis has checked the version, and logged it rather than printed it. */
const VERSION_IS_CHECKED = true;

/** The queue between pods: BullMQ transports ids, Postgres holds the executions. */
export class BullDispatcher implements Dispatcher, DispatchConsumer {
  private readonly queue: Queue<JobData>;
  private readonly running = new Set<Promise<void>>();
  private worker: Worker<JobData> | null = null;
  private connections: WorkerConnections | null = null;
  private isDraining = false;
  private closing: Promise<void> | null = null;
  private lastWarning = { reason: '', atMs: -Infinity };

  constructor(private readonly options: BullDispatcherOptions) {
    const { primary, keyPrefix } = options.redis;
    const settings = { connection: primary.client, prefix: keyPrefix, skipVersionCheck: VERSION_IS_CHECKED };
    this.queue = new Queue<JobData>(QUEUE_NAME, settings);
    this.queue.on('error', (error) => this.warn(error));
  }

  async dispatch(execution: Dispatchable): Promise<void> {
    await this.call(() => this.queue.add('run', { execution_id: execution.id }, jobOptions(execution)));
  }

  async depth(): Promise<number> {
    const counts = await this.call(() => this.queue.getJobCounts('waiting', 'prioritized', 'delayed'));
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** Returns at once: while Redis is down, fetching starts when it is back. */
  async start(run: Run): Promise<void> {
    const { redis, concurrency, logger, jobLockMs = 30_000 } = this.options;
    this.connections = new WorkerConnections(redis, logger);
    this.worker = new Worker<JobData>(QUEUE_NAME, (job, token) => this.process(run, job, token), {
      connection: this.connections.client,
      prefix: redis.keyPrefix,
      concurrency,
      lockDuration: jobLockMs,
      stalledInterval: jobLockMs,
      maxStalledCount: MAX_STALLED_COUNT,
      skipVersionCheck: VERSION_IS_CHECKED,
    });
    // A stopping worker reports errors about its closed connections.
    this.worker.on('error', (error) => !this.isDraining && this.warn(error));
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    // Stops fetching at once. Not awaited: it resolves only when Redis has stored the end of all jobs.
    this.worker?.pause().catch(() => undefined);
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** @throws temporary `queue_unavailable`. */
  async waitUntilReady(): Promise<void> {
    await this.call(() => this.queue.waitUntilReady());
  }

  /**
   * Stops fetching and closes all connections; call `drain` first. Bounded by `closeTimeoutMs`: jobs whose end Redis has
   * not stored by then are redelivered, and found to be done. Repeating is harmless.
   */
  close(): Promise<void> {
    this.closing ??= this.closeWithin(this.options.closeTimeoutMs ?? 5_000);
    return this.closing;
  }

  private async closeWithin(ms: number): Promise<void> {
    const closed = (async () => {
      await this.worker?.close();
      await this.queue.close();
    })().catch((error: unknown) => this.warn(error));
    const timeout = new AbortController();
    const timer = sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([closed, timer]);
    timeout.abort();
    this.connections?.close();
  }

  private async process(run: Run, job: Job<JobData>, token: string | undefined): Promise<void> {
    if (this.isDraining) {
      // Fetched while the drain began: another pod gets it.
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const ended = run(job.data.execution_id);
    this.running.add(ended);
    try {
      await ended;
    } finally {
      this.running.delete(ended);
    }
  }

  private async call<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (thrown) {
      const { primary } = this.options.redis;
      const { address } = primary;
      throw new RepotideError(
        'temporary',
        'queue_unavailable',
        `The queue in Redis at ${address} does not answer (${primary.reasonOf(thrown)}). Queued runs wait in the ` +
          'database until it does; check that Redis runs and that REDIS_URL names it.',
        { cause: withoutArguments(thrown), details: { address } },
      );
    }
  }

  /** Logs a reason when it is new, and once a minute while it lasts. */
  private warn(error: unknown): void {
    const reason = messageOf(error);
    const atMs = performance.now();
    if (reason === this.lastWarning.reason && atMs - this.lastWarning.atMs < SAME_WARNING_MS) return;
    this.lastWarning = { reason, atMs };
    this.options.logger.warn({ reason }, 'queue trouble');
  }
}

/** @throws temporary `queue_unavailable`. */
export async function createBullDispatcher(options: BullDispatcherOptions): Promise<BullDispatcher> {
  const dispatcher = new BullDispatcher(options);
  await dispatcher.waitUntilReady();
  return dispatcher;
}

/**
 * The job id keeps an attempt from being queued twice, until its handler has ended: an execution that did not start (its
 * lease was held, the pod was stopping) must be accepted again. Postgres, by compare-and-set, keeps an attempt from
 * running twice.
 */
function jobOptions({ id, attempt, trigger, availableAt }: Dispatchable): JobsOptions {
  return {
    jobId: `x-${id}-${attempt}`, // No ':', which separates BullMQ's keys, and never digits alone.
    priority: PRIORITY[trigger],
    delay: availableAt ? Math.max(0, availableAt.getTime() - Date.now()) : 0,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}
