import { randomUUID } from 'node:crypto';
import { createGenerationStore, PodRegistry, type Database } from '@adapters/postgres';
import { zeroCounters, type IndexGeneration, type Repository, type RunIdentity } from '@core/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activeGeneration } from '../../support/active-generation.js';
import { eventually } from '../../support/eventually.js';
import { indexedFile, newRepository, openStores, startRun, type Stores } from './fixtures.js';

const pointer = { commit: 'c'.repeat(40), fingerprint: 'f', indexSuspicions: 0 };
const modelOf = (modelId: string) => ({ modelId, dimensions: 8, modelServer: null });

let stores: Stores;
let collectionName: string;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(() => {
  collectionName = `code-${randomUUID()}`;
});
afterAll(() => stores.close());

const build = (modelId: string): Promise<IndexGeneration> =>
  stores.generations.open(collectionName, () => ({
    kind: 'make',
    model: modelOf(modelId),
    status: 'building',
  }));
const rebuild = (modelId: string): Promise<IndexGeneration> =>
  stores.generations.open(collectionName, () => ({ kind: 'rebuild', model: modelOf(modelId) }));
const statuses = async (): Promise<Record<string, string>> => {
  const found = await stores.generations.list([collectionName]);
  return Object.fromEntries(found.map(({ modelId, status }) => [modelId, status]));
};

async function addRepository(): Promise<{ repository: Repository; run: RunIdentity }> {
  const repository = await stores.repositories.create(newRepository({ collectionName }));
  return { repository, run: await startRun(stores, repository.id) };
}

async function syncInto(
  { id }: IndexGeneration,
  run: RunIdentity,
  changes: Parameters<typeof indexedFile>[1] = {},
): Promise<void> {
  const manifest = stores.manifest.of(id);
  await manifest.markDirty(run);
  const upserts = [indexedFile('a.ts', changes)];
  await manifest.commitBatch(run, { upserts, deletes: [] }, zeroCounters());
  await manifest.advancePointer(run, pointer);
}

/** A database whose transaction stops before its commit until `commitNow` is called. */
function heldBeforeCommit(): { db: Database; isAtEnd: Promise<void>; commitNow: () => void } {
  let commitNow = (): void => undefined;
  let reach = (): void => undefined;
  const isNotified = new Promise<void>((resolve) => (commitNow = resolve));
  const isAtEnd = new Promise<void>((resolve) => (reach = resolve));
  const transaction: Database['transaction'] = (work) =>
    stores.db.transaction(async (tx) => {
      const result = await work(tx);
      reach();
      await isNotified;
      return result;
    });
  return { db: { ...stores.db, transaction }, isAtEnd, commitNow };
}

async function someoneWaits(): Promise<boolean> {
  const waiting = await stores.db.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

async function makeOlder({ id }: IndexGeneration, hours: number): Promise<void> {
  await stores.db.query(
    `UPDATE index_generations SET retired_at = retired_at - make_interval(hours => $2),
      used_at = used_at - make_interval(hours => $2) WHERE id = $1`,
    [id, hours],
  );
}

describe('the generations of a collection', () => {
  it('include at most one active and one building, also under concurrent requests', async () => {
    const made = await Promise.all(
      [1, 2, 3, 4].map(() => activeGeneration(stores.generations, collectionName, modelOf('a'))),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ collectionName, modelId: 'a', dimensions: 8, status: 'active' });
    expect(made[0]!.physicalName).toMatch(new RegExp(`^${collectionName}--[0-9a-f]{8}$`));
    await build('b');
    await expect(build('c')).rejects.toMatchObject({ kind: 'invalid', code: 'value_refused' });
    expect(await statuses()).toEqual({ a: 'active', b: 'building' });
  });

  it('have separate manifests, folders and pointers; the API shows those of the active one', async () => {
    const { repository, run } = await addRepository();
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    await syncInto(former, run, { blobSha: 'a'.repeat(40) });
    const next = await build('b');
    const { manifest, repositories } = stores;
    const page = { limit: 10, offset: 0 };
    const shownBlob = async () => (await manifest.listFiles(repository.id, {}, page)).items[0]?.blobSha;
    expect(await manifest.of(next.id).stateOf(repository.id)).toEqual({
      generationId: null,
      lastSyncedCommit: null,
      lastSyncAt: null,
      lastVerifiedAt: null,
      lastDrift: null,
      indexFingerprint: null,
      indexDirty: false,
      indexSuspicions: 0,
      markFence: null,
      markPoints: null,
      lostSince: null,
      warnings: [],
    });
    await manifest.of(next.id).markDirty(run);
    await manifest
      .of(next.id)
      .commitBatch(
        run,
        { upserts: [indexedFile('a.ts', { blobSha: 'b'.repeat(40) })], deletes: [] },
        zeroCounters(),
      );
    expect(await repositories.find(repository.id)).toMatchObject({
      lastSyncedCommit: pointer.commit,
      indexDirty: false,
    });
    expect(await shownBlob()).toBe('a'.repeat(40));
    await stores.generations.activate(next.id);
    expect(await repositories.find(repository.id)).toMatchObject({
      lastSyncedCommit: null,
      indexDirty: true,
    });
    expect(await shownBlob()).toBe('b'.repeat(40));
    expect(await manifest.listFolder(repository.id, 'src', page)).toBeNull();
  });

  it('are all flagged when a run may have written late', async () => {
    const { repository, run } = await addRepository();
    const generations = [
      await activeGeneration(stores.generations, collectionName, modelOf('a')),
      await build('b'),
    ];
    for (const generation of generations) await syncInto(generation, run);
    await stores.manifest.flagSuspect(repository.id);
    for (const { id } of generations) {
      const state = await stores.manifest.of(id).stateOf(repository.id);
      expect(state).toMatchObject({ indexDirty: true, indexSuspicions: 1 });
    }
  });
});

describe('the collection of a generation', () => {
  const stateOf = ({ id }: IndexGeneration, repository: Repository) =>
    stores.manifest.of(id).stateOf(repository.id);

  it('is recorded; another one makes the synced repositories lost, also that of the run, which is not suspected', async () => {
    const [one, two, fresh] = [await addRepository(), await addRepository(), await addRepository()];
    const generation = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    const adopt = (incarnation: string | null, options = {}) =>
      stores.generations.adoptCollection(generation.id, incarnation, options);
    expect(generation.incarnation).toBeNull();
    expect(await adopt('first')).toEqual({ former: null, lost: 0 });
    expect(await adopt('first')).toBeNull();
    await syncInto(generation, one.run);
    await syncInto(generation, two.run);
    await stores.manifest.of(generation.id).markDirty(fresh.run);
    expect(await adopt('second', { own: one.repository.id })).toEqual({ former: 'first', lost: 1 });
    expect(await stores.generations.list([collectionName])).toMatchObject([{ incarnation: 'second' }]);
    const own = { indexDirty: true, indexSuspicions: 0, lostSince: expect.any(Date) };
    expect(await stateOf(generation, one.repository)).toMatchObject(own);
    const lost = { indexDirty: true, indexSuspicions: 1, lostSince: expect.any(Date) };
    expect(await stateOf(generation, two.repository)).toMatchObject(lost);
    expect(await stateOf(generation, fresh.repository)).toMatchObject({ lostSince: null });

    const { manifest } = stores;
    await manifest.of(generation.id).advancePointer(two.run, pointer);
    expect(await stateOf(generation, two.repository)).toMatchObject(lost);
    await manifest.of(generation.id).advancePointer(two.run, { ...pointer, indexSuspicions: 1 });
    expect(await stateOf(generation, two.repository)).toMatchObject({ indexDirty: false, lostSince: null });
  });

  it('is not changed by a caller that knows an older one', async () => {
    const generation = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    await stores.generations.adoptCollection(generation.id, 'second');
    expect(await stores.generations.adoptCollection(generation.id, null, { known: 'first' })).toBeNull();
    expect(await stores.generations.list([collectionName])).toMatchObject([{ incarnation: 'second' }]);
    const missing = await stores.generations.adoptCollection(generation.id, null, { known: 'second' });
    expect(missing).toEqual({ former: 'second', lost: 0 });
  });

  it('belongs to its live repositories and to deleted ones until they are purged', async () => {
    const [live, deleted] = [await addRepository(), await addRepository()];
    const owners = () => stores.generations.listOwners(collectionName);
    const both = [live.repository.id, deleted.repository.id].sort();
    await stores.repositories.softDelete(deleted.repository.id);
    expect(await owners()).toEqual(both);
    await stores.repositories.markPurged(deleted.repository.id);
    expect(await owners()).toEqual([live.repository.id]);
    expect(await stores.generations.listOwners('another')).toEqual([]);
  });
});

describe('the switch of the active generation', () => {
  it('waits for every repository that the active generation contains, and for no other', async () => {
    const [one, two, deleted] = [await addRepository(), await addRepository(), await addRepository()];
    await addRepository();
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    for (const { run } of [one, two, deleted]) await syncInto(former, run);
    await stores.repositories.softDelete(deleted.repository.id);
    const next = await build('b');
    const { generations } = stores;
    expect(await generations.activateIfComplete(next.id)).toBe(false);
    await syncInto(next, one.run);
    expect(await generations.progressOf(next)).toEqual({
      repositoriesTotal: 2,
      repositoriesDone: 1,
      filesFailed: 0,
      isComplete: false,
    });
    await syncInto(next, two.run, { indexedAt: null, lastError: 'embedding_request_refused: too long' });
    expect(await generations.progressOf(next)).toMatchObject({ filesFailed: 1, isComplete: false });
    expect(await generations.activateIfComplete(next.id)).toBe(false);
    await syncInto(next, two.run);
    const switched = await Promise.all([1, 2, 3].map(() => generations.activateIfComplete(next.id)));
    expect(switched.filter(Boolean)).toHaveLength(1);
    expect(await statuses()).toEqual({ a: 'retired', b: 'active' });
  });

  it('is refused for an empty generation', async () => {
    await addRepository();
    await activeGeneration(stores.generations, collectionName, modelOf('a'));
    expect(await stores.generations.activateIfComplete((await build('b')).id)).toBe(false);
  });

  it('can be reverted by one call, which also restores the pointers of the repositories', async () => {
    const { repository, run } = await addRepository();
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    await syncInto(former, run);
    const next = await build('b');
    await syncInto(next, run);
    await stores.manifest.of(next.id).advancePointer(run, { ...pointer, commit: 'd'.repeat(40) });
    const columnOf = () =>
      stores.db.query('SELECT last_synced_commit FROM repositories WHERE id = $1', [repository.id]);
    await stores.generations.activateIfComplete(next.id);
    expect(await columnOf()).toEqual([{ lastSyncedCommit: 'd'.repeat(40) }]);
    await stores.generations.activate(former.id);
    expect(await stores.generations.activate(former.id)).toMatchObject({ status: 'active', retiredAt: null });
    expect(await columnOf()).toEqual([{ lastSyncedCommit: pointer.commit }]);
    expect(await statuses()).toEqual({ a: 'active', b: 'retired' });
  });

  it.each(['new', 'former'] as const)(
    'keeps the pointer of the active one when the %s one advances during the switch',
    async (which) => {
      const { repository, run } = await addRepository();
      const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
      await syncInto(former, run);
      const next = await build('b');
      await syncInto(next, run);
      const { commitNow, db, isAtEnd } = heldBeforeCommit();
      const switching = createGenerationStore(db).activateIfComplete(next.id);
      await isAtEnd;
      const { id } = which === 'new' ? next : former;
      const commit = 'e'.repeat(40);
      const advancing = stores.manifest.of(id).advancePointer(run, { ...pointer, commit });
      await eventually(someoneWaits);
      commitNow();
      await Promise.all([switching, advancing]);
      const { lastSyncedCommit } = await stores.manifest.of(next.id).stateOf(repository.id);
      expect(
        await stores.db.query('SELECT last_synced_commit FROM repositories WHERE id = $1', [repository.id]),
      ).toEqual([{ lastSyncedCommit }]);
      expect(lastSyncedCommit).toBe(which === 'new' ? commit : pointer.commit);
    },
  );

  it('reuses a retired generation that is built again, and drops the other build', async () => {
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    const next = await build('b');
    await stores.generations.activate(next.id);
    const given = await build('c');
    expect((await rebuild('a')).id).toBe(former.id);
    expect(await statuses()).toEqual({ a: 'building', b: 'active' });
    await expect(stores.generations.activate(given.id)).rejects.toMatchObject({ code: 'generation_dropped' });
    await expect(stores.generations.activate(randomUUID())).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('activates a retired generation that is built again only when each repository was synced since', async () => {
    const [first, second] = [await addRepository(), await addRepository()];
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    const next = await build('b');
    for (const { run } of [first, second]) for (const each of [former, next]) await syncInto(each, run);
    await stores.generations.activate(next.id);
    const again = await rebuild('a');
    expect(await stores.generations.progressOf(again)).toMatchObject({
      repositoriesDone: 0,
      repositoriesTotal: 2,
    });
    await syncInto(again, first.run);
    expect(await stores.generations.activateIfComplete(again.id)).toBe(false);
    await syncInto(again, second.run);
    expect(await stores.generations.activateIfComplete(again.id)).toBe(true);
    expect(await statuses()).toEqual({ a: 'active', b: 'retired' });
  });
});

describe('a requested build', () => {
  it('lists the repositories that it lacks, while a worker of its model lives, and pauses after a failure', async () => {
    const [first, second] = [await addRepository(), await addRepository()];
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    for (const { run } of [first, second]) await syncInto(former, run);
    const next = await build('b');
    const unbuilt = async () => (await stores.generations.listUnbuilt(30)).map(({ id }) => id);
    const pods = new PodRegistry(stores.db);
    const pod = { bootId: randomUUID(), podName: 'b', roles: ['worker'], version: '1', mode: 'standalone' };
    await pods.showLife({ ...pod, modelId: 'b' });
    expect(await unbuilt()).toEqual([]);
    await stores.generations.requestBuild(next.id);
    const both = [first.repository.id, second.repository.id].sort();
    expect(await unbuilt()).toEqual(both);
    await syncInto(next, first.run);
    expect(await unbuilt()).toEqual([second.repository.id]);
    const outcome = { counters: zeroCounters(), fromCommit: null, toCommit: null };
    const failed = { ...outcome, status: 'failed', errorCode: 'x', errorMessage: 'x' } as const;
    await stores.executions.finish(second.run, failed);
    expect(await unbuilt()).toEqual([]);
    await stores.generations.requestBuild(next.id);
    expect(await unbuilt()).toEqual([second.repository.id]);
    await pods.leave(pod.bootId);
    expect(await unbuilt()).toEqual([]);
    await pods.showLife({ ...pod, modelId: 'b' });
    await stores.generations.activate(next.id);
    expect(await unbuilt()).toEqual([]);
    await pods.leave(pod.bootId);
  });
});

describe('the retention of generations', () => {
  it('keeps the active generation, and the others for the given hours', async () => {
    const { repository, run } = await addRepository();
    const former = await activeGeneration(stores.generations, collectionName, modelOf('a'));
    await syncInto(former, run);
    const next = await build('b');
    await syncInto(next, run);
    await stores.generations.activateIfComplete(next.id);
    const idle = await build('c');
    for (const generation of [former, next, idle]) await makeOlder(generation, 71);
    const expired = async () =>
      (await stores.generations.listExpired(72)).filter(
        (generation) => generation.collectionName === collectionName,
      );
    expect(await expired()).toEqual([]);
    for (const generation of [former, next, idle]) await makeOlder(generation, 2);
    // After a crash they are still listed, until `forget` has deleted their rows.
    const modelsOf = async () => (await expired()).map(({ modelId }) => modelId);
    expect(await modelsOf()).toEqual(['a', 'c']);
    expect(await modelsOf()).toEqual(['a', 'c']);
    await stores.generations.forget(former.id);
    await stores.generations.forget(former.id);
    await stores.generations.forget(next.id);
    expect(await modelsOf()).toEqual(['c']);
    const rows = await stores.db.query(
      'SELECT DISTINCT generation_id FROM repository_files WHERE repository_id = $1',
      [repository.id],
    );
    expect(rows).toEqual([{ generationId: next.id }]);
    expect(await statuses()).toEqual({ b: 'active' });
  });
});
