import { type Database } from '../sql/database.js';
import { FORGET_REQUEST_KEYS } from '../sql/request-keys.js';

const BATCH = 1_000;
/** Other chores wait for this one, so it stops after this time; the next call continues. */
const TIME_BUDGET_MS = 10_000;

/**
 * Each owner's rows from before $1, except its newest $2; at most $3.
 * @param isOwned which rows belong to an owner `o`; an index must give them in order of time.
 */
function oldRowsOf(owners: string, isOwned: string): string {
  return `
    (SELECT old.id FROM ${owners} AS o
      CROSS JOIN LATERAL (
        SELECT queued_at, id FROM schedule_execution_logs WHERE ${isOwned}
        ORDER BY queued_at DESC, id DESC OFFSET $2 - 1 LIMIT 1
      ) AS kept
      CROSS JOIN LATERAL (
        SELECT e.id FROM schedule_execution_logs AS e
        WHERE ${isOwned} AND completed_at IS NOT NULL
          AND e.queued_at < $1 AND (e.queued_at, e.id) < (kept.queued_at, kept.id) LIMIT $3
      ) AS old LIMIT $3)`;
}

/** SKIP LOCKED: two pods at the same time take different rows. */
const DELETE_OLD = `
  WITH old AS (
    ${oldRowsOf('schedule_sessions', 'schedule_session_id = o.id')}
    UNION ALL
    ${oldRowsOf('repositories', 'repository_id = o.id AND schedule_session_id IS NULL')}
  )
  DELETE FROM schedule_execution_logs WHERE id IN (
    SELECT id FROM schedule_execution_logs WHERE id IN (SELECT id FROM old) FOR UPDATE SKIP LOCKED
  ) RETURNING 1`;

/** The sums keep the numbers; before the cut only the sums are complete. */
export async function deleteOld(
  db: Database,
  { days, minRows }: { days: number; minRows: number },
): Promise<number> {
  await db.query(FORGET_REQUEST_KEYS);
  if (days === 0) return 0;
  const cut = await moveCut(db, days);
  const deadline = performance.now() + TIME_BUDGET_MS;
  let total = 0;
  for (;;) {
    const deleted = await db.query(DELETE_OLD, [cut, minRows, BATCH]);
    total += deleted.length;
    if (deleted.length < BATCH || performance.now() > deadline) return total;
  }
}

/**
 * Stored before the first row is deleted, and at midnight UTC, so that no unit of the sums is only partly
 * deleted.
 */
async function moveCut(db: Database, days: number): Promise<Date | null> {
  const [state] = await db.query<{ cut: Date | null }>(
    `WITH wanted AS (
        SELECT date_trunc('day', clock_timestamp() - make_interval(days => $1), 'UTC') AS cut
      ), stored AS (
        UPDATE history_state SET rows_deleted_before = GREATEST(rows_deleted_before, wanted.cut) FROM wanted
        WHERE EXISTS (SELECT FROM schedule_execution_logs WHERE queued_at < wanted.cut)
      ) SELECT cut FROM wanted`,
    [days],
  );
  return state?.cut ?? null;
}
