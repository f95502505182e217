import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, startEmbeddedPostgres, type Database } from '@adapters/postgres';
import { runCommand, until, type RunningCommand } from './command-line.js';
import { createTestDatabase } from './postgres.js';
import { silentLogger } from './silent-logger.js';

export const ADMIN_TOKEN = 'admin-token-of-the-tests';

export interface Answer<T> {
  status: number;
  body: T;
}

/** A running `repotide serve` and its API, called with the admin token. */
export interface Service {
  readonly url: string;
  readonly command: RunningCommand;
  call<T>(method: string, path: string, body?: object, token?: string | null): Promise<Answer<T>>;
  /** Returns the body. @throws when the answer is not a success. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  /** Sends SIGTERM. @returns the exit code. */
  stop(): ReturnType<RunningCommand['end']>;
}

/** A data directory, a database, and the processes that a test runs on them. */
export interface Installation {
  readonly dataDir: string;
  /** Runs any command on it. */
  run(args: readonly string[], env?: Record<string, string>): RunningCommand;
  /** @throws with the output of the process when it does not listen. */
  serve(env?: Record<string, string>): Promise<Service>;
  /** Reads or changes the database; an embedded one only while no process uses it. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** The process id of the embedded database server; null when the last server stopped properly. */
  databaseServer(): Promise<number | null>;
  /** Ends the processes that still run, and removes directory and database. */
  remove(): Promise<void>;
}

/** Off by default, because a waiting test polls more often than any user; only tests of the limit set it. */
const NO_REQUEST_LIMIT = { API_RATE_LIMIT_PER_MINUTE: '0' };

/** Uses a database of the test run's server unless `env` names one, because starting an embedded one takes seconds. */
export async function createInstallation(env: Record<string, string>): Promise<Installation> {
  if (env['DATABASE_URL'] !== undefined) return createEmbeddedInstallation(env);
  const testDatabase = await createTestDatabase();
  const { url } = testDatabase;
  const installation = await createEmbeddedInstallation({ DATABASE_URL: url, ...env });
  return {
    ...installation,
    withDatabase: async (work) => {
      const database = await connectDatabase({ url, poolSize: 2, logger: silentLogger });
      return work(database).finally(() => database.close());
    },
    remove: async () => {
      await installation.remove();
      await testDatabase.drop();
    },
  };
}

/** With the embedded database, for tests that start and stop it. @param env the complete environment of all its processes. */
export async function createEmbeddedInstallation(env: Record<string, string>): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-installation-'));
  const dataDir = join(directory, 'data');
  const commands: RunningCommand[] = [];

  const run: Installation['run'] = (args, more = {}) => {
    const command = runCommand(args, { REPOTIDE_DATA_DIR: dataDir, ...NO_REQUEST_LIMIT, ...env, ...more });
    commands.push(command);
    return command;
  };
  const withDatabase: Installation['withDatabase'] = async (work) => {
    const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
    const database = await connectDatabase({ url: server.url, logger: silentLogger });
    try {
      return await work(database);
    } finally {
      await database.close();
      await server.stop();
    }
  };
  const databaseServer = async (): Promise<number | null> => {
    const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null);
    return file === null ? null : Number(file.split('\n', 1)[0]);
  };
  return {
    dataDir,
    run,
    withDatabase,
    databaseServer,
    serve: (more = {}) => {
      const settings = { PORT: '0', HOST: '127.0.0.1', REPOTIDE_ADMIN_TOKEN: ADMIN_TOKEN, ...more };
      return listening(run(['serve'], settings), settings.REPOTIDE_ADMIN_TOKEN);
    },
    remove: async () => {
      await Promise.all(commands.map((command) => command.end('SIGKILL')));
      // A killed service leaves its database server running; opening the database adopts it and closing stops it.
      if ((await databaseServer()) !== null) await withDatabase(() => Promise.resolve());
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Also false for a zombie process: containers often have no init process that reaps orphans. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return !/^State:\s+Z/m.test(status);
}

async function listening(command: RunningCommand, adminToken: string): Promise<Service> {
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  const address = (): string | undefined => /listens on (http:\S+)/.exec(command.stderr())?.[1];
  await until('the service to listen', () => hasEnded || address() !== undefined);
  const url = address();
  if (url === undefined) throw new Error(`The service did not start: ${command.stderr()}`);

  const call: Service['call'] = async <T>(
    method: string,
    path: string,
    body?: object,
    token: string | null = adminToken,
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T };
  };
  const succeed = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await call<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  return {
    url,
    command,
    call,
    get: (path) => succeed('GET', path),
    post: (path, body) => succeed('POST', path, body),
    stop: () => command.end('SIGTERM'),
  };
}
