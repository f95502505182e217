import { Inject, Injectable } from '@nestjs/common';
import { type Dispatcher, type ExecutionStore, type RepositoryStore } from '@core/domain';
import { DISPATCHER, EXECUTION_STORE, REPOSITORY_STORE } from '../injection-tokens.js';
import { type Chore } from './chore.js';
import { queueRecoveryRun } from './queue-recovery-run.js';

/** Queues a sync for each index that a late writer may have changed, so that it need not wait for its next tick. */
@Injectable()
export class QueueIndexChecks implements Chore {
  readonly name = 'check';

  constructor(
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(REPOSITORY_STORE) private readonly repositories: RepositoryStore,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listSuspect())
      await queueRecoveryRun(id, 'repository_sync', this.executions, this.dispatcher);
  }
}
