import { Injectable } from '@nestjs/common';
import { ExecutionStore, RepositoryStore } from '@core/domain';
import { type Chore } from './chore.js';
import { queueRecoveryRun } from './queue-recovery-run.js';

/** Queues a sync for each index that a late writer may have changed, instead of waiting for the next tick. */
@Injectable()
export class QueueIndexChecks implements Chore {
  readonly name = 'check';

  constructor(
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listSuspect())
      await queueRecoveryRun(id, 'repository_sync', this.executions);
  }
}
