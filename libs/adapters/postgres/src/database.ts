import { type Logger, RepotideError } from '@core/domain';
import type pg from 'pg';
import { type DataSource, type DataSourceOptions, type Logger as TypeOrmLogger } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { addressOf, SQLSTATE, sqlStateOf, translateDatabaseError, unreachable } from './database-error.js';
import { OpenConnections, PooledDataSource } from './open-connections.js';
import { parseAsJavaScript } from './value-types.js';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database?sslmode=...` */
  url: string;
  /** Most connections that this process opens. Default 10, as pg has it. */
  poolSize?: number;
  /** Shown in `pg_stat_activity`; name the pod. */
  applicationName?: string;
  /** No statement runs longer; 0 for no limit. Default 30 s: half a lease, so that a stuck statement never outlives it. */
  statementTimeoutMs?: number;
  logger: Logger;
}

export interface Queryable {
  /**
   * Runs one statement. `bigint` and `numeric` come back as numbers where they fit, `timestamptz` as `Date`.
   * @throws RepotideError temporary `database_unreachable`, `database_timeout` or `database_contention`; internal
   *   `database_error` with the SQLSTATE in its details.
   */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<Row[]>;
}

/** The pool of connections that all stores share. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one READ COMMITTED transaction: committed when it resolves, rolled back when it throws. Runs it
   * again, twice at most, when Postgres chose it as the victim of a deadlock, so it must have no other effects.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Resolves when the database answers. @throws temporary `database_unreachable`. */
  ping(): Promise<void>;
  /** Waits for running statements, then until the server has let go of all connections. Repeating is harmless. */
  close(): Promise<void>;
}

/** Covers a container's cold start and a DNS retry; also the longest wait for a free connection. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
/** A row lock here is held for one short transaction; longer means trouble that the caller should hear about. */
const LOCK_TIMEOUT_MS = 10_000;
/** A process that stops in the middle of a transaction (SIGSTOP, debugger) must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/** The network may be gone without a word: the client gives up a little after the server would have. */
const CLIENT_GRACE_MS = 5_000;
const DEADLOCK_RETRIES = 2;
/** Longer than schedules' most common intervals: each full minute would otherwise open all connections anew. */
const IDLE_CONNECTION_MS = 5 * 60_000;

/**
 * Opens the pool and proves that the database answers.
 * @throws invalid `database_url_invalid`; temporary `database_unreachable`; unauthorized
 *   `database_credentials_rejected`; invalid `database_missing`. None of them shows user or password.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const dataSource = await openDataSource(options);
  const address = addressOf(options.url);
  const driver = dataSource.driver as PostgresDriver;
  let closing: Promise<void> | undefined;

  async function withClient<T>(
    work: (client: pg.PoolClient, discard: (reason: Error) => void) => Promise<T>,
  ): Promise<T> {
    if (closing !== undefined) {
      throw new RepotideError(
        'temporary',
        'database_closed',
        'The database connection was closed by this process.',
      );
    }
    const [client, release] = await acquire(driver, address);
    let broken: Error | undefined;
    const discard = (reason: Error): void => {
      broken ??= reason;
    };
    // Without a listener a connection that breaks while it is checked out would end the process.
    client.on('error', discard);
    try {
      return await work(client, discard);
    } catch (error) {
      const translated = translateDatabaseError(error, address);
      if (isConnectionUnknown(translated)) discard(translated);
      throw translated;
    } finally {
      client.removeListener('error', discard);
      release(broken);
    }
  }

  async function transactOnce<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withClient(async (client, discard) => {
      await client.query('BEGIN');
      try {
        const result = await work(queryableOver(client, address));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // Behind a statement that never ended a ROLLBACK would only wait; dropping the connection rolls back too.
        if (!isConnectionUnknown(error)) await client.query('ROLLBACK').catch(discard);
        throw error;
      }
    });
  }

  return {
    query: (sql, parameters) => withClient((client) => queryableOver(client, address).query(sql, parameters)),
    async transaction(work) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await transactOnce(work);
        } catch (error) {
          const isVictim = sqlStateOf(error) === SQLSTATE.deadlockDetected;
          if (!isVictim || attempt >= DEADLOCK_RETRIES) throw error;
        }
      }
    },
    async ping() {
      await withClient((client) => client.query('SELECT 1'));
    },
    close() {
      closing ??= dataSource.destroy();
      return closing;
    },
  };
}

/** A TypeORM data source without entities: it owns the pool and runs migrations; the stores speak SQL. */
export async function openDataSource(
  options: DatabaseOptions & {
    migrations?: DataSource['options']['migrations'];
    migrationsTableName?: string;
  },
): Promise<DataSource> {
  const { url, poolSize = 10, applicationName = 'repotide', logger } = options;
  const statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const address = addressOf(url);
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new RepotideError(
      'invalid',
      'database_url_invalid',
      'DATABASE_URL is not a Postgres URL. Expected e.g. postgres://user:password@host:5432/database (percent-encode special characters of the password).',
    );
  }
  const connections = new OpenConnections();
  const dataSourceOptions: DataSourceOptions = {
    type: 'postgres',
    entities: [],
    migrations: options.migrations ?? [],
    migrationsTableName: options.migrationsTableName,
    installExtensions: false,
    logger: quietly(logger),
    applicationName,
    poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: (error: Error) => {
      if (connections.isClosing) return;
      logger.warn({ address, reason: error.message }, 'idle database connection lost');
    },
    extra: {
      ...poolSettings(url, statementTimeoutMs),
      // pg-pool waits for it, whatever its types say.
      onConnect: (client: pg.ClientBase) => {
        connections.add(client);
        return client.query(sessionSettings(statementTimeoutMs));
      },
    },
  };
  try {
    return await new PooledDataSource(dataSourceOptions, connections).initialize();
  } catch (error) {
    throw sqlStateOf(error) === null ? unreachable(error, address) : translateDatabaseError(error, address);
  }
}

/** TypeORM's own logger prints to the console, statements and parameters included; errors reach us as exceptions. */
function quietly(logger: Logger): TypeOrmLogger {
  const ignore = (): void => undefined;
  return {
    logQuery: ignore,
    logQueryError: ignore,
    logQuerySlow: ignore,
    logSchemaBuild: ignore,
    logMigration: ignore,
    log: (level, message) => logger.debug({ level, detail: String(message) }, 'message of TypeORM'),
  };
}

/** Passed on to pg as they are; TypeORM's own `url` option would lose sslmode and friends. */
function poolSettings(url: string, statementTimeoutMs: number): pg.PoolConfig {
  return {
    connectionString: url,
    types: parseAsJavaScript,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + CLIENT_GRACE_MS,
  };
}

/**
 * Sent as statements, not in the start-up packet: PgBouncer refuses start-up parameters that it does not know.
 * Keepalives let the server drop a vanished pod's locks after 25 s instead of two hours.
 */
function sessionSettings(statementTimeoutMs: number): string {
  return `SET statement_timeout = ${statementTimeoutMs};
    SET lock_timeout = ${LOCK_TIMEOUT_MS};
    SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`;
}

async function acquire(
  driver: PostgresDriver,
  address: string,
): Promise<[pg.PoolClient, (error?: Error) => void]> {
  try {
    return (await driver.obtainMasterConnection()) as [pg.PoolClient, (error?: Error) => void];
  } catch (error) {
    throw sqlStateOf(error) === null ? unreachable(error, address) : translateDatabaseError(error, address);
  }
}

function queryableOver(client: pg.ClientBase, address: string): Queryable {
  return {
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      try {
        const result = await client.query<Row>(sql, [...parameters]);
        return result.rows;
      } catch (error) {
        throw translateDatabaseError(error, address);
      }
    },
  };
}

/** Lost, or a statement is still running on it: such a connection must not return to the pool. */
function isConnectionUnknown(error: unknown): boolean {
  return (
    error instanceof RepotideError && error.code === 'database_unreachable' && sqlStateOf(error) === null
  );
}
