import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@adapters/postgres';
import { databaseNameOf, onServer, withDatabase } from './postgres-url.js';
import { silentLogger } from './silent-logger.js';

const DIR_PREFIX = 'repotide-test-';
/** Stopping a server of a killed run takes moments; after this time the next run has to stop it. */
const SWEEP_TIMEOUT_MS = 20_000;

/**
 * Provides one PostgreSQL server for a whole test run and passes its address to tests and their child processes in
 * `TEST_POSTGRES_URL`; a server named there is used instead. `TEST_RUN_ID` keeps the databases of runs apart.
 * @returns a function that stops it.
 */
export async function startTestServer(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  env.TEST_RUN_ID = randomBytes(4).toString('hex');
  if (env.TEST_POSTGRES_URL) {
    const url = env.TEST_POSTGRES_URL;
    databaseNameOf(url);
    return () => dropDatabasesOfRun(url, `${databaseNameOf(url)}_${env.TEST_RUN_ID}_`);
  }
  await sweepKilledRuns();
  const dataDir = await mkdtemp(join(tmpdir(), `${DIR_PREFIX}${process.pid}-`));
  // PostgreSQL runs as another user when the test runs as root. That user must be able to traverse the directory.
  await chmod(dataDir, 0o711);
  const server = await startIn(dataDir).catch(async (thrown: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw thrown;
  });
  env.TEST_POSTGRES_URL = withDatabase(server.url, 'repotide_test');
  await onServer(server.url, (client) => client.query('CREATE DATABASE repotide_test'));
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

function startIn(dataDir: string, signal?: AbortSignal): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    logger: silentLogger,
    isDurable: false,
    maxConnections: 200,
    signal,
  });
}

/** A killed run leaves its server and directory behind: adopts the server, as the next run of it would, and stops it. */
async function sweepKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(DIR_PREFIX) || isRunning(Number.parseInt(name.slice(DIR_PREFIX.length), 10)))
      continue;
    const dataDir = join(tmpdir(), name);
    try {
      if (existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) {
        const orphan = await startIn(dataDir, AbortSignal.timeout(SWEEP_TIMEOUT_MS));
        await orphan.stop();
      }
      await rm(dataDir, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another run is removing it too; it disturbs no test.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function dropDatabasesOfRun(url: string, prefix: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) {
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(datname)} WITH (FORCE)`);
    }
  });
}
