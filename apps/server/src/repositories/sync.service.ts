import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Dispatcher, type Execution, type ExecutionStore, type Logger } from '@core/domain';
import { type OwnRequestKey } from '../http/idempotency-key.js';
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
   * Queues a run and answers at once; with a key that was given before, it answers the run of that time.
   * @throws not_found `repository_not_found`; conflict `run_in_progress` naming the holder; invalid
   *   `idempotency_key_reused`.
   */
  async start(
    repositoryId: string,
    request: { trigger: 'manual' | 'webhook'; requestedBy: string | null; fullSync: boolean },
    ownKey?: OwnRequestKey,
  ): Promise<Execution> {
    await this.repositories.get(repositoryId);
    const requestKey = ownKey && { ...ownKey, requestHash: hashOf({ repositoryId, ...request }) };
    const execution = await this.executions.enqueue({ repositoryId, ...request, requestKey });
    if (execution.status === 'queued') await this.dispatch(execution);
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

function hashOf({ repositoryId, fullSync }: { repositoryId: string; fullSync: boolean }): string {
  return createHash('sha256')
    .update(JSON.stringify(['sync', repositoryId, fullSync]))
    .digest('hex');
}
