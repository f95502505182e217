import { throwIfAborted, toRepotideError } from '@core/domain';

/** One project's failure is not the run's; an end of the run itself is. */
export async function perProject(
  projectPath: string,
  failures: string[],
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  throwIfAborted(signal);
  try {
    await work();
  } catch (thrown) {
    const error = toRepotideError(thrown);
    if (['cancelled', 'fence_lost', 'internal'].includes(error.kind)) throw error;
    throwIfAborted(signal);
    failures.push(`${projectPath}: ${error.message}`);
  }
}
