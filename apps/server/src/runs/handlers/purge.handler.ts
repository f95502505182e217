import { type RunHandler } from '@core/scheduling';
import { type HandlerPorts } from './handler-ports.js';

/**
 * Removes the points, in every generation of the collection, and then the rows of a deleted repository. Interrupted,
 * the next attempt goes on.
 */
export function purgeHandler({ vectorStore, generations, repositories }: HandlerPorts): RunHandler {
  return {
    name: 'purge',
    takesDeleted: true,
    run: async ({ repository, signal, counters }) => {
      for (const { physicalName } of await generations.list([repository.collectionName])) {
        counters.chunksDeleted += await vectorStore.count(physicalName, repository.id, signal);
        await vectorStore.deleteRepository(physicalName, repository.id, signal);
      }
      await repositories.markPurged(repository.id);
      const commits = { fromCommit: repository.lastSyncedCommit, toCommit: null };
      return { status: 'completed', counters, ...commits, errorCode: null, errorMessage: null };
    },
  };
}
