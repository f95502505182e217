import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/command-line.js';
import { followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { startTestRedis, startTestSentinel, type TestRedis, withRedis } from '../support/redis.js';
import {
  executionThat,
  isOver,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';
import { startTls } from '../support/tls-server.js';

const FILES = 60;
/** The run outlasts the fail-over. */
const EMBEDDING_MS = 200;

let world: PodWorld;
let others: TestRedis[] = [];
let sentinelUrl: string;
let repository: RepositoryRow;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-tls-'));
  world = await createPodWorld(FILES);
  const replica = await startTestRedis('--replicaof', '127.0.0.1', String(world.redis.port));
  const sentinels = await Promise.all([1, 2, 3].map(() => startTestSentinel(world.redis.port)));
  others = [replica, ...sentinels];
  sentinelUrl = `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join()}/main`;
  await until('the Sentinels to know each other and the replica', async () => {
    const known = await Promise.all(
      sentinels.map(({ url }) => withRedis(url, (client) => client.call('SENTINEL', 'MASTER', 'main'))),
    );
    return known.every((fields) => {
      const text = (fields as string[]).join(' ');
      return text.includes('num-other-sentinels 2') && text.includes('num-slaves 1');
    });
  });
});
afterAll(async () => {
  await world?.remove();
  await Promise.all(others.map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function expectSync(pod: PodService): Promise<void> {
  const run = await startSync(pod, repository);
  expect(await executionThat(pod, run, isOver)).toMatchObject({ status: 'completed', error_code: null });
}

async function workerIs(pod: PodService, status: string): Promise<boolean> {
  const { body } = await pod.call<{ roles?: { role: string; status: string }[] }>('GET', '/health/ready');
  return body.roles?.some((each) => each.role === 'worker' && each.status === status) ?? false;
}

describe('pods with other ways to Redis', () => {
  it('use TLS, and refuse a certificate of an unknown authority', async () => {
    const [server, authority] = await startTls(world.redis.port, directory);
    const env = { REDIS_URL: `rediss://127.0.0.1:${(server.address() as AddressInfo).port}/0` };
    const pod = await world.start('pod-tls', { ...env, NODE_EXTRA_CA_CERTS: authority });
    repository = await register(pod, PROJECT);
    await expectSync(pod);
    expect(await withRedis(world.redis.url, (client) => client.get('repotide:leader'))).toMatch(/^pod-tls:/);
    await expect(world.start('pod-untrusting', env)).rejects.toThrow(/self-signed certificate/);
    await pod.stop();
    server.close();
  });

  it('find the new primary by Sentinels during a run, without a restart', async () => {
    const pod = await world.start('pod-sentinels', { REDIS_URL: sentinelUrl });
    await world.write('words of a run during a fail-over');
    world.slowDown(EMBEDDING_MS);
    const run = await startSync(pod, repository);
    const client = await followEvents(pod, run);
    await until('the run to be seen moving', () => (client.events.at(-1)?.processed_files ?? 0) >= 5);
    await world.redis.kill();
    await until('the loss to be noticed', () => workerIs(pod, 'paused'));
    await until('the new primary to be used', () => workerIs(pod, 'ready'));
    world.slowDown(0);
    expect(await executionThat(pod, run, isOver)).toMatchObject({ status: 'completed', attempt: 1 });
    await expectSync(pod);
    const primary = await withRedis(others[0]!.url, (redis) => redis.info('replication'));
    expect(primary).toContain('role:master');
    await until('the pod to lead by the new primary', async () =>
      withRedis(
        others[0]!.url,
        async (redis) => (await redis.get('repotide:leader'))?.startsWith('pod-sentinels:') ?? false,
      ),
    );
    expect(await pod.stop()).toBe(0);
  });
});
