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

describe('when Redis is unreachable', () => {
  it('frozen for longer than the safe time of a lease: the run is aborted before the lease could end', async () => {
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

  it('frozen for a moment: the lease stays', async () => {
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

  it('killed and restarted with its append-only file: the lease stays', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], { ttlMs: 6_000, renewMs: 300 });
    const lease = await world.acquired(manager);
    // The append-only file is written once a second.
    await sleep(1_500);
    await server.kill();
    await server.start('kept');
    await sleep(6_000);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
    expect(await storedLease(server)).toBeNull();
  });

  it('restarted without memory: the run stops, and another can start', async () => {
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

describe('when the server of Redis becomes a replica', () => {
  it('the check reports it, and leases work again once the address leads to a primary', async () => {
    const server = await world.startRedis();
    const primary = await world.startRedis();
    const manager = await world.openManager([server.port]);
    await manager.checkHealth();
    await withRedis(server.url, (client) => client.replicaof('127.0.0.1', primary.port));
    await expect(manager.checkHealth()).rejects.toMatchObject({ code: 'lease_unavailable' });
    await expect(manager.acquire(world.newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    await withRedis(server.url, (client) => client.replicaof('NO', 'ONE'));
    await (await world.acquiredInTheEnd(manager)).release();
    await manager.checkHealth();
  });
});

describe('a lease that was removed or replaced', () => {
  it.each([
    ['by FLUSHALL', (server: TestRedis) => withRedis(server.url, (client) => client.flushall())],
    ['by DEL', (server: TestRedis) => withRedis(server.url, (client) => client.del(KEY))],
    ['by SET', (server: TestRedis) => withRedis(server.url, (client) => client.set(KEY, 'stranger'))],
  ])('%s is noticed, and its release does not remove the lease of the next holder', async (_, take) => {
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

  it('is shown and can be broken even when its value has an unknown format', async () => {
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

describe('a lost response', () => {
  it('to SET leaves no stale key: it is removed as soon as Redis responds again', async () => {
    const server = await world.startRedis();
    const proxy = await world.startProxy(server);
    const manager = await world.openManager([proxy.port], LONG);
    proxy.blackhole('to-client');
    const run = world.newRun();
    const acquired = manager.acquire(run).catch((error: unknown) => error);
    await eventually(async () => (await storedLease(server)) === `pod-a:${run.executionId}:${run.fence}`);
    // From here on, the removal does not reach Redis either.
    proxy.blackhole('to-server');
    expect(await acquired).toMatchObject({ kind: 'temporary', code: 'lease_unavailable' });
    expect(await storedLease(server)).not.toBeNull();
    proxy.cut();
    proxy.restore();
    await eventually(async () => (await storedLease(server)) === null);
  });

  it('from a server that was frozen leaves no stale key', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port], LONG);
    server.freeze();
    await expect(manager.acquire(world.newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    server.thaw();
    // The server has now processed its buffers, including the SET.
    await eventually(() =>
      manager.holderOf(REPOSITORY).then(
        (holder) => holder === null,
        () => false,
      ),
    );
    await sleep(1_000);
    expect(await storedLease(server)).toBeNull();
  });

  it('to a renewal does not end the lease', async () => {
    const server = await world.startRedis();
    const proxy = await world.startProxy(server);
    const manager = await world.openManager([proxy.port], { ttlMs: 4_000, renewMs: 300 });
    const lease = await world.acquired(manager);
    proxy.blackhole('to-client');
    await eventually(() =>
      world.logger.lines.some(({ message }) => message === 'lease was not renewed; trying again'),
    );
    proxy.restore();
    proxy.cut();
    await sleep(4_000);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
  });

  it('to a release is followed by another release', async () => {
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

it('the lease manager never uses KEYS', async () => {
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
