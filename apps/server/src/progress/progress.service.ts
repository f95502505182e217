import { Inject, Injectable } from '@nestjs/common';
import {
  RepotideError,
  type Clock,
  type ExecutionStore,
  type ProgressBoard,
  type ProgressEvent,
  type ProgressTask,
  type RepositoryStore,
  type Stage,
} from '@core/domain';
import { taskOfRow } from '@core/scheduling';
import { CLOCK, EXECUTION_STORE, PROGRESS_BOARD, REPOSITORY_STORE } from '../tokens.js';

/** Live progress from the board, and what the row tells where the board knows nothing (any more). */
@Injectable()
export class ProgressService {
  constructor(
    @Inject(PROGRESS_BOARD) private readonly board: ProgressBoard,
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(REPOSITORY_STORE) private readonly repositories: RepositoryStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws not_found `execution_not_found`. */
  async get(taskId: string): Promise<ProgressTask> {
    return (await this.board.find(taskId)) ?? this.fromRow(taskId);
  }

  /** Newest first. */
  async listOf(userId: string): Promise<ProgressTask[]> {
    const tasks = await this.board.listOf(userId);
    return tasks.toSorted((left, right) => right.updatedAt.getTime() - left.updatedAt.getTime());
  }

  countByStatus(): Promise<Partial<Record<Stage, number>>> {
    return this.board.countByStatus();
  }

  eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]> {
    return this.board.eventsAfter(taskId, afterId);
  }

  subscribe(taskId: string, onNews: () => void): () => void {
    return this.board.subscribe(taskId, onNews);
  }

  /** @throws not_found `execution_not_found`. */
  async fromRow(taskId: string): Promise<ProgressTask> {
    const execution = await this.executions.find(taskId);
    const repository = execution && (await this.repositories.findIncludingDeleted(execution.repositoryId));
    if (execution && repository) return taskOfRow(execution, repository, this.clock.now());
    throw new RepotideError('not_found', 'execution_not_found', `There is no execution ${taskId}.`);
  }
}
