import { Inject, Injectable } from '@nestjs/common';
import { type Dispatcher, type ExecutionStore, type RepositoryStore } from '@core/domain';
import { DISPATCHER, EXECUTION_STORE, REPOSITORY_STORE } from '../injection-tokens.js';
import { type Chore } from './chore.js';
import { queueRecoveryRun } from './queue-recovery-run.js';

/** Queues a purge for each deleted repository that still has points. */
@Injectable()
export class QueuePurges implements Chore {
  readonly name = 'purge';

  constructor(
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(REPOSITORY_STORE) private readonly repositories: RepositoryStore,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listUnpurged()) {
      const isQueued = await queueRecoveryRun(id, 'purge', this.executions, this.dispatcher);
      if (!isQueued) await this.cancelOtherRuns(id);
    }
  }

  /** The repository is busy: with a purge, or with a sync that its deletion must end. */
  private async cancelOtherRuns(repositoryId: string): Promise<void> {
    const page = { limit: 1, offset: 0 };
    const busy = await this.executions.list({ repositoryId, status: ['queued', 'running'] }, page);
    for (const { id, handler } of busy.items) {
      if (handler !== 'purge') await this.executions.requestCancel(id);
    }
  }
}
