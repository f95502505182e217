import { groupsOf, type VectorStore } from '@core/domain';
import { sendInHalves } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { ofFilesExcept, ofRepository, type QdrantFilter } from './filters.js';
import { type QdrantReader } from './reader.js';

/** Limits the conditions of one filter. */
const FILES_PER_DELETE = 100;
const IDS_PER_DELETE = 1_000;

/** Deletes points. A missing collection has none. */
export function createRemovals(
  caller: QdrantCaller,
  reader: QdrantReader,
): Pick<VectorStore, 'deleteFiles' | 'deletePoints' | 'deleteRepository'> {
  const remove = async (
    selected: { collection_name: string } & ({ filter: QdrantFilter } | { points: string[] }),
    signal: AbortSignal,
  ): Promise<void> => {
    const request = { ...selected, wait: true };
    await unlessMissing(
      caller.applied((api, init) => api.deletePoints(request, init), signal),
      undefined,
    );
  };
  return {
    /** Counts before it deletes, because Qdrant does not say how many points a delete removed. */
    async deleteFiles(collection, repositoryId, files, signal) {
      let removed = 0;
      for (const group of groupsOf(files, FILES_PER_DELETE)) {
        removed += await sendInHalves(group, async (part) => {
          const filter = ofFilesExcept(repositoryId, part);
          const count = await reader.count(collection, filter, signal);
          if (count > 0) await remove({ collection_name: collection, filter }, signal);
          return count;
        });
      }
      return removed;
    },

    async deletePoints(collection, ids, signal) {
      for (const points of groupsOf(ids, IDS_PER_DELETE)) {
        await sendInHalves(points, async (part) => {
          await remove({ collection_name: collection, points: [...part] }, signal);
          return part.length;
        });
      }
    },

    deleteRepository: (collection, repositoryId, signal) =>
      remove({ collection_name: collection, filter: ofRepository(repositoryId) }, signal),
  };
}
