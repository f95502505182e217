import { groupsOf, sendInHalves } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { ofFilesExcept, ofRepository, type QdrantFilter } from './filters.js';
import { type QdrantReader } from './reader.js';

/** Limits the conditions of one filter. */
const FILES_PER_DELETE = 100;
const IDS_PER_DELETE = 1_000;

/** Deletes points. A missing collection has none. */
export class PointRemovals {
  constructor(
    private readonly caller: QdrantCaller,
    private readonly reader: QdrantReader,
  ) {}

  /** Counts before it deletes, because Qdrant does not say how many points a delete removed. */
  async ofFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number> {
    let removed = 0;
    for (const group of groupsOf(files, FILES_PER_DELETE)) {
      removed += await sendInHalves(group, async (part) => {
        const filter = ofFilesExcept(repositoryId, part);
        const count = await this.reader.count(collection, filter, signal);
        if (count > 0) await this.delete({ collection_name: collection, filter }, signal);
        return count;
      });
    }
    return removed;
  }

  async ofIds(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (const points of groupsOf(ids, IDS_PER_DELETE)) {
      await sendInHalves(points, async (part) => {
        await this.delete({ collection_name: collection, points: [...part] }, signal);
        return part.length;
      });
    }
  }

  async ofRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    await this.delete({ collection_name: collection, filter: ofRepository(repositoryId) }, signal);
  }

  private async delete(
    selected: { collection_name: string } & ({ filter: QdrantFilter } | { points: string[] }),
    signal: AbortSignal,
  ): Promise<void> {
    const request = { ...selected, wait: true };
    const sent = this.caller.applied((api, init) => api.deletePoints(request, init), signal);
    await unlessMissing(sent, undefined);
  }
}
