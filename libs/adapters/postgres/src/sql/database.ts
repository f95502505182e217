import { RepotideError } from '@core/domain';
import type pg from 'pg';
import { ConnectionPool, type DatabaseOptions } from './connection-pool.js';
import {
  addressOf,
  SQLSTATE,
  sqlStateOf,
  translateDatabaseError,
  unreachable,
  noRow,
} from './database-error.js';
import { withPropertyNames } from './rows.js';

export interface Queryable {
  /**
   * Runs one statement. Columns come back with the names of properties (`last_sync_at` as `lastSyncAt`), `bigint`
   * and `numeric` as numbers where they fit, `timestamptz` as `Date`.
   * @throws RepotideError temporary `database_unreachable`, `database_timeout` or `database_contention`; internal
   *   `database_error` with the SQLSTATE in its details.
   */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<Row[]>;
  /** The first row of the result, or null. */
  first<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row | null>;
  /** Whether the statement returns a row. */
  has(sql: string, parameters?: readonly unknown[]): Promise<boolean>;
  /** The row of a statement that always returns one. */
  one<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row>;
}

/** The pool of connections that all stores share. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when it resolves, rolls back when it throws.
   * Retries it when Postgres aborts it to resolve a deadlock, or because a row that it waited for has moved to another
   * partition, so it must have no other side effects. Single statements are retried too.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Runs several reads on one snapshot, so that an execution that ends in between is not counted twice. */
  snapshot<T>(read: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Resolves when the database answers. @throws temporary `database_unreachable`. */
  ping(): Promise<void>;
  /** Waits for running statements and until the server has closed all connections. Repeating is harmless. */
  close(): Promise<void>;
}

const RETRIES = 2;
const ABORTS: readonly (string | null)[] = [SQLSTATE.deadlockDetected, SQLSTATE.serializationFailure];

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!ABORTS.includes(sqlStateOf(error)) || attempt >= RETRIES) throw error;
    }
  }
}

/**
 * Opens the pool and proves that the database answers.
 * @throws invalid `database_url_invalid`; temporary `database_unreachable`; unauthorized
 *   `database_credentials_rejected`; invalid `database_missing`. None of them shows user or password.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const database = new PooledDatabase(new ConnectionPool(options), options);
  try {
    await database.ping();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PooledDatabase implements Database {
  private readonly address: string;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly pool: ConnectionPool,
    private readonly options: DatabaseOptions,
  ) {
    this.address = addressOf(options.url);
  }

  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return retried(() =>
      this.withClient((client) => queryableOver(client, this.address).query<Row>(sql, parameters)),
    );
  }

  async first<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row | null> {
    return (await this.query<Row>(sql, parameters))[0] ?? null;
  }

  async has(sql: string, parameters?: readonly unknown[]): Promise<boolean> {
    return (await this.query(sql, parameters)).length > 0;
  }

  async one<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row> {
    return (await this.query<Row>(sql, parameters))[0] ?? noRow();
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return retried(() => this.transactOnce(work));
  }

  snapshot<T>(read: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.transaction(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return read(tx);
    });
  }

  async ping(): Promise<void> {
    await this.withClient((client) => client.query('SELECT 1'));
  }

  close(): Promise<void> {
    this.closing ??= this.pool.close();
    return this.closing;
  }

  private transactOnce<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.withClient(async (client, discard) => {
      await client.query('BEGIN');
      try {
        const result = await work(queryableOver(client, this.address));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // While a statement still runs, ROLLBACK would only wait; dropping the connection rolls back too.
        if (!isConnectionUnknown(error)) await client.query('ROLLBACK').catch(discard);
        throw error;
      }
    });
  }

  /** @param work may `discard` the connection: it then does not return to the pool. */
  private async withClient<T>(
    work: (client: pg.PoolClient, discard: (reason: Error) => void) => Promise<T>,
  ): Promise<T> {
    if (this.closing !== undefined) {
      const message = 'The database connection was closed by this process.';
      throw new RepotideError('temporary', 'database_closed', message);
    }
    const client = await this.connect();
    let broken: Error | undefined;
    const discard = (reason: Error): void => {
      broken ??= reason;
    };
    // Without a listener a connection that breaks while it is checked out would end the process.
    client.on('error', discard);
    try {
      return await work(client, discard);
    } catch (error) {
      const translated = translateDatabaseError(error, this.address);
      if (isConnectionUnknown(translated)) discard(translated);
      throw translated;
    } finally {
      client.removeListener('error', discard);
      client.release(broken);
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      if (sqlStateOf(error) !== null) throw translateDatabaseError(error, this.address);
      throw unreachable(error, this.address, this.options.tlsDir !== undefined);
    }
  }
}

function queryableOver(client: pg.ClientBase, address: string): Queryable {
  const query = async <Row extends object>(sql: string, parameters: readonly unknown[] = []) => {
    try {
      const result = await client.query<Record<string, unknown>>(sql, [...parameters]);
      return withPropertyNames<Row>(result.rows);
    } catch (error) {
      throw translateDatabaseError(error, address);
    }
  };
  return {
    query,
    first: async <Row extends object>(sql: string, parameters?: readonly unknown[]) =>
      (await query<Row>(sql, parameters))[0] ?? null,
    has: async (sql, parameters) => (await query(sql, parameters)).length > 0,
    one: async <Row extends object>(sql: string, parameters?: readonly unknown[]) =>
      (await query<Row>(sql, parameters))[0] ?? noRow(),
  };
}

/** The connection is lost, or a statement still runs on it: it must not return to the pool. */
function isConnectionUnknown(error: unknown): boolean {
  return (
    error instanceof RepotideError && error.code === 'database_unreachable' && sqlStateOf(error) === null
  );
}

/** The database's clock. */
export async function clockOf(db: Queryable): Promise<Date> {
  return (await db.one<{ now: Date }>('SELECT clock_timestamp() AS now')).now;
}
