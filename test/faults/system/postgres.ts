import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@adapters/postgres';
import pg from 'pg';
import { silentLogger } from '../../support/silent-logger.js';

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

  private async pidFile(): Promise<string[]> {
    return (await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  }
}

/** SQLSTATE classes 08 (connection), 53 (resources) and 57 (operator intervention) are failures of the server, not of the statement. */
function isStatementAtFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code);
}
