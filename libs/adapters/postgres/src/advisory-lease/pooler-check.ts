import { RepotideError } from '@core/domain';
import type pg from 'pg';

/** Other clients of a pooler may by chance make one round look right; five hardly. */
const ROUNDS = 5;
/** The whole exchange takes milliseconds. A server that stops answering must not keep the second connection open. */
const EXCHANGE_LIMIT_MS = 8_000;

/**
 * Refuses a pooler that shares server sessions between clients, as PgBouncer does in transaction and
 * statement mode: a session lock taken there stays on a session that other clients use. Two clients
 * alternately query the pid of their server process: with separate sessions each sees the same pid every
 * time, and never the other's.
 * @param client is connected; its session is not changed.
 * @throws invalid `lease_needs_direct_connection`
 */
export async function refuseTransactionPooler(
  client: pg.Client,
  newClient: () => pg.Client,
  address: string,
): Promise<void> {
  const second = newClient();
  // Without a listener, an error after the last query would end the process.
  second.on('error', () => undefined);
  await second.connect();
  const limit = setTimeout(() => second.connection.stream.destroy(), EXCHANGE_LIMIT_MS);
  try {
    const mine = await backendOf(client);
    const other = await backendOf(second);
    let isShared = mine === other;
    for (let round = 1; round < ROUNDS && !isShared; round += 1) {
      isShared = (await backendOf(client)) !== mine || (await backendOf(second)) !== other;
    }
    if (isShared) throw sharedSessions(address);
  } finally {
    await second.end();
    clearTimeout(limit);
  }
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

function sharedSessions(address: string): RepotideError {
  const message =
    `DATABASE_URL leads to ${address}, where a pooler shares server sessions between clients (PgBouncer with pool_mode ` +
    'transaction or statement). Leases are locks of a session. Expected: the address of Postgres itself, or a pool ' +
    'with pool_mode = session; or configure Redis, which then holds the leases.';
  return new RepotideError('invalid', 'lease_needs_direct_connection', message, { details: { address } });
}
