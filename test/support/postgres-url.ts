import pg from 'pg';

/** @throws when the name does not show that the database is for tests: tests create and drop it without confirmation. */
export function databaseNameOf(url: string): string {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  if (!name.includes('test')) {
    throw new Error(
      `TEST_POSTGRES_URL names the database "${name}"; a name that contains "test" is expected, ` +
        'so that no other data can be lost.',
    );
  }
  return name;
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** Runs `work` on its own connection. */
export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
