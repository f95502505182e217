import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.git.write('a.ts', sourceText('a', 40)).write('b/c.ts', sourceText('c', 40));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed' });
});
afterEach(async () => {
  await world.stop();
});

const signal = new AbortController().signal;

describe('a run that lost its lease and wrote late', () => {
  it('removed points: the next run finds them missing and reads these files again', async () => {
    const robbed = [{ path: 'a.ts' }, { path: 'b/c.ts', keepVersion: 'an older one' }];
    await world.vectorStore.deleteFiles(await world.collection(), world.repositoryId, robbed, signal);
    expect(await world.points()).toEqual([]);
    await world.manifest.flagSuspect(world.repositoryId);

    expect(await world.sync()).toMatchObject({ status: 'completed', embeddingsRequested: 0 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await world.repository()).toMatchObject({ indexDirty: false });
  });

  it('left points behind: the next run removes them', async () => {
    const [point] = await world.vectorStore.readFile(
      await world.collection(),
      { repositoryId: world.repositoryId, path: 'a.ts' },
      (await world.points()).find(({ path }) => path === 'a.ts')!.file_version,
      signal,
    );
    const late = { ...point!, id: '00000000-0000-5000-8000-000000000001' };
    late.payload = { ...late.payload, path: 'gone.ts', file_version: 'an older one' };
    await world.vectorStore.upsert(await world.collection(), [late], signal);
    await world.manifest.flagSuspect(world.repositoryId);

    expect(await world.sync()).toMatchObject({ status: 'completed', chunksDeleted: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('is reported by the chores when its repository is idle, unless a run has failed there', async () => {
    const { repositories, manifest, executions, repositoryId } = world;
    expect(await repositories.listSuspect()).toEqual([]);
    await manifest.flagSuspect(repositoryId);
    expect(await repositories.listSuspect()).toEqual([{ id: repositoryId }]);

    const { id } = await executions.enqueue({
      repositoryId,
      trigger: 'recovery',
      requestedBy: null,
      fullSync: false,
    });
    expect(await repositories.listSuspect()).toEqual([]);
    await executions.abandonQueued(id, 'cancelled', 'cancel_requested', 'Cancelled before it started.');
    expect(await repositories.listSuspect()).toEqual([]);

    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect(await repositories.listSuspect()).toEqual([]);
  });
});
