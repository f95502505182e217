import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  RepotideError,
  Dispatcher,
  type Execution,
  type ExecutionStatus,
  ExecutionStore,
  Logger,
  type RunHandlerName,
} from '@core/domain';
import { type OwnRequestKey } from '../http/idempotency-key.js';
import { RepositoriesService } from '../repositories/repositories.service.js';

/** A run that no schedule asked for. */
interface RunRequest {
  trigger: 'manual' | 'webhook';
  requestedBy: string | null;
  fullSync: boolean;
  /** Default `repository_sync`. */
  handler?: RunHandlerName;
  maxEmbeddingTokens?: number | null;
  retryOfExecutionId?: string;
}

const RETRIED: readonly ExecutionStatus[] = ['failed', 'partial', 'cancelled'];

/** Asks for runs that no schedule asked for. */
@Injectable()
export class SyncService {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly executions: ExecutionStore,
    private readonly dispatcher: Dispatcher,
    private readonly logger: Logger,
  ) {}

  /**
   * Queues a run and answers at once; with a key that was given before, it answers the run of that time.
   * @throws not_found `repository_not_found`; conflict `run_in_progress` naming the holder; invalid
   *   `idempotency_key_reused`.
   */
  async start(repositoryId: string, request: RunRequest, ownKey?: OwnRequestKey): Promise<Execution> {
    await this.repositories.get(repositoryId);
    const requestKey = ownKey && { ...ownKey, requestHash: hashOf({ repositoryId, ...request }) };
    const execution = await this.executions.enqueue({ repositoryId, ...request, requestKey });
    if (execution.status === 'queued') await this.dispatch(execution);
    return execution;
  }

  /**
   * Does an ended execution again, as a new one that names it: the same work with the same limits.
   * @throws not_found `execution_not_found`, `repository_not_found`; conflict `execution_not_retryable` unless it failed,
   *   was cancelled or came to its end in part; and as {@link start}.
   */
  async retry(executionId: string, requestedBy: string | null, ownKey?: OwnRequestKey): Promise<Execution> {
    const former = await this.executions.find(executionId);
    if (!former) throw unknownExecution(executionId);
    if (!RETRIED.includes(former.status)) throw notRetryable(former);
    const { repositoryId, fullSync, handler, maxEmbeddingTokens } = former;
    const work = { fullSync, handler, maxEmbeddingTokens, retryOfExecutionId: former.id };
    return this.start(repositoryId, { trigger: 'manual', requestedBy, ...work }, ownKey);
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

function hashOf({ repositoryId, ...request }: RunRequest & { repositoryId: string }): string {
  const { fullSync, handler = 'repository_sync', maxEmbeddingTokens = null, retryOfExecutionId } = request;
  const parts = ['sync', repositoryId, fullSync, handler, maxEmbeddingTokens, retryOfExecutionId ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function unknownExecution(executionId: string): RepotideError {
  return new RepotideError('not_found', 'execution_not_found', `There is no execution ${executionId}.`);
}

const INSTEAD: Partial<Record<ExecutionStatus, string>> = {
  queued: 'It has not ended: wait for it, or cancel it.',
  running: 'It has not ended: wait for it, or cancel it.',
  completed: 'It did what it had to do; ask for a sync, with "full" to build everything again.',
};

function notRetryable({ id, status }: Execution): RepotideError {
  const instead = INSTEAD[status] ?? 'It never ran; ask for a sync of the repository.';
  const message = `Execution ${id} is ${status}; only ${RETRIED.join(', ')} ones are retried. ${instead}`;
  const details = { execution_id: id, execution_status: status };
  return new RepotideError('conflict', 'execution_not_retryable', message, { details });
}
