import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import {
  executionThat,
  isOver,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

interface Ready {
  roles: { role: string; status: string; waits_for: string[] }[];
}

let world: PodWorld;
let links: Record<'redis' | 'postgres', TcpProxy>;
let throughLinks: Record<string, string>;
let [cutOff, healthy]: PodService[] = [];
let repository: RepositoryRow;

beforeAll(async () => {
  world = await createPodWorld(2);
  const [redisUrl, databaseUrl] = [new URL(world.redis.url), new URL(world.databaseUrl)];
  const [redis, postgres] = await Promise.all(
    [redisUrl, databaseUrl].map(({ hostname: host, port }) => startTcpProxy({ host, port: Number(port) })),
  );
  links = { redis: redis!, postgres: postgres! };
  redisUrl.host = `127.0.0.1:${redis!.port}`;
  databaseUrl.host = `127.0.0.1:${postgres!.port}`;
  throughLinks = { REDIS_URL: redisUrl.href, DATABASE_URL: databaseUrl.href };
  [cutOff, healthy] = await Promise.all([
    world.start('pod-cut-off', throughLinks),
    world.start('pod-healthy'),
  ]);
  repository = await register(healthy, PROJECT);
});
afterAll(async () => {
  for (const link of Object.values(links ?? {})) link.restore();
  await world?.remove();
  await Promise.all(Object.values(links ?? {}).map((link) => link.close()));
});

/** Waits until the pod that is cut off says so. @returns the status of its readiness. */
async function readiness(worker: { status: string; waits_for: string[] }): Promise<number> {
  let status = 0;
  await until(`the worker to be ${worker.status}`, async () => {
    const answer = await cutOff!.call<Ready>('GET', '/health/ready', undefined, null);
    status = answer.status;
    const seen = answer.body.roles?.find(({ role }) => role === 'worker');
    return seen?.status === worker.status && worker.waits_for.every((name) => seen.waits_for.includes(name));
  });
  return status;
}

async function expectRunsOnHealthyPod(): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const run = await startSync(healthy!, repository);
    const row = await executionThat(healthy!, run, isOver);
    expect(row).toMatchObject({ status: 'completed', attempt: 1, pod_name: 'pod-healthy' });
  }
}

const BACK = { status: 'ready', waits_for: [] };

describe('a pod that is cut off', () => {
  it('from Redis serves the API, takes no work, says so, and comes back by itself', async () => {
    links.redis.blackhole('to-server', 'to-client');
    expect(await readiness({ status: 'paused', waits_for: ['locks'] })).toBe(200);
    expect((await cutOff!.call('GET', '/api/v1/repositories')).status).toBe(200);
    await expectRunsOnHealthyPod();
    links.redis.restore();
    expect(await readiness(BACK)).toBe(200);
  });

  it('from Redis and Postgres is not ready, and works alone when it is back', async () => {
    links.redis.blackhole('to-server', 'to-client');
    links.postgres.blackhole('to-server', 'to-client');
    expect(await readiness({ status: 'paused', waits_for: ['database', 'locks'] })).toBe(503);
    await expectRunsOnHealthyPod();
    for (const link of Object.values(links)) {
      link.cut();
      link.restore();
    }
    expect(await readiness(BACK)).toBe(200);
    await healthy!.stop();
    const run = await startSync(cutOff!, repository);
    expect(await executionThat(cutOff!, run, isOver)).toMatchObject({
      status: 'completed',
      pod_name: 'pod-cut-off',
    });
  });

  it('from Redis and Postgres during a run stops within its grace, with exit code 0', async () => {
    await cutOff!.stop();
    const stopping = await world.start('pod-stopping', { ...throughLinks, SHUTDOWN_GRACE_SECONDS: '6' });
    await world.write('other words');
    world.slowDown(1_000);
    const run = await startSync(stopping, repository);
    await executionThat(stopping, run, ({ status }) => status === 'running');
    for (const link of Object.values(links)) link.blackhole('to-server', 'to-client');
    expect(await stopping.stop()).toBe(0);
    expect(stopping.command.stdout()).toContain('"stores":["database","locks"]');
  });
});
