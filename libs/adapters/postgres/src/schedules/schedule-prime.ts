import { RepotideError, toRepotideError, type Schedule } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';

/** Rows per transaction. */
const BATCH = 100;

interface Batch {
  problems: RepotideError[];
  /** The next batch begins after this id; null when this is the last one. */
  lastId: string | null;
}

type Next = (schedule: Schedule, now: Date) => Date | null;

/**
 * Sets the first tick of active schedules that have none: rows that were inserted or activated by SQL. SKIP
 * LOCKED lets every pod do this at the same time.
 * @returns the errors of rows with an invalid expression or time zone; those rows stay unchanged.
 */
export async function primeSchedules(db: Database, next: Next): Promise<RepotideError[]> {
  const problems: RepotideError[] = [];
  let afterId: string | null = null;
  do {
    const from: string | null = afterId;
    const batch: Batch = await db.transaction((tx) => primeBatch(tx, next, from));
    problems.push(...batch.problems);
    afterId = batch.lastId;
  } while (afterId !== null);
  return problems;
}

/** Ordered by id, so that invalid rows do not block the others. */
async function primeBatch(tx: Queryable, next: Next, afterId: string | null): Promise<Batch> {
  const rows = await tx.query<Schedule & { now: Date }>(
    `SELECT s.*, clock_timestamp() AS now
      FROM schedule_sessions s JOIN repositories r ON r.id = s.repository_id
      WHERE s.is_active AND s.deleted_at IS NULL AND s.next_run_at IS NULL AND r.deleted_at IS NULL
        AND ($2::uuid IS NULL OR s.id > $2)
      ORDER BY s.id LIMIT $1 FOR NO KEY UPDATE OF s SKIP LOCKED`,
    [BATCH, afterId],
  );
  const problems: RepotideError[] = [];
  const ticks: { id: string; nextRunAt: Date }[] = [];
  for (const { now, ...schedule } of rows) {
    const tick = firstTick(schedule, () => next(schedule, now));
    if (tick instanceof RepotideError) problems.push(tick);
    else if (tick !== null) ticks.push({ id: schedule.id, nextRunAt: tick });
  }
  if (ticks.length > 0)
    await tx.query(
      `UPDATE schedule_sessions s SET next_run_at = tick.next_run_at
      FROM unnest($1::uuid[], $2::timestamptz[]) AS tick (id, next_run_at) WHERE s.id = tick.id`,
      [ticks.map(({ id }) => id), ticks.map(({ nextRunAt }) => nextRunAt)],
    );
  return { problems, lastId: rows.length < BATCH ? null : rows.at(-1)!.id };
}

function firstTick(schedule: Schedule, next: () => Date | null): Date | null | RepotideError {
  try {
    return next();
  } catch (thrown) {
    const error = toRepotideError(thrown);
    // Only an error of the row itself is reported; others are thrown.
    if (error.kind !== 'invalid') throw error;
    const message = `Schedule ${schedule.id} has no next tick: ${error.message} Edit or pause it.`;
    const options = { cause: thrown, details: { schedule_id: schedule.id, revision: schedule.revision } };
    return new RepotideError('invalid', 'schedule_undecidable', message, options);
  }
}
