import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DriftReport } from '@core/domain';
import { dropCollection, removePoints, savePoints } from '../../support/saved-points.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { VECTOR_STORES } from '../../support/vector-stores.js';

describe.each(VECTOR_STORES)('the next run, in the %s store,', (kind) => {
  let world: SyncWorld;
  let points: number;
  let afterUpsert: () => Promise<void>;
  const calls: string[] = [];

  beforeEach(async () => {
    afterUpsert = async () => undefined;
    world = await createSyncWorld({
      vectors: kind,
      wrapVectorStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            return (...args: unknown[]) => {
              calls.push(String(name));
              const answer: unknown = Reflect.apply(member, target, args);
              return name === 'upsert' ? (answer as Promise<void>).then(() => afterUpsert()) : answer;
            };
          },
        }),
    });
    world.git.writeAll({
      'README.md': '# App\n\nWords about the app.\n',
      'src/alpha.ts': sourceText('alpha', 40),
      'src/beta.ts': sourceText('beta', 40),
      'src/gamma.ts': sourceText('gamma', 10),
    });
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null, report: null });
    points = (await world.points()).length;
  });
  afterEach(() => world.stop());

  async function editWithSameCount(): Promise<void> {
    world.git.write('src/alpha.ts', sourceText('omega', 40));
    await world.git.commit();
  }

  /** The index is right, the run says what it repaired, and the run after it finds nothing. */
  async function expectRepair(report: Partial<DriftReport>, embeddingsRequested = 0): Promise<void> {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', errorCode: 'index_repaired', embeddingsRequested });
    expect(run.report).toMatchObject({ kind: 'drift', points_doubled: 0, ...report });
    expect(run.errorMessage).toContain('Repaired: ');
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    const repository = await world.repository();
    expect(repository).toMatchObject({ indexDirty: false, lastSyncedCommit: await world.git.head() });
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null, sourceRequests: 1 });
  }

  const lost = () => ({
    cause: 'points_differ' as const,
    points_expected: points,
    points_found: 0,
    points_missing: points,
    points_stale: 0,
  });

  it('makes one request to the store while nothing changes', async () => {
    calls.length = 0;
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null, report: null });
    expect(calls).toEqual(['tally']);
  });

  it('without a new commit restores all points of an emptied collection from the cache', async () => {
    await removePoints(world);
    await expectRepair(lost());
  });

  it('without a new commit restores all points of a dropped collection from the cache', async () => {
    await dropCollection(world);
    await expectRepair({ ...lost(), cause: 'collection_lost' });
  });

  it('with a new commit restores the other points of a dropped collection too', async () => {
    await dropCollection(world);
    world.git.write('src/new.ts', sourceText('fresh', 3));
    await world.git.commit();
    await expectRepair({ ...lost(), cause: 'collection_lost' }, 1);
  });

  it('of one repository reports the dropped collection, and those of the others restore their points too', async () => {
    await world.git.branch('other');
    const repositoryId = await world.register({ branch: 'other' });
    expect(await world.sync({ repositoryId })).toMatchObject({ status: 'completed' });
    expect(await world.repository()).toMatchObject({ lostSince: null });
    await dropCollection(world);
    expect(await world.sync({ repositoryId })).toMatchObject({ errorCode: 'index_repaired' });
    expect(await world.repositories.find(repositoryId)).toMatchObject({ lostSince: null, indexDirty: false });
    expect(await world.repository()).toMatchObject({ lostSince: expect.any(Date), indexDirty: true });
    expect(await world.repositories.listSuspect()).toEqual([{ id: world.repositoryId }]);
    expect(await world.repositories.countLost()).toBe(1);
    await expectRepair({ ...lost(), cause: 'collection_lost' });
    expect(await world.repositories.countLost()).toBe(0);
    expect(await findDifferences(world, 'HEAD', repositoryId)).toEqual(NO_DIFFERENCES);
  });

  it('restores lost points, with and without a new commit', async () => {
    const removed = await removePoints(world, undefined, ({ path }) => path === 'src/beta.ts');
    const found = { points_found: points - removed, points_missing: removed };
    await expectRepair({ ...lost(), ...found, points_in: { files: 1, first_paths: ['src/beta.ts'] } });
    await removePoints(world, undefined, ({ path }) => path === 'src/beta.ts');
    world.git.delete('README.md');
    await world.git.commit();
    // The last run wrote only these points.
    await expectRepair({ ...lost(), cause: 'store_behind', ...found });
  });

  it('removes points that another program added', async () => {
    const [point] = await world.wholePoints();
    const ghost = { ...point!, id: '00000000-0000-4000-8000-000000000001' };
    ghost.payload = { ...ghost.payload, path: 'ghost.ts' };
    await world.vectorStore.upsert(await world.collection(), [ghost], new AbortController().signal);
    await expectRepair({ ...lost(), points_found: points + 1, points_missing: 0, points_stale: 1 });
  });

  it('updates a store of an older snapshot with as many points, without a new commit', async () => {
    const snapshot = await savePoints(world);
    await editWithSameCount();
    await world.sync();
    await snapshot.restore();
    expect(await world.points()).toHaveLength(points);
    const changed = (await world.points()).filter(({ path }) => path === 'src/alpha.ts').length;
    const found = { points_found: points, points_missing: changed, points_stale: changed };
    await expectRepair({ ...lost(), cause: 'store_behind', ...found });
  });

  it('updates a store of an older snapshot with as many points, with a new commit', async () => {
    const snapshot = await savePoints(world);
    await editWithSameCount();
    await world.sync();
    await snapshot.restore();
    const changed = (await world.points()).filter(({ path }) => path === 'src/alpha.ts').length;
    world.git.delete('README.md');
    await world.git.commit();
    const found = { points_found: points, points_missing: changed, points_stale: changed };
    await expectRepair({ ...lost(), cause: 'store_behind', ...found });
  });

  it('repairs points that are lost while it runs', async () => {
    world.git.write('src/new.ts', sourceText('fresh', 3));
    await world.git.commit();
    afterUpsert = async () => {
      afterUpsert = async () => undefined;
      await removePoints(world, undefined, ({ path }) => path === 'src/beta.ts' || path === 'src/new.ts');
    };
    const removed = (await world.points()).filter(({ path }) => path === 'src/beta.ts').length + 1;
    const report = { cause: 'points_differ', points_expected: points + 1, points_missing: removed } as const;
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', errorCode: 'index_repaired', report });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('fails, and repeats, when points vanish as often as it restores them', async () => {
    await removePoints(world);
    afterUpsert = async () => void (await removePoints(world));
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'queued', errorCode: 'index_differs' });
    expect(run.errorMessage).toContain(`has 0 points of this repository, and the manifest ${points}`);
    afterUpsert = async () => undefined;
    expect(await world.runQueued(run.id)).toMatchObject({ status: 'completed' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('removes the rest of a file that lost points and cannot be read, and restores it once it can be', async () => {
    await removePoints(
      world,
      undefined,
      ({ path, chunk_index }) => path === 'src/beta.ts' && chunk_index > 0,
    );
    const restore = world.gitlab.faults.add({ url: /\/blobs\//, effect: { kind: 'corrupt' } });
    world.gitlab.faults.add({ url: /graphql/, effect: { kind: 'status', status: 403 } });
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'partial', errorCode: 'files_failed', report: { kind: 'drift' } });
    expect(run.errorMessage).toContain('The vector store was changed after the last run');
    expect(await findDifferences(world)).toEqual({ ...NO_DIFFERENCES, failed: ['src/beta.ts'] });
    restore();
    expect(await world.sync()).toMatchObject({
      status: 'completed',
      errorCode: null,
      embeddingsRequested: 0,
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});
