import { type Database } from '@adapters/postgres';

/** A copy of a database's rows and sequences, like that of pg_dump. */
export interface DatabaseBackup {
  restore(): Promise<void>;
}

/** @param without tables that are not restored, e.g. because they stand in for another server. */
export async function backUp(
  database: Database,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<DatabaseBackup> {
  const schema = `backup_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
  const tables = (
    await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1)`,
      [without],
    )
  ).map(({ name }) => name);
  const [fence] = await database.query<{ value: number; isCalled: boolean }>(
    'SELECT last_value AS value, is_called AS "isCalled" FROM execution_fence_seq',
  );
  await database.query(`CREATE SCHEMA ${schema}`);
  for (const table of tables) {
    await database.query(`CREATE TABLE ${schema}.${table} AS SELECT * FROM ONLY public.${table}`);
  }
  return {
    restore: () =>
      database.transaction(async (tx) => {
        // References between tables are as they were in the copy.
        await tx.query(`SET LOCAL session_replication_role = replica`);
        for (const table of tables) {
          await tx.query(`DELETE FROM ONLY public.${table}`);
          const columns = await storedColumns(tx, table);
          await tx.query(
            `INSERT INTO public.${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${schema}.${table}`,
          );
        }
        await tx.query(`SELECT setval('execution_fence_seq', $1, $2)`, [fence!.value, fence!.isCalled]);
      }),
  };
}

/** Postgres computes the others. */
async function storedColumns(db: Pick<Database, 'query'>, table: string): Promise<string> {
  const columns = await db.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = ('public.' || quote_ident($1))::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  return columns.map(({ name }) => `"${name}"`).join(', ');
}
