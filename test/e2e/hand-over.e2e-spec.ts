import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { onServer } from '../support/postgres-url.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 600;
/** The run would last two minutes if nobody ended it. */
const EMBEDDING_MS = 200;
/** Longer than this test: whatever goes on here was not found by a round of the reconciler. */
const NO_ROUND = { REAPER_INTERVAL_SECONDS: '3600' };
/** Of these runs get 16 s. The chore below waits for 10 s: one after the other is more than there is. */
const GRACE = { SHUTDOWN_GRACE_SECONDS: '24' };
const PATIENCE_MS = 60_000;

let world: PodWorld;
let [leaving, staying]: PodService[] = [];

beforeAll(async () => {
  world = await createPodWorld(FILES);
  leaving = await world.start('pod-leaving', { ...NO_ROUND, ...GRACE });
}, 120_000);
afterAll(() => world?.remove());

/** What the leader's chores of the history wait for, for as long as their patience lasts. */
async function whileSumsAreLocked(work: () => Promise<void>): Promise<void> {
  await onServer(world.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE history_totals');
    await work();
    await client.query('ROLLBACK');
  });
}

async function isChoreWaiting(): Promise<boolean> {
  return onServer(world.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = 'history_totals'::regclass`,
    );
    return rows.length > 0;
  });
}

it('a leader told to stop in the middle of a chore hands its run over in time, and the next pod starts it at once', async () => {
  world.slowDown(EMBEDDING_MS);
  const repository = await register(leaving!, PROJECT);
  const run = await startSync(leaving!, repository);
  const isMoving = (): boolean => world.embedding.requests.length > 5;
  await until('the run to be in its middle', isMoving);
  staying = await world.start('pod-staying', NO_ROUND);

  await whileSumsAreLocked(async () => {
    await until('a chore to be in its middle', isChoreWaiting, PATIENCE_MS);
    expect(await execution(leaving!, run)).toMatchObject({ status: 'running', attempt: 1 });
    const stopped = leaving!.stop();
    const leads = async (): Promise<boolean> =>
      (await staying!.get<{ leader: string | null }>('/api/v1/cluster')).leader === 'pod-staying';
    await until('the other pod to lead', leads);
    // The office was given up at once, not after the run.
    expect(await execution(staying!, run)).toMatchObject({ status: 'running', attempt: 1 });
    expect(await stopped).toBe(0);
  });

  world.slowDown(0);
  const row = await executionThat(staying, run, isOver, PATIENCE_MS);
  expect(row).toMatchObject({ status: 'completed', attempt: 2, interruptions: 0, error_code: null });
}, 240_000);
