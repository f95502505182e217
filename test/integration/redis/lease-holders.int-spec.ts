import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LeaseManager } from '@core/domain';
import { spawnSource, type SourceProcess } from '../../support/child-process.js';
import { startRenewalThreadFromSource, withRedis, type TestRedis } from '../../support/redis.js';
import { isLost, KEY, LeaseWorld, REPOSITORY, SHORT, storedLease } from './lease-world.js';

const CHILD = fileURLToPath(new URL('./lease-child.ts', import.meta.url));

let world: LeaseWorld;

beforeEach(() => {
  world = new LeaseWorld();
});
afterEach(() => world.end());

describe('the lease of a busy process', () => {
  /** Blocks this thread without using the processor. */
  function block(milliseconds: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }

  it('is kept while its event loop is blocked for seconds', async () => {
    const server = await world.startRedis();
    const ttlMs = 8_000;
    const manager = await world.openManager([server.port], { ttlMs, renewMs: 200 });
    const lease = await world.acquired(manager);
    block(5_000);
    const left = await withRedis(server.url, (client) => client.pttl(KEY));
    // Without renewal it would have 3 s left.
    expect(left).toBeGreaterThan(ttlMs - 4_000);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
  });

  it('expires when the process hangs', async () => {
    const server = await world.startRedis();
    const manager = await world.openManager([server.port]);
    const lease = await world.acquired(manager);
    block(SHORT.ttlMs * 3);
    await isLost(lease);
    const next = await world.acquired(manager);
    await lease.release();
    expect(await storedLease(server)).not.toBeNull();
    await next.release();
  });

  it('is renewed by a new renewal thread when the first one has ended', async () => {
    const server = await world.startRedis();
    const threads: Worker[] = [];
    const manager = await world.openManager([server.port], {
      ttlMs: 5_000,
      renewMs: 300,
      startThread: (data) => {
        const thread = startRenewalThreadFromSource(data);
        threads.push(thread);
        return thread;
      },
    });
    const lease = await world.acquired(manager);
    await threads[0]?.terminate();
    await sleep(6_000);
    expect(threads).toHaveLength(2);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
    expect(await storedLease(server)).toBeNull();
  });
});

describe('the leases of pods', () => {
  function startPod(server: TestRedis, podName: string, executionId: string, fence: number): SourceProcess {
    const numbers = [fence, SHORT.ttlMs, SHORT.renewMs].map(String);
    const pod = spawnSource(CHILD, [server.url, 'test', podName, REPOSITORY, executionId, ...numbers]);
    world.atEnd(async () => {
      pod.process.kill('SIGKILL');
      await pod.ended;
    });
    return pod;
  }

  it('are separate under the same name: a restarted container waits for its former lease', async () => {
    const server = await world.startRedis();
    const first = startPod(server, 'pod-a', 'e1', 1);
    expect(await first.next('asked')).toMatchObject({ isHeld: true });
    // Before the kill: the lease lasts a second more, which a busy machine may need to open this.
    const manager = await world.openManager([server.port], { podName: 'pod-a' });
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await manager.acquire(world.newRun())).toBeNull();
    expect(await manager.holderOf(REPOSITORY)).toEqual({ podName: 'pod-a', executionId: 'e1', fence: 1 });
    await (await world.acquiredInTheEnd(manager)).release();
  });

  it('that resume after their lease ended do not affect the next holder, even under the same name', async () => {
    const server = await world.startRedis();
    const zombie = startPod(server, 'pod-a', 'e1', 1);
    expect(await zombie.next('asked')).toMatchObject({ isHeld: true });
    zombie.process.kill('SIGSTOP');
    const manager = await world.openManager([server.port], { podName: 'pod-a' });
    const next = await world.acquiredInTheEnd(manager);
    const held = await storedLease(server);
    zombie.process.kill('SIGCONT');
    // Before this event, the pod has also tried to release its lost lease.
    await zombie.next('lost');
    expect(await storedLease(server)).toBe(held);
    await sleep(SHORT.ttlMs);
    expect(next.signal.aborted).toBe(false);
    await next.release();
  });
});

describe('a lease on three servers', () => {
  async function startThree(): Promise<[TestRedis[], LeaseManager, LeaseManager]> {
    const servers = [await world.startRedis(), await world.startRedis(), await world.startRedis()];
    const ports = servers.map(({ port }) => port);
    const mine = await world.openManager(ports, { ttlMs: 2_000, renewMs: 200 });
    const others = await world.openManager(ports, { ttlMs: 2_000, renewMs: 200, podName: 'pod-b' });
    return [servers, mine, others];
  }

  it.each([0, 1, 2])('survives the loss of server %i', async (index) => {
    const [servers, mine, others] = await startThree();
    const lease = await world.acquired(mine);
    await servers[index]?.kill();
    await sleep(3_000);
    expect(lease.signal.aborted).toBe(false);
    expect(await others.acquire(world.newRun())).toBeNull();
    expect(await others.holderOf(REPOSITORY)).toMatchObject({ podName: 'pod-a' });
    expect(await others.list()).toMatchObject([{ repositoryId: REPOSITORY, podName: 'pod-a' }]);
    await lease.release();
    await (await world.acquired(others)).release();
  });

  it('is lost with two servers, and no run starts until one is back', async () => {
    const [servers, mine, others] = await startThree();
    const lease = await world.acquired(mine);
    await servers[0]?.kill();
    await servers[2]?.kill();
    await isLost(lease);
    await lease.release();
    await expect(others.acquire(world.newRun())).rejects.toMatchObject({ code: 'lease_unavailable' });
    expect(await storedLease(servers[1] as TestRedis)).toBeNull();
    await servers[0]?.start('empty');
    await (await world.acquiredInTheEnd(others)).release();
  });

  it('ignores a minority with another holder, and a failed acquire removes its keys', async () => {
    const [servers, mine] = await startThree();
    const setBy = (value: string) => (server: TestRedis) =>
      withRedis(server.url, (client) => client.set(KEY, value));
    await setBy('pod-x:e:1')(servers[0] as TestRedis);
    const lease = await world.acquired(mine);
    await lease.release();
    expect(await storedLease(servers[0] as TestRedis)).toBe('pod-x:e:1');
    expect(await mine.holderOf(REPOSITORY)).toBeNull();
    await setBy('pod-x:e:1')(servers[2] as TestRedis);
    expect(await mine.acquire(world.newRun())).toBeNull();
    expect(await storedLease(servers[1] as TestRedis)).toBeNull();
  });
});
