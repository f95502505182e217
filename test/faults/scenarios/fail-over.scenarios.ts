import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withRedis } from '../../support/redis.js';
import { until } from '../check/settle.js';
import { seconds } from '../check/verdict.js';
import { freePort } from '../../support/free-port.js';
import { ended, startLongRun } from './long-run.js';
import { rowOf, type Scenario, SHARED, type Stage, startRun } from './scenario.js';

/** Until a sync that is requested through any pod completes again. */
const RECOVERY_BOUND_MS = 30_000;
/** Longer than the lease and a take-over of the shrunk timings. */
const DEMOTED_MS = 20_000;

const BASE = {
  pods: 3,
  branches: 9,
  timings: 'shrunk',
  minutes: 1,
  expression: '* * * * *',
  isCoincident: true,
  mayMiss: ['I7', 'I8', 'G5'],
} as const;

export const redisDemoted: Scenario = {
  ...BASE,
  name: 'redis-demoted',
  promise:
    'A Redis that becomes a replica and a primary again: everything works within 30 s without a restart',
  modes: ['distributed'],
  play: (stage) =>
    recoversFrom(stage, async ({ cluster }) => {
      const { url } = cluster.redis!;
      const nobody = await freePort();
      await withRedis(url, (client) => client.replicaof('127.0.0.1', nobody));
      await sleep(DEMOTED_MS);
      await withRedis(url, (client) => client.replicaof('NO', 'ONE'));
    }),
};

export const redisFailOver: Scenario = {
  ...BASE,
  name: 'redis-fail-over',
  promise:
    'A replica of Redis takes over, and the former primary stays: everything works within 30 s without a restart',
  modes: ['distributed'],
  play: (stage) => recoversFrom(stage, ({ cluster }) => cluster.failOverRedis()),
};

export const postgresFailOver: Scenario = {
  ...BASE,
  name: 'postgres-fail-over',
  promise:
    'A synchronous standby of Postgres is promoted by force: everything works within 30 s without a restart',
  modes: SHARED,
  async play(stage) {
    const { cluster } = stage;
    const standby = await cluster.postgres.startStandby(join(cluster.options.directory, 'standby'));
    await recoversFrom(stage, () => cluster.failOverPostgres(standby));
  },
};

/** A long run is in progress and schedules are live while it happens. */
async function recoversFrom(stage: Stage, happens: (stage: Stage) => Promise<void>): Promise<void> {
  const { cluster, fleet, expect } = stage;
  const run = await startLongRun(stage);
  const starts = cluster.podEvents.length;
  await happens(stage);
  await cluster.standIns.call('slowDown', 0);
  const from = Date.now();
  const recoveries = cluster.slots.map(async (pod, slot) => {
    await until(`a sync through ${pod.name}`, RECOVERY_BOUND_MS * 3, async () => {
      const executionId = await startRun(stage, fleet.registered[slot + 1]!, pod).catch(() => null);
      if (executionId === null) return false;
      await until('its end', RECOVERY_BOUND_MS * 3, async () => {
        const { status } = await rowOf(stage, executionId);
        return status !== 'queued' && status !== 'running';
      });
      return (await rowOf(stage, executionId)).status === 'completed';
    });
    await until(`${pod.name} to be ready`, RECOVERY_BOUND_MS, () => isReady(pod.url));
    return Date.now() - from;
  });
  const slowest = Math.max(...(await Promise.all(recoveries)));
  expect.check(slowest <= RECOVERY_BOUND_MS, () => `everything worked after ${seconds(slowest)}`);
  expect.measure('everything works after', seconds(slowest));
  const row = await ended(stage, run);
  expect.check(row.status === 'completed', () => `the run ended as ${row.status} (${row.error_code})`);
  // Two more ticks must run without intervention.
  await sleep(125_000 - (Date.now() % 60_000));
  expect.check(cluster.podEvents.length === starts, () => 'a pod was restarted');
}

async function isReady(url: string | null): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`).catch(() => null);
  return response?.status === 200;
}
