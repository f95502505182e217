import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { onServer } from '../support/postgres-url.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 200;
/** At this speed the run would take two minutes. */
const EMBEDDING_MS = 600;
/** Longer than this test, so that no chore finds the run. */
const NO_ROUND = { REAPER_INTERVAL_SECONDS: '3600' };
/** The run gets 16 s of it and the chore below waits 10 s. One after the other they would exceed it. */
const GRACE = { SHUTDOWN_GRACE_SECONDS: '24' };
const PATIENCE_MS = 60_000;

let world: PodWorld;
let [leaving, staying]: PodService[] = [];

beforeAll(async () => {
  world = await createPodWorld(FILES);
}, 120_000);
afterAll(() => world?.remove());

/** Makes the leader's retention wait for its lock, up to its lock timeout of 10 s. */
async function whileRetentionIsLocked(work: () => Promise<void>): Promise<void> {
  await onServer(world.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE idempotency_keys');
    await work();
    await client.query('ROLLBACK');
  });
}

async function isRetentionWaiting(): Promise<boolean> {
  return onServer(world.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = 'idempotency_keys'::regclass`,
    );
    return rows.length > 0;
  });
}

it('a leader that is stopped during a chore hands over its run in time, and the next pod starts it at once', async () => {
  world.slowDown(EMBEDDING_MS);
  let run = '';
  await whileRetentionIsLocked(async () => {
    leaving = await world.start('pod-leaving', { ...NO_ROUND, ...GRACE });
    run = await startSync(leaving, await register(leaving, PROJECT));
    await until('the run to be in its middle', () => world.embedding.requests.length > 5);
    staying = await world.start('pod-staying', NO_ROUND);
    await until('the retention to wait for the lock', isRetentionWaiting, PATIENCE_MS);
    expect(await execution(leaving, run)).toMatchObject({ status: 'running', attempt: 1 });
    const stopped = leaving.stop();
    const leads = async (): Promise<boolean> =>
      (await staying!.get<{ leader: string | null }>('/api/v1/cluster')).leader === 'pod-staying';
    await until('the other pod to lead', leads);
    // The pod gave up the leadership at once, not after the run had stopped.
    expect(await execution(staying, run)).toMatchObject({ status: 'running', attempt: 1 });
    expect(await stopped).toBe(0);
  });

  world.slowDown(0);
  const row = await executionThat(staying!, run, isOver, PATIENCE_MS);
  expect(row).toMatchObject({ status: 'completed', attempt: 2, interruptions: 0, error_code: null });
}, 240_000);
