import { type RunHandler } from '@core/scheduling';
import { type HandlerPorts } from './handler-ports.js';

/** Removes the points, then the rows, of a deleted repository. Interrupted, the next attempt goes on. */
export function purgeHandler({ vectorStore, repositories }: HandlerPorts): RunHandler {
  return {
    name: 'purge',
    takesDeleted: true,
    run: async ({ repository, signal, counters }) => {
      counters.chunksDeleted += await vectorStore.count(repository.collectionName, repository.id, signal);
      await vectorStore.deleteRepository(repository.collectionName, repository.id, signal);
      await repositories.markPurged(repository.id);
      const commits = { fromCommit: repository.lastSyncedCommit, toCommit: null };
      return { status: 'completed', counters, ...commits, errorCode: null, errorMessage: null };
    },
  };
}
