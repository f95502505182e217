import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@adapters/postgres';
import pg from 'pg';
import { silentLogger } from '../../support/silent-logger.js';

const RECONNECT_MS = 100;
/** Crash recovery and a restart on a busy machine. */
const PATIENCE_MS = 90_000;
/** Marks our own sessions, so that they outlive {@link PostgresUnderTest.terminateBackends}. */
const OBSERVER = 'faults-observer';

/** The PostgreSQL of a data directory, as one who looks on and does it harm. */
export class PostgresUnderTest {
  private pool: pg.Pool | null = null;

  constructor(
    private readonly dataDir: string,
    private readonly stopServer: () => Promise<void> = async () => undefined,
  ) {}

  /** A durable server of our own: what is committed must survive a crash. */
  static async start(dataDir: string): Promise<PostgresUnderTest> {
    const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger, maxConnections: 300 });
    return new PostgresUnderTest(dataDir, () => server.stop());
  }

  async port(): Promise<number> {
    return Number((await this.pidFile())[3]);
  }

  async url(port?: number): Promise<string> {
    const password = (await readFile(join(this.dataDir, 'postgres', 'repotide.password'), 'utf8')).trim();
    return `postgresql://repotide:${password}@127.0.0.1:${port ?? (await this.port())}/repotide?sslmode=disable`;
  }

  /** Asks again through restarts of the server. Only for statements that may be repeated. */
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

  /** As `pg_ctl stop -m immediate` does it; whoever keeps the server starts it again. */
  async crash(): Promise<void> {
    process.kill(Number((await this.pidFile())[0]), 'SIGQUIT');
  }

  /** Ends every session but ours. */
  async terminateBackends(): Promise<void> {
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name <> $1`,
      [OBSERVER],
    );
  }

  /** Lets nobody claim, edit or look at a schedule for so long. */
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

  /** The server may come back at another address. */
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

  private async pidFile(): Promise<string[]> {
    return (await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  }
}

/** SQLSTATE classes 08 (connection) and 57 (operator intervention) say nothing about the statement. */
function isStatementAtFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code);
}
