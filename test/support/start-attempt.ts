import { RUN_HANDLERS, type ExecutionStore, type StartedRun } from '@core/domain';

/** The first step of a worker, without its lease. Null when the worker would not run the execution. */
export async function startAttempt(
  executions: ExecutionStore,
  executionId: string,
  podName: string,
): Promise<StartedRun | null> {
  const taken = await executions.take({ podName, handlers: RUN_HANDLERS, executionId }, async () => true);
  return taken?.kind === 'started' ? taken.run : null;
}
