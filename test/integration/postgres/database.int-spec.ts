import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connectDatabase, type Database } from '@adapters/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { silentLogger } from '../../support/silent-logger.js';

let database: TestDatabase;
let db: Database;
let other: Database;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  db = await connectDatabase({ url: database.url, poolSize: 3, logger: silentLogger });
  other = await connectDatabase({ url: database.url, poolSize: 1, logger: silentLogger });
  await db.query('CREATE TABLE numbers (n bigint PRIMARY KEY, note text)');
});
afterAll(async () => {
  await db.close();
  await other.close();
  await database.drop();
});

describe('the database pool', () => {
  it('reads numbers as numbers where no digit is lost, and times as dates', async () => {
    const [row] = await db.query(
      `SELECT 42::bigint AS small, 9007199254740993::bigint AS large, 2.5::numeric AS part, count(*) AS total,
        '2026-05-04T10:00:00.123Z'::timestamptz AS at, ARRAY['a,"b"', 'c'] AS texts FROM numbers`,
    );
    expect(row).toEqual({
      small: 42,
      large: '9007199254740993',
      part: 2.5,
      total: 0,
      at: new Date('2026-05-04T10:00:00.123Z'),
      texts: ['a,"b"', 'c'],
    });
  });

  it('commits a transaction that resolves and rolls back one that throws', async () => {
    await db.transaction((tx) => tx.query('INSERT INTO numbers VALUES (1)'));
    const refused = db.transaction(async (tx) => {
      await tx.query('INSERT INTO numbers VALUES (2)');
      throw new Error('changed my mind');
    });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('changed my mind') });
    expect(await db.query('SELECT n FROM numbers')).toEqual([{ n: 1 }]);
  });

  it('survives a backend that is terminated while idle or in a transaction', async () => {
    await terminate(await backendOf(db));
    await expect(eventuallyAnswers(db)).resolves.toBeUndefined();
    const cut = db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await terminate(row?.pid ?? 0);
      await tx.query('SELECT 1');
    });
    await expect(cut).rejects.toMatchObject({ kind: 'temporary', code: 'database_unreachable' });
    await expect(db.ping()).resolves.toBeUndefined();
  });

  it('is closed only after the server has ended all its connections', async () => {
    const distant = await standFarAway(database.url);
    try {
      const pool = await connectDatabase({ url: distant.url, poolSize: 4, logger: silentLogger });
      await Promise.all(Array.from({ length: 4 }, () => pool.query('SELECT pg_sleep(0.2)')));
      expect(distant.connections()).toBe(4);
      await pool.close();
      expect(distant.connections()).toBe(0);
    } finally {
      await distant.stop();
    }
  });

  it('retries the transaction that a deadlock aborted', async () => {
    await db.query('DELETE FROM numbers');
    await db.query(`INSERT INTO numbers VALUES (1, ''), (2, '')`);
    let arrivals = 0;
    const bothHoldOne = new Promise<void>((resolve) => {
      meet = () => (++arrivals === 2 ? resolve() : undefined);
    });
    await Promise.all([crossUpdate(1, 2, bothHoldOne), crossUpdate(2, 1, bothHoldOne)]);
    const notes = await db.query<{ note: string }>('SELECT note FROM numbers ORDER BY n');
    expect(notes.map(({ note }) => note.length)).toEqual([2, 2]);
  });

  it('cancels a statement that exceeds its time limit, and stays usable', async () => {
    const hasty = await connectDatabase({
      url: database.url,
      poolSize: 1,
      statementTimeoutMs: 50,
      logger: silentLogger,
    });
    try {
      await expect(hasty.query('SELECT pg_sleep(30)')).rejects.toMatchObject({
        kind: 'temporary',
        code: 'database_timeout',
      });
      await expect(hasty.ping()).resolves.toBeUndefined();
    } finally {
      await hasty.close();
    }
  });

  it('names the constraint of a refused row, without its values', async () => {
    await db.query('INSERT INTO numbers VALUES (7)');
    const refused = await db
      .query(`INSERT INTO numbers VALUES (7, 'sesame')`)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ details: { sqlstate: '23505', constraint: 'numbers_pkey' } });
    expect(everythingIn(refused)).not.toContain('sesame');
  });

  it('refuses work after close, and may be closed twice', async () => {
    const short = await connectDatabase({ url: database.url, logger: silentLogger });
    await short.close();
    await short.close();
    await expect(short.query('SELECT 1')).rejects.toMatchObject({ code: 'database_closed' });
  });

  let meet: () => void;
  /** Takes two row locks, the second once the other transaction holds its first; only the first attempts deadlock. */
  function crossUpdate(first: number, second: number, bothHoldOne: Promise<void>): Promise<void> {
    return db.transaction(async (tx) => {
      await tx.query(`UPDATE numbers SET note = note || 'x' WHERE n = $1`, [first]);
      meet();
      await bothHoldOne;
      await tx.query(`UPDATE numbers SET note = note || 'x' WHERE n = $1`, [second]);
    });
  }
});

describe('connecting to the database', () => {
  const cases = [
    ['no server listens', (url: URL) => (url.port = '1'), 'temporary', 'database_unreachable'],
    [
      'the name is unknown',
      (url: URL) => (url.hostname = 'nowhere.invalid'),
      'temporary',
      'database_unreachable',
    ],
    [
      'the database is missing',
      (url: URL) => (url.pathname = '/no_such_test'),
      'invalid',
      'database_missing',
    ],
    ['it is not Postgres', (url: URL) => `http://me:sesame@${url.host}/`, 'invalid', 'database_url_invalid'],
    ['it is not a URL', () => 'postgres://me:ses#ame@:a/b', 'invalid', 'database_url_invalid'],
  ] as const;
  it.each(cases)('reports that %s, without showing the password', async (_case, change, kind, code) => {
    const url = new URL(database.url);
    const replaced = change(url);
    const target = replaced.includes('://') ? replaced : withPassword(url);
    const error = await connectDatabase({ url: target, logger: silentLogger }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind, code });
    expect(String(error)).toContain('DATABASE_URL');
    expect(everythingIn(error)).not.toMatch(/ses#?ame/);
  });

  /** The correct user, so that only the tested part is wrong; set only where the server never checks it. */
  function withPassword(url: URL): string {
    if (url.port === '1' || url.hostname.endsWith('.invalid')) url.password = 'sesame';
    return url.href;
  }
});

function everythingIn(thrown: unknown): string {
  if (!(thrown instanceof Error)) return JSON.stringify(thrown);
  return [thrown.message, thrown.stack, JSON.stringify(thrown), everythingIn(thrown.cause ?? null)].join(
    '\n',
  );
}

async function backendOf(target: Database): Promise<number> {
  const [row] = await target.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row?.pid ?? 0;
}

/** The same server behind a proxy that delays everything, including the close. */
async function standFarAway(url: string) {
  const near = new URL(url);
  let connections = 0;
  const line = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect(Number(near.port), near.hostname);
    connections += 1;
    client.on('data', (bytes) => setTimeout(() => server.write(bytes), 20));
    client.on('end', () => setTimeout(() => server.end(), 20));
    server.on('data', (bytes) => client.write(bytes));
    server.on('end', () => {
      connections -= 1;
      client.end();
    });
    for (const socket of [client, server]) socket.on('error', () => undefined);
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const far = new URL(url);
  far.host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    line.close();
    await once(line, 'close');
  };
  return { url: far.href, connections: () => connections, stop };
}

async function terminate(pid: number): Promise<void> {
  await other.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
}

/** The pool may return a dead connection once, before it notices that the connection ended. */
async function eventuallyAnswers(target: Database): Promise<void> {
  await target.ping().catch(() => target.ping());
}
