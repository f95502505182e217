import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createQdrantStore, type QdrantOptions } from '@adapters/qdrant';
import { type VectorStore } from '@core/domain';
import { startQdrantDouble, type QdrantDouble } from '@devkit';
import { CheckCollections } from '../../../apps/server/src/chores/check-collections.js';
import { backUp } from '../../support/database-backup.js';
import { recordingLogger, type RecordingLogger } from '../../support/recording-logger.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const { signal } = new AbortController();
const DIMENSIONS = 384;

let double: QdrantDouble;
let logger: RecordingLogger;
let store: VectorStore;
let world: SyncWorld;

beforeEach(async () => {
  double = await startQdrantDouble();
  logger = recordingLogger();
  await openWorld({ url: double.url, logger });
});
afterEach(async () => {
  await world.stop();
  await double.close();
  expect(double.violations).toEqual([]);
});

async function openWorld(options: QdrantOptions): Promise<void> {
  store = createQdrantStore(options);
  world = await createSyncWorld({ wrapVectorStore: () => store });
  world.git.write('src/alpha.ts', sourceText('alpha', 20));
  await world.git.commit();
}

async function makeCollection(key = ''): Promise<void> {
  const body = JSON.stringify({ vectors: { size: DIMENSIONS, distance: 'Cosine' }, shard_number: 2 });
  const answer = await fetch(`${double.url}/collections/code`, {
    method: 'PUT',
    headers: { 'api-key': key },
    body,
  });
  expect(answer.status).toBe(200);
}

/** As for a key that may use its collections, and manage none. */
function forbidManagement(): void {
  const error = 'Forbidden: Global manage access is required';
  const fault = { kind: 'status', status: 403, error, times: Infinity } as const;
  for (const operation of ['get_collections', 'get_collections_aliases', 'create_collection'])
    double.plan({ ...fault, operation });
  double.plan({ ...fault, operation: 'update_aliases' });
}

async function expectIndexed(): Promise<void> {
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  expect(await world.collection()).toBe('code');
  expect(double.collectionNames()).toEqual(['code']);
  expect(double.collection('code')?.points.length).toBeGreaterThan(0);
}

describe('a collection of a repository that was registered after the restored backup', () => {
  const chosen = async () => (await world.generations.list()).map(({ physicalName }) => physicalName);

  it('is reported first, and removed by a repair or by a run that repairs its index', async () => {
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    const check = new CheckCollections(logger, world.generations, store);
    const names = await chosen();
    for (const repair of ['repair', 'sync'] as const) {
      const backup = await backUp(world.database);
      await world.git.branch(repair);
      const repositoryId = await world.register({ branch: repair, collectionName: `since-${repair}` });
      expect(await world.sync({ repositoryId })).toMatchObject({ status: 'completed' });
      world.git.write('src/beta.ts', sourceText(`beta ${repair}`, 20));
      await world.git.commit();
      if (repair === 'sync') expect(await world.sync()).toMatchObject({ status: 'completed' });
      const since = (await chosen()).filter((name) => !names.includes(name));
      expect(since).toHaveLength(1);
      await check.run(signal);
      expect(warnings()).toEqual([]);

      await backup.restore();
      for (let round = 0; round < 2; round++) await check.run(signal);
      expect(warnings()).toEqual([expect.stringContaining(since[0]!)]);
      expect(double.collectionNames()).toContain(since[0]);
      logger.lines.splice(0);

      if (repair === 'repair') await world.run('repair');
      else expect((await syncAfterRestore()).report).toMatchObject({ stray_collections: 1 });
      expect(double.collectionNames()).toEqual(names);
      expect(Object.values(double.aliases())).toEqual(names);
      logger.lines.splice(0);
    }
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  const warnings = () => logger.lines.filter((line) => line.includes('the next repair removes it'));

  /** The first attempt only raises the fences. */
  async function syncAfterRestore() {
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'queued', errorCode: 'fences_behind' });
    return world.runQueued(first.id);
  }
});

describe('a replica that lags', () => {
  it('is read again before a run believes that points are missing', async () => {
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    for (const name of ['beta', 'gamma']) {
      // Twice after the run has stored its points, the tally is that of a replica without them.
      if (name === 'gamma') double.plan({ kind: 'lag', operation: 'facet', times: 3 });
      world.git.write(`src/${name}.ts`, sourceText(name, 20));
      await world.git.commit();
      expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null, report: null });
    }
    expect(double.countRequests('facet')).toBe(2 + 2 + 4);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

describe('a snapshot of Qdrant', () => {
  it.each(['into the collection', 'after the collection was dropped and made anew', 'into nothing'])(
    'recovered %s is noticed by the next run, and repaired from the cache',
    async (where) => {
      expect(await world.sync()).toMatchObject({ status: 'completed' });
      const recover = double.snapshot(await world.collection());
      world.git.write('src/alpha.ts', sourceText('omega', 20));
      await world.git.commit();
      expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
      if (where !== 'into the collection') await store.dropCollection(await world.collection(), signal);
      if (where.startsWith('after')) {
        expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
      }
      recover();
      const repaired = await world.sync();
      expect(repaired).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
      expect(repaired).toMatchObject({ embeddingsRequested: 0 });
      expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
      expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    },
  );
});

describe('a collection that was made beforehand', () => {
  it('has the index from the first run on, and is restored where it is emptied or dropped', async () => {
    await makeCollection();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    await expectIndexed();
    expect(await store.incarnationOf('code', signal)).not.toBeNull();
    expect(double.aliases()).toEqual({});
    await store.deleteRepository('code', world.repositoryId, signal);
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    await expectIndexed();
    await store.dropCollection('code', signal);
    await makeCollection();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    await expectIndexed();
  });

  it('is all that a key without the right to manage collections needs', async () => {
    await makeCollection();
    forbidManagement();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    await expectIndexed();
    const missing = await store.checkHealth(signal);
    expect(missing).toEqual([expect.stringMatching(/QDRANT_API_KEY may not list collections/)]);
    // Each is logged once.
    await world.sync();
    const logged = logger.lines.filter((line) => line.includes('may not list collections'));
    expect(logged).toHaveLength(1);
  });

  it('is all that a key for this collection alone needs, also for search, verification and repair', async () => {
    const other = await startQdrantDouble({
      apiKey: 'whole',
      scopedKeys: [{ key: 'part', collections: { code: 'rw' } }],
    });
    await Promise.all([double.close(), world.stop()]);
    double = other;
    await openWorld({ url: double.url, apiKey: 'part', logger });
    await makeCollection('whole');
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    await expectIndexed();
    expect(await store.checkHealth(signal)).toEqual([]);
    expect(await world.run('verify')).toMatchObject({ status: 'completed' });
    await store.deletePoints('code', [double.collection('code')!.points[0]!.id as string], signal);
    expect(await world.run('repair')).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    await expectIndexed();
  });

  it('may be made after a run that the key did not allow to make one', async () => {
    forbidManagement();
    const refused = await world.sync();
    expect(refused).toMatchObject({ status: 'failed', errorCode: 'vector_store_forbidden' });
    expect(await store.checkHealth(signal)).toContainEqual(
      expect.stringMatching(/make each collection beforehand/),
    );
    double.clearFaults();
    await makeCollection();
    forbidManagement();
    expect(await world.sync()).toMatchObject({ status: 'completed', errorCode: null });
    await expectIndexed();
  });

  it('fails the first run when it does not fit', async () => {
    const body = JSON.stringify({ vectors: { size: 8, distance: 'Cosine' } });
    await fetch(`${double.url}/collections/code`, { method: 'PUT', body });
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'collection_mismatch' });
  });
});
