import { type DispatchConsumer, type Logger } from '@core/domain';
import { type Job, WaitingError, Worker } from 'bullmq';
import { type RedisConnections } from '../connect-redis.js';
import { messageOf } from '../redis-error.js';
import { BullConnections } from './bull-connections.js';
import { QUEUE_NAME, type JobData } from './queue.js';
import { ThrottledWarnings } from './throttled-warnings.js';

export interface BullConsumerOptions {
  redis: RedisConnections;
  /** Runs at a time in this process. */
  concurrency: number;
  /** Life of the mark on a job at work. Default 30 s (BullMQ's): a dead pod's jobs are given out again within twice of it. */
  jobLockMs?: number;
  logger: Logger;
}

type Run = (executionId: string) => Promise<void>;

const DEFAULT_JOB_LOCK_MS = 30_000;
/** A job whose pod died is given out once more; after that the reconciler decides, which looks at the row. */
const MAX_STALLED_COUNT = 1;

/** The worker side of the queue. */
export class BullConsumer implements DispatchConsumer {
  private readonly running = new Set<Promise<void>>();
  private readonly warnings: ThrottledWarnings;
  private worker: Worker<JobData> | null = null;
  private connections: BullConnections | null = null;
  private isDraining = false;

  constructor(private readonly options: BullConsumerOptions) {
    this.warnings = new ThrottledWarnings(options.logger, 'queue trouble');
  }

  /** Returns at once: while Redis is away, fetching begins when it is back. */
  async start(run: Run): Promise<void> {
    const { redis, concurrency, logger, jobLockMs = DEFAULT_JOB_LOCK_MS } = this.options;
    this.connections = new BullConnections(redis, logger);
    this.worker = new Worker<JobData>(QUEUE_NAME, (job, token) => this.process(run, job, token), {
      connection: this.connections.client,
      prefix: redis.keyPrefix,
      concurrency,
      lockDuration: jobLockMs,
      stalledInterval: jobLockMs,
      maxStalledCount: MAX_STALLED_COUNT,
      skipVersionCheck: true, // connectRedis has checked it, and says so in the log rather than on the console.
    });
    this.worker.on('error', (error) => this.note(error));
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    // It interrupts the fetch at once, but resolves only when Redis has noted the end of the jobs: not waited for.
    this.worker?.pause().catch((error: unknown) => this.note(error));
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Bounded by nothing but Redis. */
  async closeWorker(): Promise<void> {
    await this.worker?.close();
  }

  disconnect(): void {
    this.connections?.close();
  }

  /** A worker that ends complains of its own closed connections. */
  private note(error: unknown): void {
    if (!this.isDraining) this.warnings.warn(messageOf(error));
  }

  private async process(run: Run, job: Job<JobData>, token: string | undefined): Promise<void> {
    if (this.isDraining) {
      // A fetch that was under way when the drain began: given back for another pod.
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
}
