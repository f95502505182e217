import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RepotideError } from '@core/domain';
import pg from 'pg';
import { DATABASE, type DataPaths, SUPERUSER } from './data-dir.js';
import { codeOf, dataDirInUse, passwordRejected } from './failures.js';
import { type Postmaster } from './postmaster.js';

/** Advisory lock key, spelled "repo" "tide"; in the maintenance database, where Repotide takes no other locks. */
const LOCK_KEY = [0x7265706f, 0x74696465] as const;
const MAINTENANCE_DATABASE = 'postgres';
const NAME_PREFIX = 'repotide-owner:';
/** The session of a killed owner ends within moments, not at once. */
const LOCK_PATIENCE_MS = 2_000;
const LOCK_POLL_MS = 50;
const QUERY_TIMEOUT_MS = 10_000;

/** SQLSTATEs and socket errors of a server that is starting, stopping, full or unreachable: check again. */
const NOT_NOW = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Proof that only this process may use and stop the server: a session that holds the server's own lock. */
export interface Ownership {
  readonly postmaster: Postmaster;
  /** Resolves when the session has ended for any reason. */
  readonly ended: Promise<void>;
  /** Queries the server; false when the session has ended. */
  confirm(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Claims the server for this process. The kernel closes the session when the process ends, however it ends,
 * so there is no lock file that could become stale.
 * @returns null when the server cannot be used at the moment (it is starting, stopping or has exited).
 * @throws conflict `data_dir_in_use`; invalid `embedded_postgres_password_rejected`.
 */
export async function claimServer(
  paths: DataPaths,
  postmaster: Postmaster,
  password: string,
): Promise<Ownership | null> {
  const session = openSession(postmaster, password);
  try {
    await session.client.connect();
    if (!(await tryLock(session.client))) throw dataDirInUse(paths.dataDir, await findHolder(session.client));
    await ensureDatabase(session.client);
  } catch (thrown) {
    await session.close();
    const code = codeOf(thrown);
    if (code === '28P01') throw passwordRejected(paths.passwordFile, thrown);
    // The client's own errors (connection ended, time-outs) carry no code.
    if (thrown instanceof RepotideError || (code !== null && !NOT_NOW.has(code))) throw thrown;
    return null;
  }
  session.socket.unref();
  return {
    postmaster,
    ended: session.ended,
    confirm: () => confirm(session),
    release: session.close,
  };
}

interface Session {
  client: pg.Client;
  socket: Socket;
  ended: Promise<void>;
  close: () => Promise<void>;
}

function openSession(postmaster: Postmaster, password: string): Session {
  const socket = new Socket();
  const client = new pg.Client({
    host: '127.0.0.1',
    port: postmaster.port,
    user: SUPERUSER,
    password,
    database: MAINTENANCE_DATABASE,
    application_name: `${NAME_PREFIX}${process.pid}`,
    ssl: false,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    stream: () => socket,
  });
  // Every end of the session, with or without an error, closes the socket. An 'error' without a listener
  // would end the process.
  client.on('error', () => socket.destroy());
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const close = async (): Promise<void> => {
    socket.ref();
    await client.end().catch(() => undefined);
    socket.destroy();
  };
  return { client, socket, ended, close };
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ is_locked: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS is_locked',
      [...LOCK_KEY],
    );
    if (rows[0]?.is_locked) return true;
    if (performance.now() > deadline) return false;
    await sleep(LOCK_POLL_MS);
  }
}

async function findHolder(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2`,
    [...LOCK_KEY],
  );
  const name = rows[0]?.name ?? '';
  return name.startsWith(NAME_PREFIX) ? Number(name.slice(NAME_PREFIX.length)) : null;
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
}

async function confirm(session: Session): Promise<boolean> {
  session.socket.ref();
  return session.client.query('SELECT').then(
    () => true,
    () => false,
  );
}
