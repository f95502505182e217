import { Inject, Injectable } from '@nestjs/common';
import { errorFields, ExecutionStore, type LeaseHolder, LeaseManager, Logger } from '@core/domain';
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

  run(): Promise<void> {
    return this.recover({ staleAfterSeconds: this.config.lease.ttlSeconds });
  }

  /** Recovers runs whose heartbeat is too old, or all runs of pods that are known to be dead. */
  async recover(lost: { staleAfterSeconds: number } | { podNames: readonly string[] }): Promise<void> {
    const recovered = await this.executions.recoverInterrupted({ lost, maxInterruptions: MAX_INTERRUPTIONS });
    for (const { execution, lost: former } of recovered) {
      const { id, status, attempt, repositoryId } = execution;
      const run = { execution_id: id, repository_id: repositoryId, fence: former.fence };
      this.logger.warn({ ...run, status, attempt, lost_pod: former.podName }, 'interrupted run recovered');
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
