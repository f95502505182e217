import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  RepotideError,
  type Execution,
  type ExecutionStatus,
  ExecutionStore,
  Hints,
  type RunHandlerName,
} from '@core/domain';
import { type OwnRequestKey } from '../http/parameters.js';
import { existing } from '../http/problem.js';
import { RepositoriesService } from '../repositories/repositories.service.js';

/** A run on request, outside of schedules. */
interface RunRequest {
  requestedBy: string | null;
  fullSync: boolean;
  /** Default `repository_sync`. */
  handler?: RunHandlerName;
  maxEmbeddingTokens?: number | null;
  retryOfExecutionId?: string;
}

const RETRIED: readonly ExecutionStatus[] = ['failed', 'partial', 'cancelled'];

/** Starts, retries and cancels runs on request. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly executions: ExecutionStore,
    private readonly hints: Hints,
  ) {}

  /** @throws not_found `execution_not_found`. */
  async get(executionId: string): Promise<Execution> {
    return existing(await this.executions.find(executionId), 'execution', executionId);
  }

  /**
   * Queues a run and returns without waiting for it. With a key that was used before, returns the run of that request.
   * @throws not_found `repository_not_found`; conflict `run_in_progress`, which names the holder; invalid
   *   `idempotency_key_reused`.
   */
  async start(repositoryId: string, request: RunRequest, ownKey?: OwnRequestKey): Promise<Execution> {
    await this.repositories.get(repositoryId);
    const requestKey = ownKey && { ...ownKey, requestHash: hashOf(repositoryId, request) };
    const run = { repositoryId, trigger: 'manual', ...request, requestKey } as const;
    return this.executions.enqueue(run);
  }

  /**
   * Queues a new execution with the same work and limits as an ended one. The new one refers to the old one.
   * @throws not_found `execution_not_found`, `repository_not_found`; conflict `execution_not_retryable` unless it failed,
   *   was cancelled or ended as partial; and as {@link start}.
   */
  async retry(executionId: string, requestedBy: string | null, ownKey?: OwnRequestKey): Promise<Execution> {
    const former = await this.get(executionId);
    if (!RETRIED.includes(former.status)) throw notRetryable(former);
    const { repositoryId, fullSync, handler, maxEmbeddingTokens } = former;
    const work = { fullSync, handler, maxEmbeddingTokens, retryOfExecutionId: former.id };
    return this.start(repositoryId, { requestedBy, ...work }, ownKey);
  }

  /**
   * Cancels a queued execution at once. Requests the stop of a running one, on any pod. Safe to repeat.
   * @throws not_found `execution_not_found`; conflict `execution_finished` when it has ended in another status.
   */
  async cancel(executionId: string): Promise<Execution> {
    const found = await this.executions.requestCancel(executionId);
    const execution = existing(found, 'execution', executionId);
    this.hints.publish({ kind: 'cancel_requested', executionId });
    if (execution.status === 'running' || execution.status === 'cancelled') return execution;
    throw finished(execution);
  }
}

function hashOf(repositoryId: string, request: RunRequest): string {
  const { fullSync, handler = 'repository_sync', maxEmbeddingTokens = null, retryOfExecutionId } = request;
  const parts = ['sync', repositoryId, fullSync, handler, maxEmbeddingTokens, retryOfExecutionId ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

const INSTEAD: Partial<Record<ExecutionStatus, string>> = {
  queued: 'It has not ended: wait for it, or cancel it.',
  running: 'It has not ended: wait for it, or cancel it.',
  completed: 'It succeeded; request a sync, with "full" to build everything again.',
};

function notRetryable({ id, status }: Execution): RepotideError {
  const instead = INSTEAD[status] ?? 'It never ran; request a sync of the repository.';
  const message = `Execution ${id} is ${status}; only ${RETRIED.join(', ')} ones are retried. ${instead}`;
  const details = { execution_id: id, execution_status: status };
  return new RepotideError('conflict', 'execution_not_retryable', message, { details });
}

function finished({ id, status, completedAt }: Execution): RepotideError {
  const message = `Execution ${id} is ${status}; only one that is queued or running can be cancelled.`;
  const details = { execution_id: id, execution_status: status, completed_at: completedAt };
  return new RepotideError('conflict', 'execution_finished', message, { details });
}
