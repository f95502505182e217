import { type Database } from '@adapters/postgres';

/** The whole content of a database, as text: every row of every table, including the values inside JSON and arrays. */
export async function storedTexts(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM ${name} t`);
    texts.push(...rows.map(({ row }) => JSON.stringify(row)));
  }
  return texts.join('\n');
}
