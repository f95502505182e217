import { type ExecutionStore, type Logger, type RepositoryStore, type VectorStore } from '@core/domain';

export interface PurgePorts {
  repositories: RepositoryStore;
  executions: ExecutionStore;
  vectorStore: VectorStore;
  logger: Logger;
}

/**
 * Removes the points, then the rows, of deleted repositories; one that is still being synced is cancelled and left for
 * the next call. Interrupted, the next call goes on.
 */
export async function purgeDeleted(ports: PurgePorts, signal: AbortSignal): Promise<void> {
  for (const repository of await ports.repositories.listUnpurged()) {
    const fields = { repository_id: repository.id, project_path: repository.projectPath };
    if (await cancelRuns(ports.executions, repository.id)) continue;
    await ports.vectorStore.deleteRepository(repository.collectionName, repository.id, signal);
    await ports.repositories.markPurged(repository.id);
    ports.logger.info(fields, 'deleted repository purged');
  }
}

/** @returns whether a run is still writing. */
async function cancelRuns(executions: ExecutionStore, repositoryId: string): Promise<boolean> {
  const running = await executions.list({ repositoryId, status: ['running'] }, { limit: 1, offset: 0 });
  for (const execution of running.items) await executions.requestCancel(execution.id);
  return running.total > 0;
}
