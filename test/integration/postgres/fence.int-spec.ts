import { type RunIdentity, zeroCounters } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addRepository,
  allEntries,
  indexedFile,
  openStores,
  silence,
  startQueued,
  startRun,
  type Stores,
} from './fixtures.js';

const counters = { ...zeroCounters(), filesProcessed: 99 };
const shutdown = { errorCode: 'shutdown', errorMessage: 'zombie', delaySeconds: null, isFailure: false };

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

/** Every write of a run. Add new write methods of a port here. */
const WRITES: [string, (run: RunIdentity) => Promise<unknown>][] = [
  ['heartbeat', (run) => stores.executions.heartbeat(run, counters)],
  ['requeue', (run) => stores.executions.requeue(run, counters, shutdown)],
  [
    'finish',
    (run) =>
      stores.executions.finish(run, {
        status: 'completed',
        counters,
        fromCommit: null,
        toCommit: 'zombie',
        errorCode: null,
        errorMessage: null,
      }),
  ],
  ['markDirty', (run) => stores.manifest.markDirty(run)],
  [
    'commitBatch',
    (run) =>
      stores.manifest.commitBatch(
        run,
        { upserts: [indexedFile('zombie.ts')], deletes: ['kept.ts'] },
        counters,
      ),
  ],
  ['recordFolderIds', (run) => stores.manifest.recordFolderIds(run, new Map([['', 'a'.repeat(40)]]))],
  [
    'advancePointer',
    (run) =>
      stores.manifest.advancePointer(run, { commit: 'zombie', fingerprint: 'zombie', indexSuspicions: 0 }),
  ],
];

describe.each(WRITES)('the fenced write %s', (_name, write) => {
  it('is refused for an attempt that was taken over, and changes nothing', async () => {
    const { zombie, state } = await takenOver();
    const before = await state();
    await expect(write(zombie)).rejects.toMatchObject({ kind: 'fence_lost', code: 'fence_lost' });
    expect(await state()).toEqual(before);
  });

  it('is refused between attempts and for an unknown run', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    const neighbour = await startRun(stores, (await addRepository(stores)).id);
    for (const stranger of [
      { ...run, fence: run.fence + 1000 },
      { ...run, repositoryId: neighbour.repositoryId },
      { ...run, executionId: neighbour.executionId },
      { ...run, executionId: 'nonsense' },
    ]) {
      await expect(write(stranger)).rejects.toMatchObject({ kind: 'fence_lost' });
    }
    await silence(stores, run);
    await stores.executions.recoverInterrupted({ lost: { staleAfterSeconds: 60 }, maxInterruptions: 5 });
    await expect(write(run)).rejects.toMatchObject({ kind: 'fence_lost' });
  });

  it('is accepted from the current attempt', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    await expect(write(run)).resolves.not.toThrow();
  });
});

describe('a takeover of a run', () => {
  it('waits for the current batch, and later batches of the old attempt are refused', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    await silence(stores, run);
    const batches = Array.from({ length: 8 }, (_, batch) =>
      stores.manifest
        .commitBatch(run, { upserts: [indexedFile(`${batch}.ts`)], deletes: [] }, counters)
        .then(() => `${batch}.ts`)
        .catch(() => null),
    );
    const recovering = stores.executions.recoverInterrupted({
      lost: { staleAfterSeconds: 60 },
      maxInterruptions: 5,
    });
    const [accepted, recovered] = await Promise.all([Promise.all(batches), recovering]);
    const paths = (await allEntries(stores, run.repositoryId)).map(({ path }) => path);
    expect(paths).toEqual(accepted.filter((path) => path !== null));
    if (recovered.length === 0) {
      await stores.executions.recoverInterrupted({ lost: { staleAfterSeconds: 60 }, maxInterruptions: 5 });
    }
    await expect(stores.executions.heartbeat(run, counters)).rejects.toMatchObject({ kind: 'fence_lost' });
  });
});

/** A run whose pod stopped responding, and the next attempt, which is running. */
async function takenOver(): Promise<{ zombie: RunIdentity; state: () => Promise<unknown> }> {
  const { id } = await addRepository(stores);
  const zombie = await startRun(stores, id);
  const batch = { upserts: [indexedFile('kept.ts')], deletes: [] };
  await stores.manifest.commitBatch(zombie, batch, zeroCounters());
  await silence(stores, zombie);
  await stores.executions.recoverInterrupted({ lost: { staleAfterSeconds: 60 }, maxInterruptions: 5 });
  await startQueued(stores, zombie.executionId, 'pod-2');
  const state = async (): Promise<unknown> => [
    await stores.executions.find(zombie.executionId),
    await stores.repositories.find(id),
    await allEntries(stores, id),
    await stores.manifest.listFolder(id, '', { limit: 9, offset: 0 }),
  ];
  return { zombie, state };
}
