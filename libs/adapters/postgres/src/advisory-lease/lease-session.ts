import { RepotideError } from '@core/domain';
import pg from 'pg';
import { addressOf, sqlStateOf, translateDatabaseError, unreachable } from '../sql/database-error.js';
import { parseAsJavaScript } from '../sql/connection-pool.js';
import { withPropertyNames } from '../sql/rows.js';
import { refuseTransactionPooler } from './pooler-check.js';
import { BROKEN_CHANNEL } from './statements.js';

export interface LeaseSessionOptions {
  url: string;
  /** How pg reaches it, see `optionsFor`. */
  connection: pg.ClientConfig;
  podName: string;
  /** The session has ended, and with it every lock. Called once. @param why completes "The lease was lost: ...". */
  onEnd: (why: string) => void;
  /** The lease of this repository was broken; its holder may be this process. */
  onBroken: (repositoryId: string) => void;
}

/** Same as the pool's: covers a container's cold start and a DNS retry. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The statements take a millisecond. One that waits longer for a row lock must not delay renewals. */
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 3_000;
/** Longer than the server's own time limit. */
const ANSWER_TIMEOUT_MS = 8_000;

/**
 * Keepalives release the locks of a vanished host after 25 s instead of two hours. A session without leases
 * is idle for long, and some servers are configured to end idle sessions.
 */
const SESSION_SETTINGS = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET lock_timeout = ${LOCK_TIMEOUT_MS}; SET idle_session_timeout = 0;
  SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
  LISTEN ${BROKEN_CHANNEL}`;

/** The connection, outside every pool, that holds all leases of this process; they end with it. */
export class LeaseSession {
  private isOver = false;

  private constructor(
    private readonly client: pg.Client,
    private readonly address: string,
    private readonly onEnd: (why: string) => void,
  ) {}

  /**
   * @throws invalid `lease_needs_direct_connection` behind a pooler that shares sessions; otherwise as
   *   `connectDatabase`.
   */
  static async open(options: LeaseSessionOptions): Promise<LeaseSession> {
    const address = addressOf(options.url);
    const client = newClient(options);
    const session = new LeaseSession(client, address, options.onEnd);
    client.on('error', (error) => session.over(`the database connection broke (${error.message})`));
    client.on('end', () => session.over('the database connection ended'));
    client.on('notification', ({ payload }) => options.onBroken(payload ?? ''));
    try {
      await client.connect();
      // A server that stops answering here would otherwise block every lease of this process until TCP gives up.
      await session.inTime(refuseTransactionPooler(client, () => newClient(options), address));
      await session.inTime(client.query(SESSION_SETTINGS));
      return session;
    } catch (error) {
      session.drop('it could not be set up');
      if (error instanceof RepotideError || sqlStateOf(error) !== null)
        throw translateDatabaseError(error, address);
      throw unreachable(error, address);
    }
  }

  /**
   * Statements run in the order of their calls. Resolves however late the answer comes; rejects when the
   * statement fails or the session ends. Use {@link LeaseSession.inTime} to limit the wait.
   */
  async query<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    try {
      const { rows } = await this.client.query<Record<string, unknown>>(sql, [...parameters]);
      return withPropertyNames<Row>(rows);
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  /** @throws temporary `lease_unavailable` when the answer takes too long; the statement may still take effect. */
  async inTime<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(this.unavailable(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)));
      timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Destroys the connection without an orderly end, which a silent server would not answer. @param why as for
   * `onEnd`.
   */
  drop(why: string): void {
    this.over(why);
    this.client.connection.stream.destroy();
  }

  /** Ends the session in order. Repeating is harmless. */
  async close(why: string): Promise<void> {
    this.over(why);
    await this.inTime(this.client.end()).catch(() => this.client.connection.stream.destroy());
  }

  private over(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd(why);
  }

  private unavailable(error: unknown): RepotideError {
    const { message: reason, details } = translateDatabaseError(error, this.address);
    const message = `No lease can be taken or seen now. ${reason}`;
    return new RepotideError('temporary', 'lease_unavailable', message, { cause: error, details });
  }
}

function newClient({ connection, podName }: LeaseSessionOptions): pg.Client {
  return new pg.Client({
    ...connection,
    types: parseAsJavaScript,
    application_name: `repotide:${podName}:leases`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
}
