import { Injectable } from '@nestjs/common';
import {
  Clock,
  ExecutionStore,
  isEnded,
  ProgressStore,
  type ProgressTask,
  RepositoryStore,
  RepotideError,
  type VisibleRepositories,
} from '@core/domain';
import { endTask, taskOfRow } from '@core/executions';

/** Reads progress from the store, or from the execution if the store has none. */
@Injectable()
export class ProgressService {
  constructor(
    private readonly store: ProgressStore,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
    private readonly clock: Clock,
  ) {}

  /** @throws not_found `execution_not_found`. */
  async get(taskId: string): Promise<ProgressTask> {
    const shown = await this.store.find(taskId);
    return shown ? this.withEnd(shown) : this.fromRow(taskId);
  }

  /** Newest first. */
  async listOf(userId: string, visible: VisibleRepositories): Promise<ProgressTask[]> {
    const shown = await this.store.listOf(userId);
    const isVisible = await Promise.all(shown.map(({ taskId }) => this.isVisible(taskId, visible)));
    const own = shown.filter((_, index) => isVisible[index]);
    const tasks = await Promise.all(own.map((task) => this.withEnd(task)));
    return tasks.toSorted((left, right) => right.updatedAt.getTime() - left.updatedAt.getTime());
  }

  private async isVisible(taskId: string, visible: VisibleRepositories): Promise<boolean> {
    if (visible === null) return true;
    const execution = await this.executions.find(taskId);
    return execution !== null && visible.includes(execution.repositoryId);
  }

  /** Adds the end from the execution. The store lacks it if the pod died or the store was down. */
  private async withEnd(shown: ProgressTask): Promise<ProgressTask> {
    if (isEnded(shown)) return shown;
    const execution = await this.executions.find(shown.taskId);
    if (!execution || execution.status === 'queued' || execution.status === 'running') return shown;
    return endTask(shown, execution, execution.completedAt ?? shown.updatedAt);
  }

  /** @throws not_found `execution_not_found`. */
  async fromRow(taskId: string): Promise<ProgressTask> {
    const execution = await this.executions.find(taskId);
    const repository = execution && (await this.repositories.findIncludingDeleted(execution.repositoryId));
    if (execution && repository) return taskOfRow(execution, repository, this.clock.now());
    throw new RepotideError('not_found', 'execution_not_found', `There is no execution ${taskId}.`);
  }
}
