import { RepotideError, type RunCounters, type RunIdentity, RUN_COUNTER_NAMES } from '@core/domain';
import { columnName, uuidOrNull } from './rows.js';
import { type Database, type Queryable } from './database.js';

/** `completed_at IS NULL` limits a statement to the partition of the executions without an end. */
export const IS_QUEUED = `completed_at IS NULL AND status = 'queued'`;
export const IS_RUNNING = `completed_at IS NULL AND status = 'running'`;

/** A verify that the service itself queued. */
export const IS_SCHEDULED_VERIFICATION = `(handler = 'verify' AND trigger = 'recovery')`;

/**
 * For rows without an alias. Every run except a dry run excludes other runs of its repository. A dry run only
 * reads, so it blocks no run and waits for none. A scheduled verification may wait long, and delays no other run by that.
 */
export const OCCUPIES_REPOSITORY = `handler <> 'dry_run' AND NOT (status = 'queued' AND ${IS_SCHEDULED_VERIFICATION})`;

/** Matches attempt $1..$3 of repository $1 while it is the current one: guarantee G2 in one condition. */
export const IS_CURRENT_ATTEMPT = `repository_id = $1 AND id = $2 AND fence = $3 AND ${IS_RUNNING}`;

export function attemptParameters(run: RunIdentity): unknown[] {
  return [uuidOrNull(run.repositoryId), uuidOrNull(run.executionId), run.fence];
}

export function fenceLost(run: RunIdentity): RepotideError {
  const { executionId, fence } = run;
  const message = `Attempt ${fence} of execution ${executionId} is not the current one: its write was refused.`;
  const details = { execution_id: executionId, fence };
  return new RepotideError('fence_lost', 'fence_lost', message, { details });
}

/**
 * Runs `write` in a transaction that holds the attempt's row, so that the run cannot be taken over before the commit.
 * @throws fence_lost `fence_lost`, before anything was written.
 */
export async function fenced<T>(
  db: Database,
  run: RunIdentity,
  write: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const current = `SELECT 1 FROM schedule_execution_logs WHERE ${IS_CURRENT_ATTEMPT} FOR NO KEY UPDATE`;
    if (!(await tx.has(current, attemptParameters(run)))) throw fenceLost(run);
    return write(tx);
  });
}

/** Counters of a running run. A report that arrives late lowers nothing. */
export function raiseCounters(
  counters: RunCounters,
  firstParameter: number,
): { sql: string; values: unknown[] } {
  const sql = RUN_COUNTER_NAMES.map(columnName).map(
    (column, index) => `${column} = GREATEST(${column}, $${firstParameter + index}::bigint)`,
  );
  return { sql: sql.join(', '), values: RUN_COUNTER_NAMES.map((counter) => counters[counter]) };
}
