import { ExecutionArchive } from '@adapters/postgres';
import { type ManifestEntry, type RunIdentity, zeroCounters } from '@core/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addRepository, indexedFile, openStores, startQueued, startRun, type Stores } from './fixtures.js';

let stores: Stores;
let archive: ExecutionArchive;
let run: RunIdentity;

beforeAll(async () => {
  stores = await openStores();
  archive = new ExecutionArchive(stores.db);
});
beforeEach(async () => {
  run = await startRun(stores, (await addRepository(stores)).id);
});
afterAll(() => stores.close());

const commit = (upserts: ManifestEntry[], deletes: string[] = [], of = run) =>
  stores.manifest.commitBatch(of, { upserts, deletes }, zeroCounters());
const failed = (path: string, lastError = 'read_failed: gone') =>
  indexedFile(path, { indexedAt: null, lastError });
const skipped = (path: string) =>
  indexedFile(path, { indexedAt: null, skipReason: 'too_large', skipDetail: '2 bytes, limit 1' });
const files = async (of = run) =>
  (await archive.listFiles(of.executionId, {}, { limit: 5000, offset: 0 })).items;

describe('the file errors of an execution', () => {
  it('include only its own batches, and each path once when a batch is repeated', async () => {
    await commit([failed('b'), skipped('a'), indexedFile('c')]);
    await commit([failed('b'), skipped('a'), indexedFile('c')]);
    const other = await startRun(stores, (await addRepository(stores)).id);
    await commit([failed('z')], [], other);
    expect(await files()).toEqual([
      { path: 'a', status: 'skipped', errorCode: 'too_large', message: '2 bytes, limit 1' },
      { path: 'b', status: 'failed', errorCode: 'read_failed', message: 'gone' },
    ]);
  });

  it('reflect the result of the latest attempt for each path', async () => {
    await commit([failed('a'), failed('b'), skipped('c')]);
    const next = await stores.executions.requeue(run, zeroCounters(), {
      errorCode: 'shutdown',
      errorMessage: 'stop',
      delaySeconds: null,
      isFailure: false,
    });
    const again = await startQueued(stores, next.id);
    await commit([indexedFile('a'), skipped('b')], ['c'], again);
    expect((await files()).map(({ path, status }) => [path, status])).toEqual([['b', 'skipped']]);
    await expect(commit([failed('a')])).rejects.toMatchObject({ code: 'fence_lost' });
    expect(await files()).toHaveLength(1);
  });

  it('use file_failed without a code, keep the last entry of a repeated path, and cut long messages', async () => {
    await commit([
      failed('a'),
      failed('a', 'No code here: none.'),
      failed('b', `code: ${'x'.repeat(9000)}\0`),
    ]);
    const [first, second] = await files();
    expect(first).toEqual({
      path: 'a',
      status: 'failed',
      errorCode: 'file_failed',
      message: 'No code here: none.',
    });
    expect(second?.message).toHaveLength(2000);
  });

  it('are limited per status, over all batches', async () => {
    for (let batch = 0; batch < 3; batch++) {
      await commit(Array.from({ length: 600 }, (_, index) => skipped(`s/${batch}/${index}`)));
    }
    await commit([failed('f')]);
    const all = await files();
    expect(all.filter(({ status }) => status === 'skipped')).toHaveLength(1000);
    expect(all.filter(({ status }) => status === 'failed')).toHaveLength(1);
  });
});
