import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, createRedisLeaderElection } from '@adapters/redis';
import { type LeaderElection } from '@core/domain';
import { eventually } from '../../support/eventually.js';
import { silentLogger as logger } from '../../support/silent-logger.js';
import { startTestRedis, withRedis, type TestRedis } from '../../support/redis.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

const KEY = 'test:leader';
/** Shortened from 10 s, 3 s and 2 s. */
const TIMES = { ttlMs: 1_500, renewMs: 300, tryMs: 200 };

let server: TestRedis;
let undo: (() => Promise<void>)[];

beforeEach(async () => {
  server = await startTestRedis();
  undo = [() => server.stop()];
});
afterEach(async () => {
  for (const step of undo.reverse()) await step();
});

interface Candidate extends LeaderElection {
  /** Closes the connection to Redis without stepping down, as a dead pod does. */
  vanish(): Promise<void>;
}

async function candidate(
  podName: string,
  port = server.port,
  times = TIMES,
  isFit?: () => Promise<boolean>,
): Promise<Candidate> {
  const redis = await connectRedis({
    urls: [`redis://127.0.0.1:${port}`],
    keyPrefix: 'test',
    commandTimeoutMs: 200,
    logger,
  });
  const election = await createRedisLeaderElection({ redis, podName, logger, ...times, isFit });
  undo.push(async () => {
    await election.stepDown();
    await redis.close();
  });
  return {
    isLeader: () => election.isLeader(),
    leader: () => election.leader(),
    stepDown: () => election.stepDown(),
    vanish: () => redis.close(),
  };
}

describe('the leader', () => {
  it('is replaced when it is unreachable, and no longer reports itself as leader then', async () => {
    const first = await candidate('pod-a');
    const second = await candidate('pod-b');
    expect([first.isLeader(), second.isLeader()]).toEqual([true, false]);
    await first.vanish();
    await eventually(() => second.isLeader());
    expect(first.isLeader()).toBe(false);
    expect(await second.leader()).toBe('pod-b');
  });

  it('resigns while it cannot do the chores, and can lead again afterwards', async () => {
    let isFit = true;
    const first = await candidate('pod-a', server.port, TIMES, async () => isFit);
    const second = await candidate('pod-b');
    isFit = false;
    await eventually(() => second.isLeader());
    expect(first.isLeader()).toBe(false);
    isFit = true;
    await second.stepDown();
    await eventually(() => first.isLeader());
  });

  it('keeps the leadership against other candidates while it is alive', async () => {
    const times = { ...TIMES, ttlMs: 4_000 };
    const first = await candidate('pod-a', server.port, times);
    const others = [await candidate('pod-b'), await candidate('pod-c')];
    const until = performance.now() + 1.5 * times.ttlMs;
    while (performance.now() < until) {
      expect(first.isLeader()).toBe(true);
      expect(others.some((other) => other.isLeader())).toBe(false);
      await sleep(50);
    }
  });

  it('steps down before its leadership could expire when Redis is frozen; one is elected afterwards', async () => {
    const candidates = [await candidate('pod-a'), await candidate('pod-b')];
    server.freeze();
    await eventually(() => !candidates.some((each) => each.isLeader()));
    expect(await candidates[0]?.leader()).toBeNull();
    server.thaw();
    await eventually(() => candidates.filter((each) => each.isLeader()).length === 1);
  });

  it.each([
    ['FLUSHALL', () => withRedis(server.url, (client) => client.flushall())],
    ['restart without memory', () => server.kill().then(() => server.start('empty'))],
  ])('is elected again, exactly once, after a %s', async (_, harm) => {
    const candidates = [await candidate('pod-a'), await candidate('pod-b')];
    await harm();
    await eventually(async () => {
      const leading = candidates.filter((each) => each.isLeader());
      return leading.length === 1 && (await leading[0]?.leader()) !== null;
    });
  });

  it('stops leading when another pod holds the key, and does not take it back', async () => {
    const first = await candidate('pod-a');
    await withRedis(server.url, (client) => client.set(KEY, 'pod-x:token'));
    await eventually(() => !first.isLeader());
    expect(await first.leader()).toBe('pod-x');
    await first.stepDown();
    expect(await first.leader()).toBe('pod-x');
  });

  it('recognizes its own key after a lost response', async () => {
    const proxy = await startTcpProxy(server);
    undo.push(() => proxy.close());
    await withRedis(server.url, (client) => client.set(KEY, 'pod-x:token'));
    // With a lifetime of a minute, waiting for the key to expire would take too long.
    const election = await candidate('pod-a', proxy.port, { ...TIMES, ttlMs: 60_000 });
    expect(election.isLeader()).toBe(false);
    proxy.blackhole('to-client');
    await withRedis(server.url, (client) => client.del(KEY));
    const holder = () => withRedis(server.url, (client) => client.get(KEY));
    await eventually(async () => (await holder())?.startsWith('pod-a:') ?? false);
    proxy.cut();
    proxy.restore();
    await eventually(() => election.isLeader());
  });

  it('frees the leadership at once when it steps down', async () => {
    const first = await candidate('pod-a', server.port, { ...TIMES, ttlMs: 60_000 });
    const second = await candidate('pod-b', server.port, { ...TIMES, ttlMs: 60_000 });
    await first.stepDown();
    await eventually(() => second.isLeader());
  });
});
