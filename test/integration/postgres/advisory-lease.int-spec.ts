import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAdvisoryLeaseManager } from '@adapters/postgres';
import { type Lease, type LeaseManager } from '@core/domain';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSource, type SourceProcess } from '../../support/child-process.js';
import { findPgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { onServer } from '../../support/postgres-url.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';

const CHILD = fileURLToPath(new URL('./lease-child.ts', import.meta.url));
const TTL_MS = 1_500;
const ENDLESS_MS = 600_000;

let database: TestDatabase;
const closing: (() => Promise<unknown>)[] = [];
let fence = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function newRun(repositoryId: string = randomUUID()) {
  return { repositoryId, executionId: randomUUID(), fence: ++fence };
}

async function open(
  podName: string,
  { url = database.url, ttlMs = TTL_MS, breakPatienceMs = 300 } = {},
): Promise<LeaseManager> {
  const logger = recordingLogger();
  const settings = { ttlMs, renewMs: ttlMs / 6, breakPatienceMs };
  const manager = await createAdvisoryLeaseManager({ url, podName, logger, ...settings });
  closing.push(() => manager.close());
  return manager;
}

async function held(manager: LeaseManager, run = newRun()): Promise<Lease> {
  const lease = await manager.acquire(run);
  if (lease === null) throw new Error('the lease was refused');
  return lease;
}

/** Retries until the lease is free, like a dispatcher. */
async function heldInTheEnd(manager: LeaseManager, run: ReturnType<typeof newRun>): Promise<Lease> {
  for (;;) {
    const lease = await manager.acquire(run).catch(() => null);
    if (lease !== null) return lease;
    await sleep(50);
  }
}

async function lossOf({ signal }: Lease): Promise<unknown> {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason as unknown;
}

async function spawnHolder(run: ReturnType<typeof newRun>, ttlMs: number): Promise<SourceProcess> {
  const { repositoryId, executionId } = run;
  const args = [database.url, 'pod-child', repositoryId, executionId, String(run.fence), String(ttlMs)];
  const child = spawnSource(CHILD, args);
  closing.push(async () => {
    child.process.kill('SIGKILL');
    await child.ended;
  });
  await child.next('held');
  return child;
}

async function sessionsOf(podName: string): Promise<number[]> {
  return onServer(database.url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [`repotide:${podName}:leases`],
    );
    return rows.map(({ pid }) => pid);
  });
}

async function endSessions(podName: string): Promise<void> {
  for (const pid of await sessionsOf(podName)) {
    await onServer(database.url, (client) => client.query('SELECT pg_terminate_backend($1)', [pid]));
  }
}

/** AuthenticationOk and ReadyForQuery: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const LET_IN = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

const LOST = { kind: 'temporary', code: 'lease_lost' };

describe('the Postgres session that holds the leases', () => {
  it('is one per process, however many leases are taken or refused', async () => {
    const runs = Array.from({ length: 20 }, () => newRun());
    const [mine, others] = [await open('pod-one'), await open('pod-two')];
    for (const run of runs) await held(mine, run);
    const refused = await Promise.all(runs.map((run) => others.acquire(newRun(run.repositoryId))));
    expect(refused).toEqual(runs.map(() => null));
    expect(await sessionsOf('pod-one')).toHaveLength(1);
    expect(await sessionsOf('pod-two')).toHaveLength(1);
  });

  it('loses all its leases when the server ends it, and a new session follows', async () => {
    const manager = await open('pod-ended');
    const runs = [newRun(), newRun()];
    const leases = [await held(manager, runs[0]), await held(manager, runs[1])];
    await endSessions('pod-ended');
    for (const lease of leases) expect(await lossOf(lease)).toMatchObject(LOST);
    expect(await (await open('pod-other')).list()).toEqual([]);
    for (const run of runs) await held(manager, newRun(run.repositoryId));
    for (const lease of leases) await lease.release();
    expect(await manager.list()).toHaveLength(2);
  });

  it('aborts the signals of its leases when it is closed', async () => {
    const manager = await open('pod-leaving');
    const lease = await held(manager);
    await manager.close();
    expect(await lossOf(lease)).toMatchObject(LOST);
    await expect(manager.acquire(newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    expect(await sessionsOf('pod-leaving')).toEqual([]);
  });
});

describe('the lease', () => {
  it('is free at once when its process is killed', async () => {
    const run = newRun();
    const child = await spawnHolder(run, ENDLESS_MS);
    const manager = await open('pod-next', { ttlMs: ENDLESS_MS });
    expect(await manager.acquire(newRun(run.repositoryId))).toBeNull();
    child.process.kill('SIGKILL');
    await child.ended;
    await heldInTheEnd(manager, newRun(run.repositoryId));
  });

  it('can be taken from a frozen process after its lifetime, and the process is notified when it continues', async () => {
    const run = newRun();
    const child = await spawnHolder(run, TTL_MS);
    const manager = await open('pod-next');
    child.process.kill('SIGSTOP');
    const next = await heldInTheEnd(manager, newRun(run.repositoryId));
    child.process.kill('SIGCONT');
    expect(await child.next('lost')).toMatchObject({ code: 'lease_lost' });
    expect(next.signal.aborted).toBe(false);
    expect((await manager.holderOf(run.repositoryId))?.podName).toBe('pod-next');
  });

  it('can be broken at once for a frozen process when the exact holder is given', async () => {
    const run = newRun();
    const child = await spawnHolder(run, ENDLESS_MS);
    const manager = await open('pod-next', { ttlMs: ENDLESS_MS });
    child.process.kill('SIGSTOP');
    const holder = { podName: 'pod-child', executionId: run.executionId, fence: run.fence };
    expect(await manager.breakLease(run.repositoryId, { ...holder, fence: run.fence - 1 })).toBe(false);
    expect(await manager.acquire(newRun(run.repositoryId))).toBeNull();
    expect(await manager.breakLease(run.repositoryId, holder)).toBe(true);
    await held(manager, newRun(run.repositoryId));
    child.process.kill('SIGCONT');
    await child.next('lost');
  });

  it('can be broken for a live process without ending its other leases', async () => {
    // With short times, a busy machine would lose the leases, or end the session of a slow holder.
    const patient = { ttlMs: ENDLESS_MS, breakPatienceMs: 30_000 };
    const [mine, others] = [await open('pod-busy', patient), await open('pod-next', patient)];
    const [kept, run] = [await held(mine), newRun()];
    const broken = await held(mine, run);
    const [before] = await sessionsOf('pod-busy');
    expect(await others.breakLease(run.repositoryId, { podName: 'pod-busy', ...run })).toBe(true);
    expect(await lossOf(broken)).toMatchObject(LOST);
    expect(kept.signal.aborted).toBe(false);
    expect(await sessionsOf('pod-busy')).toEqual([before]);
  });
});

describe('when the network fails', () => {
  let proxy: TcpProxy;
  let proxiedUrl: string;
  beforeAll(async () => {
    proxy = await startTcpProxy({ port: Number(new URL(database.url).port || 5432) });
    const url = new URL(database.url);
    url.port = String(proxy.port);
    url.hostname = proxy.host;
    proxiedUrl = url.href;
  });
  afterEach(() => {
    proxy.restore();
    proxy.admit();
  });
  afterAll(() => proxy.close());

  it('without an error, the holder loses the lease before another process can take it', async () => {
    const [cutOff, others] = [await open('pod-cut-off', { url: proxiedUrl }), await open('pod-next')];
    const run = newRun();
    const lease = await held(cutOff, run);
    proxy.blackhole('to-server', 'to-client');
    const taking = heldInTheEnd(others, newRun(run.repositoryId)).then((next) => {
      expect(lease.signal.aborted).toBe(true);
      return next;
    });
    expect(await lossOf(lease)).toMatchObject(LOST);
    expect((await taking).signal.aborted).toBe(false);
  });

  it('for less than three quarters of the lifetime, the lease stays', async () => {
    const manager = await open('pod-patient', { url: proxiedUrl, ttlMs: 6_000 });
    const lease = await held(manager);
    proxy.blackhole('to-client');
    await sleep(2_500);
    proxy.restore();
    await sleep(3_000);
    expect(lease.signal.aborted).toBe(false);
  });

  it('and connections are refused, acquire fails with lease_unavailable until they are accepted again', async () => {
    const manager = await open('pod-alone', { url: proxiedUrl });
    const [run, lease] = [newRun(), await held(manager)];
    proxy.refuse();
    expect(await lossOf(lease)).toMatchObject(LOST);
    for (const asked of [manager.acquire(run), manager.list(), manager.holderOf(run.repositoryId)]) {
      await expect(asked).rejects.toMatchObject({ kind: 'temporary' });
    }
    proxy.admit();
    await heldInTheEnd(manager, run);
  });

  it('after the lock was taken but before the response arrives, the lock is released', async () => {
    const manager = await open('pod-deaf', { url: proxiedUrl, ttlMs: ENDLESS_MS });
    const others = await open('pod-next', { ttlMs: ENDLESS_MS });
    const run = newRun();
    proxy.blackhole('to-client');
    await expect(manager.acquire(run)).rejects.toMatchObject({
      kind: 'temporary',
      code: 'lease_unavailable',
    });
    await heldInTheEnd(others, newRun(run.repositoryId));
  });
});

describe('a server that cannot hold leases', () => {
  it('is refused at the start, by an error that shows neither user nor password', async () => {
    const start = (url: string) => open('pod-x', { url });
    const wrong = new URL(database.url);
    wrong.password = 'hush-hush';
    wrong.port = '9';
    await expect(start(wrong.href)).rejects.toMatchObject({ code: 'database_unreachable' });
    await expect(start(wrong.href)).rejects.not.toThrow(/hush/);
  });

  it('is refused too when it stops answering after the login, and no connection stays open', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(LET_IN));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const silent = new URL(database.url);
    silent.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(open('pod-x', { url: silent.href })).rejects.toMatchObject({ kind: 'temporary' });
    // It resolves when the last connection has ended.
    await promisify(server.close.bind(server))();
  }, 60_000);

  const binary = findPgBouncer();
  const whenInstalled = binary === null ? describe.skip : describe;
  whenInstalled('PgBouncer (left out where it is not installed)', () => {
    it.each([
      ['transaction', { default_pool_size: 20 }],
      ['transaction', { default_pool_size: 1 }],
      ['transaction', { default_pool_size: 20, server_round_robin: 1 }],
      ['statement', { default_pool_size: 20 }],
    ])('in %s mode is refused: %j', async (mode, settings) => {
      const pooler = await startPgBouncer(binary ?? '', database.url, { pool_mode: mode, ...settings });
      closing.push(() => pooler.stop());
      await expect(open('pod-pooled', { url: pooler.url })).rejects.toMatchObject({
        kind: 'invalid',
        code: 'lease_needs_direct_connection',
        message: expect.stringContaining('pool_mode = session') as unknown,
      });
    });

    it('in session mode holds leases', async () => {
      const pooler = await startPgBouncer(binary ?? '', database.url, { pool_mode: 'session' });
      closing.push(() => pooler.stop());
      const [mine, others] = [await open('pod-a', { url: pooler.url }), await open('pod-b')];
      const run = newRun();
      const lease = await held(mine, run);
      expect(await others.acquire(newRun(run.repositoryId))).toBeNull();
      await lease.release();
      await held(others, run);
    });
  });
});
