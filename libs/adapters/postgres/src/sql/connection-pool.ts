import { once } from 'node:events';
import { RepotideError } from '@core/domain';
import pg from 'pg';
import { type ConnectionTarget, optionsFor } from './connection-target.js';
import { addressOf } from './database-error.js';

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

/**
 * Options of pg's pool.
 * @throws invalid `database_url_invalid`, without showing the URL.
 */
export function poolSettings(options: DatabaseOptions): pg.PoolConfig & Pick<PoolHooks, 'onConnect'> {
  const { url, poolSize = 10, applicationName = 'repotide' } = options;
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS } = options;
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    const message =
      'DATABASE_URL is not a Postgres URL. Expected e.g. postgres://user:password@host:5432/database (percent-encode special characters of the password).';
    throw new RepotideError('invalid', 'database_url_invalid', message);
  }
  return {
    ...optionsFor(options),
    application_name: applicationName,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: parseAsJavaScript,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + CLIENT_GRACE_MS,
    onConnect: (client) => client.query(sessionSettings(statementTimeoutMs)),
  };
}

interface PoolHooks {
  /** pg-pool awaits it, although its types do not say so. */
  onConnect: (client: pg.ClientBase) => Promise<unknown>;
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

/**
 * pg's pool reports its end before the server has closed the connections. A server that stops at that moment
 * terminates them itself, which looks like a lost connection, so closing waits until all of them are closed.
 */
export class ConnectionPool extends pg.Pool {
  private readonly open = new Set<pg.ClientBase>();
  private isClosing = false;

  constructor(options: DatabaseOptions) {
    super(poolSettings(options));
    this.on('connect', (client) => {
      this.open.add(client);
      client.once('end', () => this.open.delete(client));
    });
    this.on('error', ({ message: reason }) => {
      const fields = { address: addressOf(options.url), reason };
      if (!this.isClosing) options.logger.warn(fields, 'idle database connection lost');
    });
  }

  /** Resolves when the server has closed all connections, or after 5 s. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.end();
    const signal = AbortSignal.timeout(GOODBYE_MS);
    await Promise.allSettled([...this.open].map((client) => once(client, 'end', { signal })));
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
