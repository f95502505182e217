import { type Database } from '@adapters/postgres';

/** More than the connections of a pool, so that each of them writes its statistics. */
const CONNECTIONS = 8;

/** Rows of tables that were read (by scans of the table and of its indexes) and written since the database was made. */
export interface RowCounts {
  read: number;
  written: number;
}

/** Counts in Postgres' own statistics. @param tables of the public schema; children have their own names. */
export async function countRows(db: Database, tables: readonly string[]): Promise<RowCounts> {
  const flush = () => db.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.05)');
  await Promise.all(Array.from({ length: CONNECTIONS }, flush));
  const counts = await db.first<RowCounts & Record<string, unknown>>(
    `SELECT sum(COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0))::bigint AS read,
        sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint AS written
      FROM pg_stat_user_tables WHERE relname = ANY($1)`,
    [tables],
  );
  return counts!;
}

/** The tables of the manifest. */
export const MANIFEST_TABLES = [
  ...['repository_files', 'repository_files_long', 'repository_folders', 'repository_folders_long'],
];
