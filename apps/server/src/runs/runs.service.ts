import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  toRepotideError,
  type Dispatcher,
  type Execution,
  type ExecutionStore,
  type LeaseManager,
  type Logger,
  type RepositoryStore,
  type VectorStore,
} from '@core/domain';
import { runExecution, shutdownReason, type RunHandler, type RunnerPorts } from '@core/scheduling';
import { type Config } from '@platform/config';
import {
  CONFIG,
  EXECUTION_STORE,
  IS_DATA_EXCLUSIVE,
  LEASE_MANAGER,
  LOGGER,
  REPOSITORY_STORE,
  SYNC_HANDLER,
  VECTOR_STORE,
} from '../tokens.js';
import { InProcessDispatcher } from './in-process-dispatcher.js';
import { purgeDeleted } from './purge-deleted.js';

/** A crashed run is tried once more; a second crash is the run's own fault. */
const MAX_ATTEMPTS = 2;
const QUEUED_PER_ROUND = 500;
/** Of the shutdown grace: runs may end by themselves for this share, then they are handed over. */
const DRAIN_SHARE = 2 / 3;

/** Works off queued executions in this process, and finds again what a crash or a full queue left behind. */
@Injectable()
export class RunsService implements Dispatcher, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly queue: InProcessDispatcher;
  private readonly ports: RunnerPorts;
  private round: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(EXECUTION_STORE) readonly executions: ExecutionStore,
    @Inject(REPOSITORY_STORE) readonly repositories: RepositoryStore,
    @Inject(LEASE_MANAGER) leases: LeaseManager,
    @Inject(VECTOR_STORE) readonly vectorStore: VectorStore,
    @Inject(SYNC_HANDLER) private readonly handler: RunHandler,
    @Inject(IS_DATA_EXCLUSIVE) private readonly isDataExclusive: boolean,
  ) {
    this.ports = { executions, repositories, leases, logger };
    this.queue = new InProcessDispatcher(config.worker.concurrency, (executionId) => this.run(executionId));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.roles.includes('worker')) return;
    await this.recover(this.staleAtStart());
    const intervalMs = this.config.lease.reaperIntervalSeconds * 1000;
    this.round = setInterval(() => void this.recover(this.config.lease.ttlSeconds), intervalMs);
  }

  dispatch(execution: Pick<Execution, 'id'>): Promise<void> {
    return this.queue.dispatch(execution);
  }

  depth(): Promise<number> {
    return this.queue.depth();
  }

  /** Runs a queued execution at once and to its end: for a command line that waits for it. */
  async runNow(executionId: string): Promise<Execution | null> {
    const { worker, lease, pod } = this.config;
    const settings = {
      podName: pod.name,
      heartbeatMs: lease.renewSeconds * 1000,
      maxRunMs: worker.maxRunSeconds * 1000,
    };
    return runExecution(executionId, this.handler, this.ports, settings, this.stopping.signal);
  }

  /** Queues again, or fails for good, what a process before this one left running. */
  async recoverInterrupted(): Promise<void> {
    await this.recoverStale(this.staleAtStart());
  }

  /** Hands running work over at once instead of waiting for it. Safe to repeat. */
  stopNow(): void {
    this.stopping.abort(shutdownReason());
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.round);
    const drainMs = this.config.shutdown.graceSeconds * 1000 * DRAIN_SHARE;
    const deadline = setTimeout(() => this.stopNow(), drainMs);
    await this.queue.drain();
    clearTimeout(deadline);
    this.stopNow();
  }

  private async run(executionId: string): Promise<void> {
    try {
      await this.runNow(executionId);
    } catch (thrown) {
      const error = toRepotideError(thrown);
      this.logger.error(
        { execution_id: executionId, error_code: error.code, error: error.message },
        'run lost',
      );
    }
  }

  /** One round of the reaper and the reconciler. */
  private async recover(staleAfterSeconds: number): Promise<void> {
    try {
      const recovered = await this.executions.recoverInterrupted({
        staleAfterSeconds,
        maxAttempts: MAX_ATTEMPTS,
      });
      for (const { id, status, attempt } of recovered) {
        this.logger.warn({ execution_id: id, status, attempt }, 'interrupted run recovered');
      }
      for (const execution of await this.executions.listQueued(QUEUED_PER_ROUND))
        await this.dispatch(execution);
      await purgeDeleted(this, this.stopping.signal);
    } catch (thrown) {
      const error = toRepotideError(thrown);
      this.logger.warn({ error_code: error.code, error: error.message }, 'recovery round failed');
    }
  }

  private async recoverStale(staleAfterSeconds: number): Promise<void> {
    const recovered = await this.executions.recoverInterrupted({
      staleAfterSeconds,
      maxAttempts: MAX_ATTEMPTS,
    });
    for (const { id, status, attempt } of recovered) {
      this.logger.warn({ execution_id: id, status, attempt }, 'interrupted run recovered');
    }
  }

  /** Alone on the data, whatever is called running died with the process before this one. */
  private staleAtStart(): number {
    return this.isDataExclusive ? 0 : this.config.lease.ttlSeconds;
  }
}
