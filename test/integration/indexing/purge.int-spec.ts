import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError, type VectorStore } from '@core/domain';
import { shutdownReason } from '@core/executions';
import { createSyncWorld, sourceText, type SyncWorld } from '../../support/sync-world.js';
import { startAttempt } from '../../support/start-attempt.js';

/** More points than one listing page. */
const FILES = Object.fromEntries(
  Array.from({ length: 14 }, (_, index) => [`src/file-${index}.ts`, sourceText(`word${index}`, 900)]),
);

let world: SyncWorld;
/** Runs before the given call that removes points. */
let beforeDelete: (call: number) => void;
let deletes: number;

beforeEach(async () => {
  deletes = 0;
  beforeDelete = () => undefined;
  world = await createSyncWorld({
    wrapVectorStore: (store) =>
      Object.assign(Object.create(store) as VectorStore, {
        deletePoints: async (...args: Parameters<VectorStore['deletePoints']>) => {
          deletes += 1;
          beforeDelete(deletes);
          await store.deletePoints(...args);
        },
      }),
  });
  await world.git.writeAll(FILES).commit();
  await world.sync();
});
afterEach(() => world.stop());

async function deleteAndQueue(): Promise<{ id: string; points: number }> {
  const points = (await world.points()).length;
  await world.repositories.softDelete(world.repositoryId);
  const { repositoryId } = world;
  const request = { repositoryId, trigger: 'recovery', requestedBy: null, fullSync: false } as const;
  const { id } = await world.executions.enqueue({ ...request, handler: 'purge' });
  return { id, points };
}
const purgedAt = async () => (await world.repositories.findIncludingDeleted(world.repositoryId))!.purgedAt;

async function expectNothingLeft(): Promise<void> {
  expect(await world.points()).toEqual([]);
  expect(await world.entries()).toEqual([]);
  expect(await purgedAt()).toBeInstanceOf(Date);
  expect(await world.repositories.listUnpurged()).toEqual([]);
}

describe('a purge of a repository', () => {
  it('counts the points that it removes, and records when it ended', async () => {
    const { id, points } = await deleteAndQueue();
    expect(await purgedAt()).toBeNull();
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed', chunksDeleted: points });
    expect(deletes).toBeGreaterThan(1);
    await expectNothingLeft();
  });

  it('continues with the remaining points after a hand-over, and counts each point once', async () => {
    const { id, points } = await deleteAndQueue();
    const stop = new AbortController();
    beforeDelete = (call) => {
      if (call === 2) stop.abort(shutdownReason());
    };
    const stopped = await world.runQueued(id, {}, stop.signal);
    expect(stopped.status).toBe('queued');
    expect(await purgedAt()).toBeNull();
    const left = (await world.points()).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(points);

    const ended = await world.runQueued(id);
    expect(ended).toMatchObject({ status: 'completed', attempt: 2, chunksDeleted: points });
    await expectNothingLeft();
  });

  it('is started again when its process has crashed', async () => {
    const { id, points } = await deleteAndQueue();
    await startAttempt(world.executions, id, 'dead-pod');
    const signal = new AbortController().signal;
    const removed = (await world.points()).slice(0, 50).map((point) => point.id);
    await world.vectorStore.deletePoints(await world.collection(), removed, signal);
    const lost = { podNames: ['dead-pod'] };
    await world.executions.recoverInterrupted({ lost, maxInterruptions: 1 });
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed', chunksDeleted: points - 50 });
    await expectNothingLeft();
  });

  it('is started again after every failure', async () => {
    const { id } = await deleteAndQueue();
    beforeDelete = () => {
      throw new RepotideError('invalid', 'vector_store_refused', 'Refused.');
    };
    expect(await world.runQueued(id)).toMatchObject({ status: 'failed', errorCode: 'vector_store_refused' });
    expect(await purgedAt()).toBeNull();
    beforeDelete = () => undefined;
    expect(await world.run('purge')).toMatchObject({ status: 'completed' });
    await expectNothingLeft();
  });
});
