import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RUN_HANDLERS, type Execution } from '@core/domain';
import { VerifyIndexes } from '../../../apps/server/src/chores/verify-indexes.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const { signal } = new AbortController();
const page = { limit: 50, offset: 0 };
let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.git.write('a.ts', sourceText('a', 40));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed' });
  await pass(6);
});
afterEach(() => world.stop());

/** One round of the chore. @returns the executions that wait after it, oldest first. */
async function round(intervalDays = 7): Promise<Execution[]> {
  await new VerifyIndexes({ verification: { intervalDays } }, world.executions, world.repositories).run();
  const { items } = await world.executions.list({ status: ['queued'] }, page);
  return items.reverse();
}

async function runAll(queued: readonly Execution[]): Promise<Execution[]> {
  const ended: Execution[] = [];
  for (const { id } of queued) ended.push(await world.runQueued(id));
  return ended;
}

/** Makes everything older, as if this time had passed. */
async function pass(days: number): Promise<void> {
  for (const [table, column] of [
    ['repositories', 'created_at'],
    ['repository_indexes', 'last_verified_at'],
    ['schedule_execution_logs', 'queued_at'],
  ]) {
    await world.database.query(`UPDATE ${table} SET ${column} = ${column} - make_interval(days => $1)`, [
      days,
    ]);
  }
}

const take = () => {
  const request = { podName: 'pod-a', handlers: RUN_HANDLERS };
  return world.executions.take(request, async () => true);
};

describe('the scheduled verification', () => {
  it('verifies a repository once in the interval, and embeds nothing', async () => {
    const queued = await round();
    expect(queued).toMatchObject([{ handler: 'verify', trigger: 'recovery' }]);
    expect(await round()).toEqual(queued);
    expect(await runAll(queued)).toMatchObject([{ status: 'completed', embeddingsRequested: 0 }]);
    expect(await round()).toEqual([]);
    await pass(4);
    expect(await round()).toEqual([]);
    await pass(2);
    expect(await round()).toMatchObject([{ handler: 'verify' }]);
  });

  it('does not follow the registration at once, and comes within the interval', async () => {
    await world.git.branch('new');
    const repositoryId = await world.register({ branch: 'new' });
    await world.sync({ repositoryId });
    await runAll(await round());
    expect(await round()).toEqual([]);
    await pass(6);
    expect(await round()).toMatchObject([{ repositoryId }]);
  });

  it('queues nothing with an interval of 0, before the first sync, or while another run waits', async () => {
    expect(await round(0)).toEqual([]);
    const request = { trigger: 'manual', requestedBy: 'test', fullSync: false } as const;
    await world.executions.enqueue({ ...request, repositoryId: world.repositoryId });
    await world.register({ branch: 'never-synced' });
    expect(await round()).toMatchObject([{ handler: 'repository_sync' }]);
  });

  it('reaches all repositories within the interval, the longest unverified first', async () => {
    const ids = [world.repositoryId];
    for (const branch of ['b', 'c']) {
      await world.git.branch(branch);
      ids.push(await world.register({ branch }));
      expect(await world.sync({ repositoryId: ids.at(-1)! })).toMatchObject({ status: 'completed' });
    }
    await pass(6);
    const first = await round();
    expect(first).toHaveLength(1);
    expect(await round()).toHaveLength(2);
    const all = await round();
    expect(new Set(all.map(({ repositoryId }) => repositoryId))).toEqual(new Set(ids));
    await runAll(all);
    await pass(6);
    const [next] = await round();
    expect(next!.repositoryId).toBe(first[0]!.repositoryId);
  });

  it('repeats a verification that failed, but not in every round', async () => {
    const [queued] = await round();
    await world.executions.abandonQueued(queued!.id, 'failed', 'source_unreachable', 'GitLab is down.');
    expect(await round()).toEqual([]);
    await pass(1);
    expect(await round()).toMatchObject([{ handler: 'verify' }]);
  });

  it('waits behind other runs and delays none of them while it waits', async () => {
    const [verification] = await round();
    const request = { trigger: 'manual', requestedBy: 'test', fullSync: false } as const;
    const sync = await world.executions.enqueue({ ...request, repositoryId: world.repositoryId });
    expect(await take()).toMatchObject({ kind: 'started', run: { executionId: sync.id } });
    expect(await take()).toBeNull();
    await world.database.query(
      `UPDATE schedule_execution_logs SET status = 'cancelled',
      completed_at = clock_timestamp() WHERE id = $1`,
      [sync.id],
    );
    expect(await take()).toMatchObject({ kind: 'started', run: { executionId: verification!.id } });
  });

  it('comes first when it has waited for a quarter of an hour', async () => {
    const [verification] = await round();
    await world.database.query(
      `UPDATE schedule_execution_logs SET queued_at = queued_at - interval '18 minutes' WHERE id = $1`,
      [verification!.id],
    );
    const request = { trigger: 'manual', requestedBy: 'test', fullSync: false } as const;
    await world.executions.enqueue({ ...request, repositoryId: world.repositoryId });
    expect(await take()).toMatchObject({ kind: 'started', run: { executionId: verification!.id } });
  });
});

describe('a drift that a scheduled verification finds', () => {
  it('is shown, repaired by a run that says what it found, and then no longer shown', async () => {
    const [point] = await world.wholePoints();
    const changed = { ...point!, payload: { ...point!.payload, text: 'something else' } };
    await world.vectorStore.upsert(await world.collection(), [changed], signal);
    const [verified] = await runAll(await round());
    expect(verified).toMatchObject({ errorCode: 'index_differs', report: { points_changed: 1 } });
    expect(await world.repository()).toMatchObject({ lastDrift: { files: 0, points: 1 } });
    expect(await world.repositories.verificationState(60)).toMatchObject({ drifted: 1, overdue: 0 });

    const repair = await round();
    expect(repair).toMatchObject([{ handler: 'repair', trigger: 'recovery' }]);
    expect(await runAll(repair)).toMatchObject([
      {
        status: 'completed',
        errorCode: 'index_repaired',
        errorMessage: 'Repaired: 1 changed point(s).',
        embeddingsRequested: 0,
      },
    ]);
    expect(await world.repository()).toMatchObject({ lastDrift: null });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await round()).toEqual([]);
  });

  it('gets one repair until the next verification, and none after a requested verification', async () => {
    await world.vectorStore.deleteRepository(await world.collection(), world.repositoryId, signal);
    await world.run('verify');
    expect(await round()).toEqual([]);
    await pass(6);
    await runAll(await round());
    const [repair] = await round();
    await world.executions.abandonQueued(repair!.id, 'failed', 'source_unreachable', 'GitLab is down.');
    expect(await round()).toEqual([]);
  });
});
