import { type Database, type Queryable } from '../sql/database.js';
import { binOf } from './duration-bins.js';
import { IS_FAILURE, SUM_COLUMNS, SUMS_OF_ROW } from './facts.js';

/** Names the lock among all advisory locks of the database; the value itself is arbitrary. */
const FOLD_LOCK = 7_305_041_968;

/** Rows in one statement: some hundred milliseconds. */
const BATCH = 10_000;
/** One chore must not keep the others waiting; what is left comes next time. */
const TIME_BUDGET_MS = 5_000;

/** Days begin at midnight UTC, and shorter units divide them. */
const ORIGIN = `'2000-01-01 00:00:00+00'::timestamptz`;
const QUARTER = `date_bin('15 minutes', queued_at, ${ORIGIN})`;
const HOUR = `date_bin('1 hour', queued_at, ${ORIGIN})`;
const DAY = `date_bin('1 day', queued_at, ${ORIGIN})`;
const MONTH = `date_trunc('month', queued_at, 'UTC')`;

const added = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ');

/** One statement, so an execution is in the sums or waits, never both, for every reader at any moment. */
const FOLD = `
  WITH moved AS (
    DELETE FROM history_pending
      WHERE id IN (SELECT id FROM history_pending ORDER BY id LIMIT $1) RETURNING *
  ), totals AS (
    INSERT INTO history_totals AS t (level, bucket_start, trigger, pod_name, ${SUM_COLUMNS.join(', ')}, duration_max)
    SELECT level, bucket_start, trigger, pod_name,
      ${SUM_COLUMNS.map((column) => `sum(${column})`).join(', ')}, max(duration_max)
    FROM (SELECT queued_at, trigger, pod_name, ${SUMS_OF_ROW} FROM moved) AS row
      CROSS JOIN LATERAL (VALUES ('quarter', ${QUARTER}), ('hour', ${HOUR}), ('day', ${DAY}))
        AS cell (level, bucket_start)
    GROUP BY 1, 2, 3, 4
    ON CONFLICT (level, bucket_start, trigger, pod_name) DO UPDATE SET ${added('t', SUM_COLUMNS)},
      duration_max = GREATEST(t.duration_max, excluded.duration_max)
  ), durations AS (
    INSERT INTO history_durations AS d (level, bucket_start, trigger, pod_name, bin, runs)
    SELECT level, bucket_start, trigger, pod_name, bin, count(*)
    FROM (SELECT queued_at, trigger, pod_name, ${binOf('duration_seconds')} AS bin FROM moved
        WHERE duration_seconds IS NOT NULL) AS row
      CROSS JOIN LATERAL (VALUES ('day', ${DAY}), ('month', ${MONTH})) AS cell (level, bucket_start)
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (level, bucket_start, trigger, pod_name, bin) DO UPDATE SET ${added('d', ['runs'])}
  ), failures AS (
    INSERT INTO history_failures AS f
      (level, bucket_start, kind, trigger, pod_name, subject, failed, partial, missed)
    SELECT level, bucket_start, kind, trigger, pod_name, subject,
      count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'partial'),
      count(*) FILTER (WHERE status = 'missed')
    FROM moved
      CROSS JOIN LATERAL (VALUES ('day', ${DAY}), ('month', ${MONTH})) AS cell (level, bucket_start)
      CROSS JOIN LATERAL (VALUES ('repository', repository_id::text), ('error_code', COALESCE(error_code, '')))
        AS fact (kind, subject)
    WHERE ${IS_FAILURE}
    GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (level, bucket_start, kind, trigger, pod_name, subject)
      DO UPDATE SET ${added('f', ['failed', 'partial', 'missed'])}
  )
  SELECT count(*) AS folded FROM moved`;

/** See the port. A second folder finds the lock taken and leaves the work to the first. */
export async function foldPending(db: Database): Promise<number> {
  const deadline = performance.now() + TIME_BUDGET_MS;
  let total = 0;
  for (;;) {
    const folded = await db.transaction((tx) => foldBatch(tx, BATCH));
    total += folded;
    if (folded < BATCH || performance.now() > deadline) return total;
  }
}

async function foldBatch(tx: Queryable, limit: number): Promise<number> {
  const [lock] = await tx.query<{ isMine: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1::bigint) AS "isMine"',
    [FOLD_LOCK],
  );
  if (lock?.isMine !== true) return 0;
  const [row] = await tx.query<{ folded: number }>(FOLD, [limit]);
  return row?.folded ?? 0;
}
