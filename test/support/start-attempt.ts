import { type ExecutionStore, type StartedRun } from '@core/domain';

/** The first step of a worker, without its lease. Null when the worker would not run the execution. */
export async function startAttempt(
  executions: ExecutionStore,
  executionId: string,
  podName: string,
): Promise<StartedRun | null> {
  const drawn = await executions.prepareAttempt(executionId);
  return drawn && executions.start(executionId, podName, drawn.fence);
}
