import { Injectable } from '@nestjs/common';
import { ExecutionStore, RepositoryStore } from '@core/domain';
import { type Chore } from './chore.js';
import { queueRecoveryRun } from './queue-recovery-run.js';

/** Queues a purge for each deleted repository that still has points. */
@Injectable()
export class QueuePurges implements Chore {
  readonly name = 'purge';

  constructor(
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listUnpurged()) {
      const isQueued = await queueRecoveryRun(id, 'purge', this.executions);
      if (!isQueued) await this.cancelOtherRuns(id);
    }
  }

  /** The repository is busy with a purge, which continues, or with other runs, which its deletion must cancel. */
  private async cancelOtherRuns(repositoryId: string): Promise<void> {
    const page = { limit: 1, offset: 0 };
    const busy = await this.executions.list({ repositoryId, status: ['queued', 'running'] }, page);
    for (const { id, handler } of busy.items) {
      if (handler !== 'purge') await this.executions.requestCancel(id);
    }
  }
}
