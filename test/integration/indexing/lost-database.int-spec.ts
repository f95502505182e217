import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { CheckCollections } from '../../../apps/server/src/chores/check-collections.js';
import { backUp } from '../../support/database-backup.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { dropCollection, savePoints } from '../../support/saved-points.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const { signal } = new AbortController();
/** With Qdrant they are on another server, which a backup of Postgres does not hold. */
const POINT_TABLES = { without: ['vector_collections', 'vector_points'] };

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.git.writeAll({
    'README.md': '# App\n\nWords about the app.\n',
    'src/alpha.ts': sourceText('alpha', 40),
    'src/beta.ts': sourceText('beta', 40),
  });
  await world.git.commit();
  await world.git.branch('stable');
  expect(await world.sync()).toMatchObject({ status: 'completed' });
});
afterEach(() => world.stop());

const pointsInCollection = async (): Promise<number> =>
  world.vectorStore.count(await world.collection(), null, signal);

async function tenRuns(): Promise<void> {
  for (let run = 0; run < 10; run++) {
    world.git.write(`src/new${run}.ts`, sourceText(`new${run}`, 20));
    world.git.write('src/alpha.ts', sourceText(`alpha${run}`, 40));
    if (run > 1) world.git.delete(`src/new${run - 2}.ts`);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
  }
}

/** The first attempt only raises the fences. */
async function syncAfterRestore(repositoryId = world.repositoryId) {
  const first = await world.sync({ repositoryId });
  if (first.status !== 'queued') return first;
  expect(first).toMatchObject({ errorCode: 'fences_behind' });
  return world.runQueued(first.id);
}

const checkCollections = (): Promise<void> =>
  new CheckCollections(recordingLogger(), world.generations, world.vectorStore).run(signal);

describe('one run after Postgres was restored to a backup of ten runs ago', () => {
  it('makes the index equal to the tree, and removes a repository that was registered since', async () => {
    const backup = await backUp(world.database, POINT_TABLES);
    await tenRuns();
    const since = await world.register({ branch: 'stable' });
    expect(await world.sync({ repositoryId: since })).toMatchObject({ status: 'completed' });
    const strays = (await world.points(since)).length;
    // In the index, but in neither the restored manifest nor the tree.
    world.git.delete('src/new9.ts');
    await world.git.commit();

    await backup.restore();
    const run = await syncAfterRestore();
    expect(run).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    expect(run.report).toMatchObject({
      ...{ kind: 'drift', cause: 'database_behind' },
      ...{ stray_repositories: 1, stray_points: strays },
    });
    expect(run.errorMessage).toContain(`Removed ${strays} point(s) of 1 repository(s)`);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await pointsInCollection()).toBe((await world.points()).length);
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null, sourceRequests: 1 });
  });

  it('reports what an attempt removed that was cut off right after', async () => {
    const backup = await backUp(world.database, POINT_TABLES);
    const since = await world.register({ branch: 'stable' });
    await world.sync({ repositoryId: since });
    const strays = (await world.points(since)).length;
    world.git.write('src/new.ts', sourceText('new', 20));
    await world.git.commit();
    await world.sync();
    await backup.restore();
    const { vectorStore } = world;
    const remove = vectorStore.deleteRepository.bind(vectorStore);
    jest.spyOn(vectorStore, 'deleteRepository').mockImplementationOnce(async (...args) => {
      await remove(...args);
      throw new RepotideError('temporary', 'cut_off', 'The connection broke.');
    });
    const { id, errorCode } = await syncAfterRestore();
    expect(errorCode).toBe('cut_off');
    expect(await world.points(since)).toEqual([]);
    expect(await world.runQueued(id)).toMatchObject({
      status: 'completed',
      report: { stray_repositories: 1, stray_points: strays },
    });
  });

  it('makes the index equal without a new commit, and when the backup was taken during a run', async () => {
    world.git.write('src/gamma.ts', sourceText('gamma', 40));
    await world.git.commit();
    const stopped = AbortSignal.abort();
    await world.sync({ signal: stopped });
    const backup = await backUp(world.database, POINT_TABLES);
    const [queued] = (await world.executions.list({ status: ['queued'] }, { limit: 1, offset: 0 })).items;
    await world.runQueued(queued!.id);
    await tenRuns();
    await backup.restore();
    const first = await world.runQueued(queued!.id);
    expect(first).toMatchObject({ status: 'queued', errorCode: 'fences_behind' });
    expect(await world.runQueued(queued!.id)).toMatchObject({ status: 'completed' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await pointsInCollection()).toBe((await world.points()).length);
  });

  it('makes an old backup equal to an old snapshot of the store that does not belong to it', async () => {
    const snapshot = await savePoints(world);
    await tenRuns();
    const backup = await backUp(world.database, POINT_TABLES);
    await tenRuns();
    await backup.restore();
    await snapshot.restore();
    expect(await syncAfterRestore()).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await pointsInCollection()).toBe((await world.points()).length);
  });
});

describe('the check of collections', () => {
  it('removes the points of unknown and of purged repositories, and no others', async () => {
    const backup = await backUp(world.database, POINT_TABLES);
    const since = await world.register({ branch: 'stable' });
    expect(await world.sync({ repositoryId: since })).toMatchObject({ status: 'completed' });
    const points = (await world.points()).length;
    await checkCollections();
    expect(await pointsInCollection()).toBeGreaterThan(points);

    await backup.restore();
    await checkCollections();
    expect(await world.points(since)).toEqual([]);
    expect(await world.points()).toHaveLength(points);
    // This repository did not change, so its run has nothing to repair.
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
  });

  it('marks the repositories of a missing collection as lost, once, and their runs restore it', async () => {
    await dropCollection(world);
    await checkCollections();
    const { lostSince, indexSuspicions } = await world.repository();
    expect(lostSince).toBeInstanceOf(Date);
    await checkCollections();
    expect(await world.repository()).toMatchObject({ lostSince, indexSuspicions });
    expect(await world.repositories.listSuspect()).toEqual([{ id: world.repositoryId }]);

    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', errorCode: 'index_repaired', embeddingsRequested: 0 });
    expect(run.report).toMatchObject({ cause: 'collection_lost', points_found: 0 });
    expect(await world.repository()).toMatchObject({ lostSince: null, indexDirty: false });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    await checkCollections();
    expect(await world.repositories.listSuspect()).toEqual([]);
  });

  it('lets a lost repository run once, also when its last run failed', async () => {
    world.gitlab.endToken('default', 'revoked');
    expect(await world.sync()).toMatchObject({ status: 'failed' });
    await dropCollection(world);
    await checkCollections();
    expect(await world.repositories.listSuspect()).toEqual([{ id: world.repositoryId }]);
    expect(await world.sync()).toMatchObject({ status: 'failed' });
    expect(await world.repositories.listSuspect()).toEqual([]);
  });
});
