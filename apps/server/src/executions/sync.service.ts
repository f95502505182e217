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

/** A run on request, outside of schedules. */
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

/** Queues runs on request: manual runs, retries and runs for webhooks. */
@Injectable()
export class SyncService {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly executions: ExecutionStore,
    private readonly dispatcher: Dispatcher,
    private readonly logger: Logger,
  ) {}

  /**
   * Queues a run and returns without waiting for it. With a key that was used before, returns the run of that request.
   * @throws not_found `repository_not_found`; conflict `run_in_progress`, which names the holder; invalid
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
   * Queues a new execution with the same work and limits as an ended one. The new one refers to the old one.
   * @throws not_found `execution_not_found`, `repository_not_found`; conflict `execution_not_retryable` unless it failed,
   *   was cancelled or ended as partial; and as {@link start}.
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
      // The execution is queued in Postgres, so the reconciler dispatches it once the queue works again.
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
