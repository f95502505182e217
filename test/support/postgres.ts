import { randomBytes } from 'node:crypto';
import { migrate } from '@adapters/postgres';
import type pg from 'pg';
import { databaseNameOf, onServer, withDatabase } from './postgres-url.js';
import { silentLogger } from './silent-logger.js';

/** Session lock that guards the creation of the template; taken in the base database, where no test locks. */
const TEMPLATE_LOCK = 7_465_737;

export interface TestDatabase {
  url: string;
  /** Ends all its sessions and drops it. Repeating is harmless. */
  drop(): Promise<void>;
}

/** The run's server, from jest's global set-up or from the environment. */
function testPostgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url)
    throw new Error('TEST_POSTGRES_URL is not set: start tests with jest, whose global set-up provides it.');
  databaseNameOf(url);
  return url;
}

/**
 * Creates a database for one test file: `migrated` to the current schema (a copy of a template, some 50 ms) or `empty`.
 * Databases that are not dropped are removed with the run's server.
 */
export async function createTestDatabase(schema: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const serverUrl = testPostgresUrl();
  const runPrefix = `${databaseNameOf(serverUrl)}_${process.env.TEST_RUN_ID ?? 'shared'}`;
  const name = `${runPrefix}_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, async (client) => {
    const template = schema === 'empty' ? 'template0' : await ensureTemplate(client, serverUrl, runPrefix);
    await client.query(
      // A copy of the files takes half the time of the default, which writes each page to the log.
      `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE ${client.escapeIdentifier(template)} STRATEGY FILE_COPY`,
    );
  });
  return { url: withDatabase(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/** The first test file that needs the template creates it. The rename comes last, so that a killed attempt leaves no template. */
async function ensureTemplate(client: pg.Client, serverUrl: string, runPrefix: string): Promise<string> {
  const template = `${runPrefix}_template`;
  const draft = `${template}_draft`;
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount !== 0) return template;
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(draft)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(draft)} TEMPLATE template0`);
    await migrate({ url: withDatabase(serverUrl, draft), logger: silentLogger });
    await client.query(
      `ALTER DATABASE ${client.escapeIdentifier(draft)} RENAME TO ${client.escapeIdentifier(template)}`,
    );
    return template;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, (client) =>
    client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`),
  );
}
