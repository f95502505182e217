import { scheduleTiming } from '@core/schedules';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addRepository,
  allEntries,
  enqueue,
  indexedFile,
  newRepository,
  openStores,
  startRun,
  type Stores,
} from './fixtures.js';
import { zeroCounters } from '@core/domain';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

describe('the repository store', () => {
  it('returns what was registered, with defaults', async () => {
    const given = newRepository();
    const created = await stores.repositories.create(given);
    expect(created).toMatchObject({
      ...given,
      lastSyncedCommit: null,
      lastSyncAt: null,
      indexFingerprint: null,
      indexDirty: false,
      indexSuspicions: 0,
      markFence: null,
      markPoints: null,
      lostSince: null,
      lastVerifiedAt: null,
      lastDrift: null,
      revision: 1,
      deletedAt: null,
    });
    expect(await stores.repositories.find(created.id)).toEqual(created);
  });

  it('lists the repositories with the oldest last sync first, regardless of their registration', async () => {
    const [early, late] = [
      await stores.repositories.create(newRepository()),
      await stores.repositories.create(newRepository()),
    ];
    await stores.db.query(`UPDATE repositories SET created_at = '2001-01-01Z' WHERE id = $1`, [early.id]);
    for (const [id, lastSyncAt] of [
      [early.id, new Date()],
      [late.id, new Date('2002-01-01Z')],
    ]) {
      await stores.db.query(
        `INSERT INTO repository_indexes (repository_id, generation_id, last_sync_at)
          SELECT $1, id, $2 FROM index_generations WHERE collection_name = 'code' AND status = 'active'`,
        [id, lastSyncAt],
      );
    }
    const [stalest] = await stores.repositories.listStalest(1);
    expect(stalest?.id).toBe(late.id);
    const ids = (await stores.repositories.listStalest(1_000)).map(({ id }) => id);
    expect(ids.indexOf(early.id)).toBeGreaterThan(ids.indexOf(late.id));
    await stores.repositories.softDelete(late.id);
    expect((await stores.repositories.listStalest(1))[0]?.id).not.toBe(late.id);
  });

  it('registers a project and branch only once, and again after its deletion', async () => {
    const given = newRepository();
    const first = await stores.repositories.create(given);
    await expect(stores.repositories.create(given)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'repository_exists',
    });
    await stores.repositories.create({ ...given, branch: 'dev' });
    await stores.repositories.softDelete(first.id);
    const second = await stores.repositories.create(given);
    expect(second.id).not.toBe(first.id);
  });

  it('treats an id that is not a UUID as unknown', async () => {
    expect(await stores.repositories.find('nonsense')).toBeNull();
    for (const id of ['nonsense', UNKNOWN]) {
      await expect(stores.repositories.update(id, {})).rejects.toMatchObject({
        code: 'repository_not_found',
      });
      await expect(stores.repositories.softDelete(id)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(enqueue(stores, id)).rejects.toMatchObject({ code: 'repository_not_found' });
    }
  });

  it('lists pages with a total that does not depend on the page', async () => {
    const branch = 'paged';
    for (let count = 0; count < 5; count += 1) await stores.repositories.create(newRepository({ branch }));
    const seen: string[] = [];
    for (const offset of [0, 2, 4, 6]) {
      const page = await stores.repositories.list({ branch }, { limit: 2, offset });
      expect(page.total).toBe(5);
      seen.push(...page.items.map(({ id }) => id));
    }
    expect(new Set(seen).size).toBe(5);
    expect(await stores.repositories.list({ branch, projectPath: 'no' }, { limit: 2, offset: 0 })).toEqual({
      items: [],
      total: 0,
    });
  });

  it('edits the given fields, raises the revision and refuses an outdated one', async () => {
    const { id } = await addRepository(stores);
    const edited = await stores.repositories.update(id, { includeGlobs: ['src/**'], chunkSize: 5000 }, 1);
    expect(edited).toMatchObject({
      includeGlobs: ['src/**'],
      chunkSize: 5000,
      chunkOverlap: 1500,
      revision: 2,
    });
    await expect(stores.repositories.update(id, { chunkSize: 1 }, 1)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'revision_mismatch',
      details: { found: 2, expected: 1 },
    });
    await expect(stores.repositories.update(id, { chunkOverlap: 9999 })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(await stores.repositories.find(id)).toEqual(edited);
  });

  it('writes only editable columns', async () => {
    const { id } = await addRepository(stores);
    const changes = { chunkSize: 4000, lastSyncedCommit: 'forged', 'id = id, branch': 'x' };
    expect(await stores.repositories.update(id, changes)).toMatchObject({
      chunkSize: 4000,
      lastSyncedCommit: null,
      branch: 'main',
    });
  });

  it('accepts only one of several edits of the same revision', async () => {
    const { id } = await addRepository(stores);
    const edits = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((n) => stores.repositories.update(id, { chunkSize: 2000 + n }, 1)),
    );
    expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await stores.repositories.find(id))?.revision).toBe(2);
  });

  it('deletes softly: schedules become inactive, queued runs are cancelled, active runs must stop', async () => {
    const waiting = await addRepository(stores);
    const running = await addRepository(stores);
    const schedule = await stores.schedules.create(
      {
        repositoryId: waiting.id,
        cronExpression: '* * * * *',
        timezone: 'UTC',
        isActive: true,
        misfireGraceSeconds: 300,
      },
      (now) => new Date(now.getTime() - 1000),
    );
    const queued = await enqueue(stores, waiting.id);
    const run = await startRun(stores, running.id);
    for (const { id } of [waiting, running]) await stores.repositories.softDelete(id);

    expect(await stores.repositories.find(waiting.id)).toBeNull();
    expect(await stores.schedules.find(schedule.id)).toMatchObject({ isActive: false, nextRunAt: null });
    expect(await stores.executions.find(queued.id)).toMatchObject({
      status: 'cancelled',
      errorCode: 'repository_deleted',
    });
    expect(await stores.executions.heartbeat(run, zeroCounters())).toEqual({ isCancelRequested: true });
    await expect(
      stores.schedules.update(schedule.id, { isActive: true }, scheduleTiming),
    ).rejects.toMatchObject({ code: 'repository_not_found' });
  });

  it('is purged once, after its runs have ended, and keeps its history', async () => {
    const { id } = await addRepository(stores);
    const run = await startRun(stores, id);
    await stores.manifest.commitBatch(run, { upserts: [indexedFile('a/b.ts')], deletes: [] }, zeroCounters());
    const purge = { trigger: 'recovery', handler: 'purge', requestedBy: null, fullSync: false } as const;
    await expect(stores.executions.enqueue({ ...purge, repositoryId: id })).rejects.toMatchObject({
      code: 'repository_not_found',
    });
    await stores.repositories.markPurged(id);
    expect(await allEntries(stores, id)).toHaveLength(1);

    await stores.repositories.softDelete(id);
    const unpurged = async (): Promise<string[]> =>
      (await stores.repositories.listUnpurged()).map((repository) => repository.id);
    expect(await unpurged()).not.toContain(id);
    await stores.executions.finish(run, {
      status: 'cancelled',
      counters: zeroCounters(),
      fromCommit: null,
      toCommit: null,
      errorCode: 'cancel_requested',
      errorMessage: null,
    });
    expect(await unpurged()).toContain(id);
    expect(await stores.repositories.findIncludingDeleted(id)).toMatchObject({ id });
    await expect(enqueue(stores, id)).rejects.toMatchObject({ code: 'repository_not_found' });
    expect(await stores.executions.enqueue({ ...purge, repositoryId: id })).toMatchObject({
      handler: 'purge',
    });

    await stores.repositories.markPurged(id);
    await stores.repositories.markPurged(id);
    expect(await unpurged()).not.toContain(id);
    expect(await allEntries(stores, id)).toEqual([]);
    expect(await stores.manifest.listFolder(id, 'a', { limit: 1, offset: 0 })).toBeNull();
    expect(await stores.executions.find(run.executionId)).toMatchObject({ status: 'cancelled' });
  });

  it('waits for its next purge ever longer after each failed one, at most an hour, on the clock of the database', async () => {
    const { id } = await addRepository(stores);
    await stores.repositories.softDelete(id);
    const moved = `UPDATE schedule_execution_logs SET completed_at = clock_timestamp() - make_interval(secs => $2)
      WHERE repository_id = $1`;
    const isDue = async (afterSeconds: number): Promise<boolean> => {
      await stores.db.query(moved, [id, afterSeconds]);
      return (await stores.repositories.listUnpurged()).some((repository) => repository.id === id);
    };
    const fail = (handler: string, count: number): Promise<unknown> =>
      stores.db.query(
        `INSERT INTO schedule_execution_logs (repository_id, trigger, handler, status, completed_at)
          SELECT $1, 'recovery', $2, 'failed', clock_timestamp() FROM generate_series(1, $3::int)`,
        [id, handler, count],
      );
    await fail('repository_sync', 3);
    expect(await isDue(0)).toBe(true);
    await fail('purge', 1);
    expect([await isDue(20), await isDue(31)]).toEqual([false, true]);
    await fail('purge', 2);
    expect([await isDue(110), await isDue(121)]).toEqual([false, true]);
    await fail('purge', 40);
    expect([await isDue(3_500), await isDue(3_601)]).toEqual([false, true]);
  });
});
