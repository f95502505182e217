import { Inject, Injectable } from '@nestjs/common';
import {
  errorFields,
  ExecutionStore,
  type LeaseHolder,
  LeaseManager,
  Logger,
  type SilentRun,
} from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Chore } from './chore.js';

/** A run whose pod died is retried once. If the second pod dies too, the run is assumed to be the cause. */
const MAX_INTERRUPTIONS = 1;

/** The reaper: queues the next attempt of runs whose heartbeat stopped, or fails them. */
@Injectable()
export class RecoverLostRuns implements Chore {
  readonly name = 'reaper';

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly executions: ExecutionStore,
    private readonly leases: LeaseManager,
    private readonly metrics: Metrics,
  ) {}

  /**
   * A run without a heartbeat is over when its lease has ended, or when the database has answered for one lease time.
   * The wait is needed because an outage of the database also makes the heartbeats of living runs old. Only the loss of
   * the pod counts as an interruption.
   */
  async run(): Promise<void> {
    const { ttlSeconds: staleAfterSeconds } = this.config.lease;
    const over: SilentRun[] = [];
    for (const silent of await this.executions.listSilent(staleAfterSeconds))
      if (silent.hadItsChance || (silent.hasLease && !(await this.holdsLease(silent)))) over.push(silent);
    for (const isPodLost of [true, false]) {
      const runs = over.filter((each) => each.isPodLost === isPodLost);
      const executionIds = runs.map(({ executionId }) => executionId);
      const maxInterruptions = isPodLost ? MAX_INTERRUPTIONS : null;
      if (executionIds.length > 0) await this.recover({ staleAfterSeconds, executionIds }, maxInterruptions);
    }
  }

  /** True also while the leases cannot be read. */
  private async holdsLease({ repositoryId, executionId, fence }: SilentRun): Promise<boolean> {
    try {
      const holder = await this.leases.holderOf(repositoryId);
      return holder?.executionId === executionId && holder.fence === fence;
    } catch {
      return true;
    }
  }

  /** Recovers runs whose heartbeat is too old, or all runs of pods that are known to be dead. */
  async recover(
    lost: Parameters<ExecutionStore['recoverInterrupted']>[0]['lost'],
    maxInterruptions: number | null = MAX_INTERRUPTIONS,
  ): Promise<void> {
    const recovered = await this.executions.recoverInterrupted({ lost, maxInterruptions });
    for (const { execution, lost: former } of recovered) {
      const { id, status, attempt, repositoryId } = execution;
      const run = { execution_id: id, repository_id: repositoryId, fence: former.fence, status, attempt };
      const counts = maxInterruptions !== null;
      this.logger.warn({ ...run, lost_pod: former.podName, counts }, 'interrupted run recovered');
      this.metrics.recovered.inc({ status });
      await this.breakLease(repositoryId, { ...former, executionId: id });
    }
  }

  /** Breaks leases without a running execution: a pod may die before its run starts, or after its end is recorded. */
  async breakLeasesOf(podNames: readonly string[]): Promise<void> {
    for (const { repositoryId, podName, executionId, fence } of await this.leases.list()) {
      if (!podNames.includes(podName)) continue;
      if (!(await this.breakLease(repositoryId, { podName, executionId, fence }))) continue;
      const fields = { repository_id: repositoryId, execution_id: executionId, fence, lost_pod: podName };
      this.logger.warn(fields, 'lease of a lost pod broken');
    }
  }

  /** Never throws: a lease that cannot be broken expires, and must not delay the other runs of the lost pod. */
  private async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    try {
      return await this.leases.breakLease(repositoryId, holder);
    } catch (thrown) {
      const run = { execution_id: holder.executionId, repository_id: repositoryId, lost_pod: holder.podName };
      const message = 'lease of a lost pod could not be broken; it expires by itself';
      this.logger.warn({ ...run, ...errorFields(thrown) }, message);
      return false;
    }
  }
}
