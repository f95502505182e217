import { once } from 'node:events';
import { type Logger, RepotideError } from '@core/domain';
import pg from 'pg';
import { DataSource, type DataSourceOptions, type Logger as TypeOrmLogger } from 'typeorm';
import { type ConnectionTarget, optionsFor } from './connection-target.js';
import { addressOf, sqlStateOf, translateDatabaseError, unreachable } from './database-error.js';

export interface DatabaseOptions extends ConnectionTarget {
  /** Maximum number of connections of this process. Default 10, as in pg. */
  poolSize?: number;
  /** Shown in `pg_stat_activity`; name the pod. */
  applicationName?: string;
  /** Time limit of a statement; 0: none. Default 30 s: half a lease, so that a stuck statement never outlives it. */
  statementTimeoutMs?: number;
}

/** Covers a container's cold start and a DNS retry; also the longest wait for a free connection. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
/** Row locks are held for one short transaction; a longer wait is an error of the caller. */
const LOCK_TIMEOUT_MS = 10_000;
/** A process that freezes inside a transaction (SIGSTOP, debugger) must not hold its locks forever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/** The server may have vanished, so the client times out a little later than the server would. */
const CLIENT_GRACE_MS = 5_000;
/** Longer than the most common schedule intervals; otherwise each full minute would reopen all connections. */
const IDLE_CONNECTION_MS = 5 * 60_000;

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
      ...poolSettings(options, statementTimeoutMs),
      // pg-pool awaits this callback, although its types do not say so.
      onConnect: (client: pg.ClientBase) => {
        connections.add(client);
        return client.query(sessionSettings(statementTimeoutMs));
      },
    },
  };
  try {
    return await new PooledDataSource(dataSourceOptions, connections).initialize();
  } catch (error) {
    const usesTls = options.tlsDir !== undefined;
    throw sqlStateOf(error) === null
      ? unreachable(error, address, usesTls)
      : translateDatabaseError(error, address);
  }
}

/** TypeORM's own logger would print statements and parameters; errors reach us as exceptions. */
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

/** Passed to pg unchanged: TypeORM's own `url` option would lose sslmode and other parameters. */
function poolSettings(target: ConnectionTarget, statementTimeoutMs: number): pg.PoolConfig {
  return {
    ...optionsFor(target),
    types: parseAsJavaScript,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + CLIENT_GRACE_MS,
  };
}

/**
 * Sent as statements, not in the start-up packet: PgBouncer refuses start-up parameters that it does not know.
 * JIT compilation and the start of parallel workers take longer than any of these statements. Keepalives let the server drop a vanished pod's locks after 25 s instead of two hours.
 */
function sessionSettings(statementTimeoutMs: number): string {
  return `SET statement_timeout = ${statementTimeoutMs};
    SET lock_timeout = ${LOCK_TIMEOUT_MS};
    SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS};
    SET jit = off; SET max_parallel_workers_per_gather = 0;
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`;
}

/** Without this limit a connection whose server vanished would keep a closing process alive forever. */
const GOODBYE_MS = 5_000;

/** The connections of one pool, from their creation until the server has closed them. */
class OpenConnections {
  isClosing = false;
  private readonly open = new Set<pg.ClientBase>();

  add(client: pg.ClientBase): void {
    this.open.add(client);
    client.once('end', () => this.open.delete(client));
  }

  /** Resolves when all have ended, or after 5 s. */
  async ended(): Promise<void> {
    const signal = AbortSignal.timeout(GOODBYE_MS);
    await Promise.allSettled([...this.open].map((client) => once(client, 'end', { signal })));
  }
}

/**
 * pg's pool reports its end before the server has closed the connections. A server that stops at that moment
 * terminates them itself, which looks like a lost connection, so closing waits until all of them are closed.
 */
class PooledDataSource extends DataSource {
  constructor(
    options: DataSourceOptions,
    private readonly connections: OpenConnections,
  ) {
    super(options);
  }

  override async destroy(): Promise<void> {
    this.connections.isClosing = true;
    await super.destroy();
    await this.connections.ended();
  }
}

const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

/** Returns a number, or Postgres's text where a number would lose digits. */
function numberWhereSafe(text: string): number | string {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
}

/** pg reads `bigint` and `numeric` as text; counts, sizes and fences are far below 2^53. */
export const parseAsJavaScript: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((value: string) => unknown) =>
    NUMBERS.includes(oid) && format !== 'binary'
      ? numberWhereSafe
      : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};
