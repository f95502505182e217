import {
  toRepotideError,
  type Execution,
  type ExecutionStore,
  type Logger,
  type RepotideError,
  type RunCounters,
  type RunIdentity,
  type RunOutcome,
} from '@core/domain';
import { withRetry } from './with-retry.js';
import { whatNext } from './retry-policy.js';

export type RunEnd =
  | { outcome: RunOutcome }
  | { error: RepotideError; counters: RunCounters; fromCommit: string | null; failures: number; now: Date };

/**
 * Writes the end of a run to its row; retries through short outages of Postgres.
 * @returns the row; null when another attempt owns it, which then records its own end.
 */
export async function recordEnd(
  executions: ExecutionStore,
  identity: RunIdentity,
  end: RunEnd,
  logger: Logger,
): Promise<Execution | null> {
  try {
    const execution = await withRetry('recording the end', () => write(executions, identity, end), logger);
    logger.info({ status: execution.status, error_code: execution.errorCode }, 'run ended');
    return execution;
  } catch (thrown) {
    const error = toRepotideError(thrown);
    if (error.kind !== 'fence_lost') throw error;
    const message = 'another attempt owns the run, or it was ended; nothing recorded';
    logger.warn({ error_code: error.code }, message);
    return null;
  }
}

function write(executions: ExecutionStore, identity: RunIdentity, end: RunEnd): Promise<Execution> {
  if ('outcome' in end) return executions.finish(identity, end.outcome);
  const { error, counters, fromCommit, failures, now } = end;
  const { code: errorCode, message: errorMessage } = error;
  const next = whatNext(error, failures, now);
  if (next.kind === 'requeue') {
    const { delaySeconds, isFailure } = next;
    return executions.requeue(identity, counters, { errorCode, errorMessage, delaySeconds, isFailure });
  }
  const commits = { fromCommit, toCommit: null };
  return executions.finish(identity, { status: next.status, counters, ...commits, errorCode, errorMessage });
}
