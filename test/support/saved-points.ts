import { type Point } from '@core/domain';
import { type SyncWorld } from './sync-world.js';

const { signal } = new AbortController();

/** A snapshot of a repository's points, to restore later. */
export interface SavedPoints {
  restore(): Promise<void>;
}

/** Saves the points as a snapshot of the store does: with ids, vectors, payloads and fences. */
export async function savePoints(world: SyncWorld, repositoryId?: string): Promise<SavedPoints> {
  const points = await world.wholePoints(repositoryId);
  return {
    restore: async () => {
      await removePoints(world, repositoryId);
      await world.vectorStore.upsert(await world.collection(), points, signal);
    },
  };
}

/** Removes points past Repotide. Default: all. */
export async function removePoints(
  world: SyncWorld,
  repositoryId?: string,
  isRemoved: (point: Pick<Point['payload'], 'path' | 'chunk_index'>) => boolean = () => true,
): Promise<number> {
  const ids = (await world.points(repositoryId)).filter(isRemoved).map(({ id }) => id);
  await world.vectorStore.deletePoints(await world.collection(), ids, signal);
  return ids.length;
}

export async function dropCollection(world: SyncWorld): Promise<void> {
  await world.vectorStore.dropCollection(await world.collection(), signal);
}
