import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  RepotideError,
  toRepotideError,
  type Dispatcher,
  type ExecutionStore,
  type LeaderElection,
  type LeaseHolder,
  type LeaseManager,
  type Logger,
  type PodDirectory,
  type PushStore,
  type RepositoryStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { Metrics } from '../metrics/metrics.js';
import { attemptChore, Rounds } from '../chores.js';
import { isInCluster } from '../composition/pod-directory.js';
import {
  CONFIG,
  DISPATCHER,
  EXECUTION_STORE,
  IS_DATA_EXCLUSIVE,
  LEADER_ELECTION,
  LEASE_MANAGER,
  LOGGER,
  POD_DIRECTORY,
  PUSH_STORE,
  REPOSITORY_STORE,
} from '../injection-tokens.js';

/** A run whose pod died is tried once more; a second death is the run's own fault. */
const MAX_INTERRUPTIONS = 1;
const QUEUED_PER_ROUND = 500;

/**
 * Finds again what was left behind: runs whose pod is gone (reaper), queued executions that no queue knows
 * (reconciler), pushes that came while a run went on (follow-ups), deleted repositories that still have points,
 * indexes that a late writer may have touched. One pod does it for all; two do no harm.
 */
@Injectable()
export class RecoveryService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly rounds = new Rounds(() => this.work());
  private stopped: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(REPOSITORY_STORE) private readonly repositories: RepositoryStore,
    @Inject(LEASE_MANAGER) private readonly leases: LeaseManager,
    @Inject(LEADER_ELECTION) private readonly election: LeaderElection,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
    private readonly metrics: Metrics,
    @Inject(POD_DIRECTORY) private readonly pods: PodDirectory,
    @Inject(PUSH_STORE) private readonly pushes: PushStore,
    @Inject(IS_DATA_EXCLUSIVE) private readonly isDataExclusive: boolean,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.roles.length === 0) return;
    this.followPods();
    await this.rounds.round();
    this.rounds.start(this.config.lease.reaperIntervalSeconds * 1000);
  }

  /** At the very start of a stop, which may take as long as its runs: another pod does the chores meanwhile. */
  onModuleDestroy(): void {
    this.stopping.abort();
    this.stopped = Promise.all([this.rounds.stop(), this.election.stepDown()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /**
   * Queues again, or fails for good, the runs whose former process is certainly dead: all of an embedded database,
   * or those under this pod's own name in a cluster (a restarted container). To be called before any run starts here.
   */
  async recoverOwn(): Promise<void> {
    if (this.isDataExclusive) await this.recover({ staleAfterSeconds: 0 });
    else if (isInCluster(this.config)) {
      const podNames = [this.config.pod.name];
      await this.recover({ podNames });
      await this.attempt('take-over', () => this.breakLeasesOf(podNames));
    }
  }

  /** Where Kubernetes proves that a pod is gone, its work need not wait for a missing heartbeat. */
  private followPods(): void {
    this.pods.onGone((podName, { reason, hasSuccessor }) => {
      this.logger.info({ lost_pod: podName, reason, has_successor: hasSuccessor }, 'pod is gone');
      // The successor recovers what it finds under its name before it starts; from here its own rows look the same.
      if (!hasSuccessor) void this.recoverPods([podName]);
    });
    this.pods.start(this.stopping.signal);
  }

  /** Takes over at once what pods that are proven gone were running. */
  async recoverPods(podNames: readonly string[]): Promise<void> {
    await this.attempt('take-over', () => this.recover({ podNames }));
    await this.attempt('leases', () => this.breakLeasesOf(podNames));
    await this.attempt('reconciler', () => this.dispatchQueued());
  }

  /** Those without a running row: a pod may end before its run began, or after its end was recorded. */
  private async breakLeasesOf(podNames: readonly string[]): Promise<void> {
    for (const { repositoryId, podName, executionId, fence } of await this.leases.list()) {
      if (!podNames.includes(podName)) continue;
      if (!(await this.breakLease(repositoryId, { podName, executionId, fence }))) continue;
      const fields = { repository_id: repositoryId, execution_id: executionId, fence, lost_pod: podName };
      this.logger.warn(fields, 'lease of a lost pod broken');
    }
  }

  private async work(): Promise<void> {
    if (!this.election.isLeader()) return;
    await this.attempt('reaper', () => this.recover({ staleAfterSeconds: this.config.lease.ttlSeconds }));
    // Before the reconciler, which dispatches what is queued here.
    await this.attempt('follow-ups', async () => void (await this.pushes.queueFollowUps()));
    await this.attempt('reconciler', () => this.dispatchQueued());
    await this.attempt('purge', () => this.queuePurges());
    await this.attempt('check', () => this.queueChecks());
  }

  private async recover(
    lost: { staleAfterSeconds: number } | { podNames: readonly string[] },
  ): Promise<void> {
    const recovered = await this.executions.recoverInterrupted({ lost, maxInterruptions: MAX_INTERRUPTIONS });
    for (const { execution, lost: former } of recovered) {
      const { id, status, attempt, repositoryId } = execution;
      const run = { execution_id: id, repository_id: repositoryId, fence: former.fence };
      const fields = { ...run, status, attempt, lost_pod: former.podName };
      this.logger.warn(fields, 'interrupted run recovered');
      this.metrics.recovered.inc({ status });
      await this.breakLease(repositoryId, { ...former, executionId: id });
    }
  }

  /**
   * The dead holder's lease protects nothing any more. One that cannot be broken now ends by itself; the other runs of
   * the lost pod must not wait for that.
   */
  private async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    try {
      return await this.leases.breakLease(repositoryId, holder);
    } catch (thrown) {
      const { code, message } = toRepotideError(thrown);
      const run = { execution_id: holder.executionId, repository_id: repositoryId, lost_pod: holder.podName };
      this.logger.warn(
        { ...run, error_code: code, error: message },
        'lease of a lost pod could not be broken; it ends by itself',
      );
      return false;
    }
  }

  private async dispatchQueued(): Promise<void> {
    for (const execution of await this.executions.listQueued(QUEUED_PER_ROUND)) {
      // The database's clock says that all of them are due; this pod's may differ by minutes.
      await this.dispatcher.dispatch({ ...execution, availableAt: null });
    }
  }

  private async queuePurges(): Promise<void> {
    for (const { id: repositoryId } of await this.repositories.listUnpurged()) {
      if (await this.queue(repositoryId, 'purge')) continue;
      // Busy: with a purge already, or with a sync that the deletion must end.
      const busy = await this.executions.list(
        { repositoryId, status: ['queued', 'running'] },
        { limit: 1, offset: 0 },
      );
      for (const { id, handler } of busy.items) {
        if (handler !== 'purge') await this.executions.requestCancel(id);
      }
    }
  }

  /** The index is put right at once, not with the schedule's next tick. */
  private async queueChecks(): Promise<void> {
    for (const { id } of await this.repositories.listSuspect()) await this.queue(id, 'repository_sync');
  }

  /** @returns false when the repository is busy. */
  private async queue(repositoryId: string, handler: 'purge' | 'repository_sync'): Promise<boolean> {
    const run = { repositoryId, trigger: 'recovery', requestedBy: null, fullSync: false, handler } as const;
    try {
      await this.dispatcher.dispatch(await this.executions.enqueue(run));
      return true;
    } catch (error) {
      if (error instanceof RepotideError && error.kind === 'conflict') return false;
      throw error;
    }
  }

  private attempt(chore: string, work: () => Promise<void>): Promise<void> {
    return attemptChore(this.logger, { chore }, work);
  }
}
