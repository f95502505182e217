import { RepotideError, toRepotideError, type Schedule } from '@core/domain';
import { type Database, type Queryable } from './database.js';

/** Rows looked at in one call; more of them wait for the next poll. */
const BATCH = 100;

/**
 * Gives active schedules without a next tick their first one: rows that were inserted or switched on by SQL.
 * SKIP LOCKED: every pod may do it at once.
 * @returns what is wrong with rows whose expression or zone cannot be read; they stay as they are.
 */
export function primeSchedules(
  db: Database,
  selectSchedule: string,
  next: (schedule: Schedule, now: Date) => Date | null,
): Promise<RepotideError[]> {
  return db.transaction(async (tx) => {
    const problems: RepotideError[] = [];
    const rows = await tx.query<Schedule & { now: Date }>(
      `SELECT ${selectSchedule}, clock_timestamp() AS now
        FROM schedule_sessions s JOIN repositories r ON r.id = s.repository_id
        WHERE s.is_active AND s.deleted_at IS NULL AND s.next_run_at IS NULL AND r.deleted_at IS NULL
        ORDER BY s.created_at, s.id LIMIT $1 FOR NO KEY UPDATE OF s SKIP LOCKED`,
      [BATCH],
    );
    for (const { now, ...schedule } of rows) {
      const problem = await prime(tx, schedule, () => next(schedule, now));
      if (problem) problems.push(problem);
    }
    return problems;
  });
}

async function prime(
  tx: Queryable,
  schedule: Schedule,
  next: () => Date | null,
): Promise<RepotideError | null> {
  try {
    await tx.query('UPDATE schedule_sessions SET next_run_at = $2 WHERE id = $1', [schedule.id, next()]);
    return null;
  } catch (thrown) {
    const error = toRepotideError(thrown);
    // Only the row's own fault may be left for others to see; a failed statement has ended the transaction.
    if (error.kind !== 'invalid') throw error;
    return new RepotideError(
      'invalid',
      'schedule_undecidable',
      `Schedule ${schedule.id} has no tick to come: ${error.message} Edit or pause it.`,
      { cause: thrown, details: { schedule_id: schedule.id, revision: schedule.revision } },
    );
  }
}
