import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { withRedis, type TestRedis } from '../../support/redis.js';
import { isLost, KEY, LeaseWorld, LONG, REPOSITORY, storedLease } from './lease-world.js';

let world: LeaseWorld;

beforeEach(() => {
  world = new LeaseWorld();
});
afterEach(() => world.end());

describe('Redis out of reach', () => {
  it('frozen for longer than a lease may be trusted: the run is told before the lease could end', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port]);
    const lease = await world.acquired(manager);
    server.freeze();
    await isLost(lease);
    await lease.release();
    await expect(manager.acquire(world.newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    await expect(manager.holderOf(REPOSITORY)).rejects.toMatchObject({ code: 'lease_unavailable' });
    await expect(manager.list()).rejects.toMatchObject({ code: 'lease_unavailable' });
    server.thaw();
    await (await world.acquiredInTheEnd(manager)).release();
  });

  it('frozen for a moment: the lease lives on', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], { ttlMs: 4_000, renewMs: 300 });
    const lease = await world.acquired(manager);
    server.freeze();
    await sleep(1_000);
    server.thaw();
    await sleep(4_000);
    expect(lease.signal.aborted).toBe(false);
    expect(await storedLease(server)).not.toBeNull();
    await lease.release();
  });

  it('killed and restarted with its append-only file: the lease lives on', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], { ttlMs: 6_000, renewMs: 300 });
    const lease = await world.acquired(manager);
    // AOF is written once a second.
    await sleep(1_500);
    await server.kill();
    await server.start('kept');
    await sleep(6_000);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
    expect(await storedLease(server)).toBeNull();
  });

  it('restarted without memory: the run stops, and another may start', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port]);
    const lease = await world.acquired(manager);
    await server.kill();
    await server.start('empty');
    await isLost(lease);
    const next = await world.acquiredInTheEnd(manager);
    await lease.release();
    expect(await storedLease(server)).not.toBeNull();
    await next.release();
  });
});

describe('a lease that is taken away', () => {
  it.each([
    ['by FLUSHALL', (server: TestRedis) => withRedis(server.url, (client) => client.flushall())],
    ['by hand', (server: TestRedis) => withRedis(server.url, (client) => client.del(KEY))],
    ['by a stranger', (server: TestRedis) => withRedis(server.url, (client) => client.set(KEY, 'stranger'))],
  ])('%s is noticed, and nobody else is robbed in turn', async (_, take) => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], { ttlMs: 60_000, renewMs: 100 });
    const lease = await world.acquired(manager);
    await take(server);
    await isLost(lease);
    const successor = await withRedis(server.url, async (client) => {
      await client.set(KEY, 'pod-b:x:1');
      await lease.release();
      return client.get(KEY);
    });
    expect(successor).toBe('pod-b:x:1');
  });

  it('is shown and broken also when its value is not of our making', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port]);
    await withRedis(server.url, (client) => client.set(KEY, 'pod-of-a-predecessor'));
    expect(await manager.acquire(world.newRun())).toBeNull();
    const holder = await manager.holderOf(REPOSITORY);
    expect(holder).toMatchObject({ podName: 'pod-of-a-predecessor' });
    expect(await manager.list()).toMatchObject([{ repositoryId: REPOSITORY, expiresAt: null }]);
    expect(holder && (await manager.breakLease(REPOSITORY, holder))).toBe(true);
    await (await world.acquired(manager)).release();
  });
});

describe('a lost answer', () => {
  it('to SET leaves no orphan: the key goes as soon as Redis can be asked again', async () => {
    const server = await world.startRedis();
    const proxy = await world.startProxy(server);
    const manager = await world.openManager([proxy.port], LONG);
    proxy.blackhole('to-client');
    const run = world.newRun();
    const acquired = manager.acquire(run).catch((error: unknown) => error);
    await eventually(async () => (await storedLease(server)) === `pod-a:${run.executionId}:${run.fence}`);
    // From here on not even the removal gets through.
    proxy.blackhole('to-server');
    expect(await acquired).toMatchObject({ kind: 'temporary', code: 'lease_unavailable' });
    expect(await storedLease(server)).not.toBeNull();
    proxy.cut();
    proxy.restore();
    await eventually(async () => (await storedLease(server)) === null);
  });

  it('from a server that was frozen meanwhile leaves none either', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], LONG);
    server.freeze();
    await expect(manager.acquire(world.newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    server.thaw();
    // What the frozen server still had in its buffers is done by now, the SET included.
    await eventually(() =>
      manager.holderOf(REPOSITORY).then(
        (holder) => holder === null,
        () => false,
      ),
    );
    await sleep(1_000);
    expect(await storedLease(server)).toBeNull();
  });

  it('to a renewal does no harm', async () => {
    const server = await world.startRedis();
    const proxy = await world.startProxy(server);
    const manager = await world.openManager([proxy.port], { ttlMs: 4_000, renewMs: 300 });
    const lease = await world.acquired(manager);
    proxy.blackhole('to-client');
    await eventually(() =>
      world.logger.lines.some(({ message }) => message === 'lease not renewed; trying again'),
    );
    proxy.restore();
    proxy.cut();
    await sleep(4_000);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
  });

  it('to a release is made up for', async () => {
    const server = await world.startRedis();
    const proxy = await world.startProxy(server);
    const manager = await world.openManager([proxy.port], LONG);
    const lease = await world.acquired(manager);
    proxy.refuse();
    await lease.release();
    expect(await storedLease(server)).not.toBeNull();
    proxy.admit();
    await eventually(async () => (await storedLease(server)) === null);
  });
});

it('never walks over all keys at once', async () => {
  const server = await world.startRedis();
  const manager = await world.openManager([server.port]);
  const lease = await world.acquired(manager);
  await manager.list();
  await manager.holderOf(REPOSITORY);
  await lease.release();
  const stats = await withRedis(server.url, (client) => client.info('commandstats'));
  expect(stats).toContain('cmdstat_scan');
  expect(stats).not.toContain('cmdstat_keys');
});
