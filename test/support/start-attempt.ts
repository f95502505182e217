import { type ExecutionStore, type StartedRun } from '@core/domain';

/** What a worker does first, without its lease. Null where it would turn away. */
export async function startAttempt(
  executions: ExecutionStore,
  executionId: string,
  podName: string,
): Promise<StartedRun | null> {
  const drawn = await executions.draw(executionId);
  return drawn && executions.start(executionId, podName, drawn.fence);
}
