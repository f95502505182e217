import { Inject, Injectable } from '@nestjs/common';
import { type Dispatcher, type Execution, type ExecutionStore, type Logger } from '@core/domain';
import { DISPATCHER, EXECUTION_STORE, LOGGER } from '../tokens.js';
import { RepositoriesService } from './repositories.service.js';

/** Asks for runs that no schedule asked for. */
@Injectable()
export class SyncService {
  constructor(
    private readonly repositories: RepositoriesService,
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Queues a run and answers at once.
   * @throws not_found `repository_not_found`; conflict `run_in_progress` naming the holder.
   */
  async start(
    repositoryId: string,
    request: { trigger: 'manual' | 'webhook'; requestedBy: string | null; fullSync: boolean },
  ): Promise<Execution> {
    await this.repositories.get(repositoryId);
    const execution = await this.executions.enqueue({ repositoryId, ...request });
    await this.dispatch(execution);
    return execution;
  }

  private async dispatch(execution: Execution): Promise<void> {
    try {
      await this.dispatcher.dispatch(execution);
    } catch (error) {
      // The row is queued, so the run is promised: the reconciler hands it over once the queue is back.
      this.logger.warn(
        { executionId: execution.id, err: error },
        'Dispatch failed; the reconciler repeats it',
      );
    }
  }
}
