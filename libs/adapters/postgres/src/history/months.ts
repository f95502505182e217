import { LOCKS } from '../sql/advisory-locks.js';
import { type Database, type Queryable } from '../sql/database.js';
import { rowsDeletedBefore } from './facts.js';

/** Months ahead that have a partition. The chore that adds them may fail for this long. */
const MONTHS_AHEAD = 3;
/** A change of the partitions waits for all transactions that use the table, and blocks new ones meanwhile. */
const LOCK_WAIT = '2s';
const PREFIX = 'schedule_execution_logs_';

interface Month {
  name: string;
  /** Exclusive. */
  until: Date;
}

/** @throws temporary `database_timeout` when the table is too busy; repeat it later. */
export function addMonths(db: Database): Promise<void> {
  return db.transaction(async (tx) => {
    await lockMonths(tx);
    await tx.query(
      `SELECT add_execution_month(clock_timestamp() + n * interval '1 month') FROM generate_series(0, $1::int) AS n`,
      [MONTHS_AHEAD],
    );
  });
}

/**
 * Drops the partitions of months that ended `days` ago, the newest first. The newest `minRows` executions of each schedule
 * and of each repository move to the default partition, and leave it when newer ones have come.
 * @returns the dropped months, for example `2026_05`.
 */
export async function dropMonths(db: Database, days: number, minRows: number): Promise<string[]> {
  const dropped: string[] = [];
  for (const month of await listOld(db, days)) {
    const isDropped = await db.transaction((tx) => drop(tx, month, minRows));
    if (isDropped) dropped.push(month.name.slice(PREFIX.length));
  }
  const before = await rowsDeletedBefore(db);
  if (before !== null) await trim(db, before, minRows);
  return dropped;
}

function listOld(db: Queryable, days: number): Promise<Month[]> {
  return db.query<Month>(
    `SELECT * FROM (
        SELECT relname::text AS name,
          (to_timestamp(right(relname, 7), 'YYYY_MM')::timestamp + interval '1 month') AT TIME ZONE 'UTC' AS until
        FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'schedule_execution_logs'::regclass AND relname ~ '_[0-9]{4}_[0-9]{2}$') AS month
      WHERE until <= clock_timestamp() - make_interval(days => $1) ORDER BY until DESC`,
    [days],
  );
}

/**
 * The rows of a partition that belong to the newest $2 of their schedule or repository, when the rows that ended since $1
 * are counted too.
 */
function newestIn(partition: string): string {
  const newestOf = (owners: string, column: string): string => `
    SELECT kept.id FROM ${owners} AS o CROSS JOIN LATERAL (
      SELECT m.id FROM ${partition} AS m WHERE m.${column} = o.id AND m.completed_at < $1
      ORDER BY m.queued_at DESC, m.id DESC LIMIT $2::int - (
        SELECT count(*) FROM (SELECT FROM schedule_execution_logs AS n
          WHERE n.${column} = o.id AND n.completed_at >= $1 LIMIT $2::int) AS newer)) AS kept`;
  return `${newestOf('schedule_sessions', 'schedule_session_id')} UNION ${newestOf('repositories', 'repository_id')}`;
}

/** @returns false when another pod has dropped it. */
async function drop(tx: Queryable, { name, until }: Month, minRows: number): Promise<boolean> {
  await lockMonths(tx);
  if (!(await tx.has('SELECT WHERE to_regclass($1) IS NOT NULL', [name]))) return false;
  // The rows are chosen before the table is locked.
  await tx.query(`CREATE TEMPORARY TABLE kept_executions (LIKE schedule_execution_logs) ON COMMIT DROP`);
  await tx.query(`INSERT INTO kept_executions SELECT * FROM ${name} WHERE id IN (${newestIn(name)})`, [
    until,
    minRows,
  ]);
  await tx.query(`ALTER TABLE schedule_execution_logs DETACH PARTITION ${name}`);
  // Their sums exist already.
  await tx.query(`SET LOCAL repotide.moves_ended = 'on'`);
  await tx.query('INSERT INTO schedule_execution_logs SELECT * FROM kept_executions');
  await tx.query(`DROP TABLE ${name}`);
  await tx.query(
    'UPDATE history_state SET rows_deleted_before = GREATEST(rows_deleted_before, $1::timestamptz)',
    [until],
  );
  return true;
}

/** Deletes old rows of the default partition, except the newest `minRows` of each schedule and repository. */
async function trim(db: Queryable, before: Date, minRows: number): Promise<void> {
  const live = `${PREFIX}live`;
  await db.query(`DELETE FROM ${live} WHERE completed_at < $1 AND id NOT IN (${newestIn(live)})`, [
    before,
    minRows,
  ]);
}

async function lockMonths(tx: Queryable): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCKS.months]);
}
