import { RepotideError, type ExecutionStore, type RunHandlerName } from '@core/domain';

/** Queues a run on behalf of the service itself. @returns false when the repository is busy. */
export async function queueRecoveryRun(
  repositoryId: string,
  handler: RunHandlerName,
  executions: ExecutionStore,
): Promise<boolean> {
  const run = { repositoryId, trigger: 'recovery', requestedBy: null, fullSync: false, handler } as const;
  try {
    await executions.enqueue(run);
    return true;
  } catch (error) {
    if (error instanceof RepotideError && error.kind === 'conflict') return false;
    throw error;
  }
}
