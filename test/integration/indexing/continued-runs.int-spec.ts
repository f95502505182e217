import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Execution, type RunHandlerName } from '@core/domain';
import { shutdownReason } from '@core/executions';
import { dropCollection, removePoints } from '../../support/saved-points.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const FILES = 10;
const FILES_PER_BATCH = 2;

let world: SyncWorld;
let points: number;
/** Is called before each write of points. */
let beforeUpsert: () => void;

beforeEach(async () => {
  beforeUpsert = () => undefined;
  world = await createSyncWorld({
    syncLimits: { batchFiles: FILES_PER_BATCH },
    wrapVectorStore: (store) =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            if (name === 'upsert') beforeUpsert();
            return Reflect.apply(member, target, args);
          };
        },
      }),
  });
  for (let number = 0; number < FILES; number++)
    world.git.write(`src/file-${number}.ts`, sourceText(`file${number}`, 10));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
  points = (await world.points()).length;
});
afterEach(() => world.stop());

/** Hands the run over before its third batch, then runs the second attempt. */
async function runInTwoAttempts(
  handler: RunHandlerName,
  fullSync = false,
): Promise<{ first: Execution; second: Execution }> {
  const stop = new AbortController();
  let upserts = 0;
  beforeUpsert = () => {
    upserts += 1;
    if (upserts === 3) stop.abort(shutdownReason());
  };
  const first = await world.run(handler, { fullSync, signal: stop.signal });
  expect(first).toMatchObject({ status: 'queued', attempt: 2, errorCode: 'shutdown' });
  beforeUpsert = () => undefined;
  const second = await world.runQueued(first.id);
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  return { first, second };
}

describe('a run that is taken over', () => {
  it('as a full sync goes on where it stopped, and counts each file once', async () => {
    const { first, second } = await runInTwoAttempts('repository_sync', true);
    expect(first).toMatchObject({ filesModified: 2 * FILES_PER_BATCH });
    const counted = { filesModified: FILES, filesProcessed: FILES, chunksUpserted: points };
    expect(second).toMatchObject({ status: 'completed', attempt: 2, ...counted });
    expect(await world.sync({ fullSync: true })).toMatchObject({ status: 'completed', ...counted });
  });

  it('after points were lost keeps the cause, and reports all points that it restored', async () => {
    await removePoints(world);
    const { first, second } = await runInTwoAttempts('repository_sync');
    const counts = { points_expected: points, points_found: 0, points_missing: points };
    const report = { kind: 'drift', cause: 'points_differ', ...counts, points_in: { files: FILES } };
    expect(first).toMatchObject({ report });
    expect(second).toMatchObject({ status: 'completed', errorCode: 'index_repaired', report });
    expect(second.errorMessage).toContain(`Repaired: ${points} missing point(s).`);
    expect(second).toMatchObject({ filesModified: FILES, chunksUpserted: points });
  });

  it('after its collection was dropped keeps the cause, also when it stopped before it wrote anything', async () => {
    await dropCollection(world);
    const stop = new AbortController();
    const { generations } = world;
    const adopt = generations.adoptCollection.bind(generations);
    generations.adoptCollection = async (...args) => {
      const adopted = await adopt(...args);
      stop.abort(shutdownReason());
      throw stop.signal.reason ?? adopted;
    };
    const first = await world.sync({ signal: stop.signal });
    expect(first).toMatchObject({ status: 'queued', attempt: 2 });
    generations.adoptCollection = adopt;
    expect(await world.runQueued(first.id)).toMatchObject({
      status: 'completed',
      errorCode: 'index_repaired',
      report: { kind: 'drift', cause: 'collection_lost', points_missing: points },
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await world.repository()).toMatchObject({ lostSince: null, indexDirty: false });
  });

  it('as a repair reports what its first attempt found', async () => {
    await removePoints(world);
    const { second } = await runInTwoAttempts('repair');
    expect(second).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
    // The last batch of the first attempt may have stored its points without the count: they are not repaired twice.
    expect(second.filesModified).toBeGreaterThanOrEqual(FILES - FILES_PER_BATCH);
    expect(second.filesModified).toBeLessThanOrEqual(FILES);
    const after_repair = { is_equal: true, points_checked: points };
    expect(second.report).toMatchObject({ kind: 'verify', points_missing: points, after_repair });
  });
});
