import { type Point } from '@core/domain';
import { batchesOf, groupsOf, sendInHalves, type BatchLimits } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { notAbove, ofFilesExcept, ofRepository, type QdrantFilter } from './filters.js';
import { unlessMissing } from './missing.js';
import { toPointStruct } from './points.js';
import { type PointReader } from './reads.js';

/** First server that knows `update_filter`; older ones would ignore it silently. */
const UPDATE_FILTER_SINCE = { major: 1, minor: 16 };
/** Bounds the conditions of one filter. */
const FILES_PER_DELETE = 100;
const IDS_PER_DELETE = 1_000;

/** Writes points; every call resolves once the change is visible. */
export class PointWriter {
  private knowsUpdateFilter: boolean | null = null;

  constructor(
    private readonly caller: QdrantCaller,
    private readonly reader: PointReader,
    /** `points` shrinks when the server turns out to take less. */
    private readonly limits: BatchLimits,
  ) {}

  async upsert(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void> {
    if (points.length === 0) return;
    this.knowsUpdateFilter ??= await this.askVersion(signal);
    for (const batch of batchesOf(points, this.limits)) {
      let largest = 0;
      await sendInHalves(batch, async (part) => {
        await this.upsertOnce(collection, part, signal);
        largest = Math.max(largest, part.length);
        return part.length;
      });
      if (largest < batch.length) this.limits.points = Math.min(this.limits.points, largest);
    }
  }

  /** @returns how many points were removed. */
  async deleteFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number> {
    let removed = 0;
    for (const group of groupsOf(files, FILES_PER_DELETE)) {
      removed += await sendInHalves(group, (part) =>
        this.deleteCounted(collection, ofFilesExcept(repositoryId, part), signal),
      );
    }
    return removed;
  }

  async deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (const points of groupsOf(ids, IDS_PER_DELETE)) {
      await this.deleteSelected({ collection_name: collection, wait: true, points }, signal);
    }
  }

  async deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    const filter = ofRepository(repositoryId);
    await this.deleteSelected({ collection_name: collection, wait: true, filter }, signal);
  }

  private async upsertOnce(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void> {
    const fence = points[0]?.payload.fence;
    const isGuarded = this.knowsUpdateFilter === true && fence !== undefined;
    const request = {
      collection_name: collection,
      wait: true,
      points: points.map(toPointStruct),
      ...(isGuarded ? { update_filter: notAbove(fence) } : {}),
    };
    await this.caller.applied((api, init) => api.upsertPoints(request, init), signal);
  }

  /** Counts first, because a delete does not say how much it removed; nothing to remove costs one request. */
  private async deleteCounted(
    collection: string,
    filter: QdrantFilter,
    signal: AbortSignal,
  ): Promise<number> {
    const count = await this.reader.count(collection, filter, signal);
    if (count > 0) await this.deleteSelected({ collection_name: collection, wait: true, filter }, signal);
    return count;
  }

  private async deleteSelected(
    request: { collection_name: string; wait: true } & ({ filter: QdrantFilter } | { points: string[] }),
    signal: AbortSignal,
  ): Promise<void> {
    const sent = this.caller.applied((api, init) => api.deletePoints(request, init), signal);
    await unlessMissing(sent, undefined);
  }

  /** Asked before the first upsert of the process. */
  private async askVersion(signal: AbortSignal): Promise<boolean> {
    const { version } = await this.caller.raw((api, init) => api.root({}, init), signal);
    const [, major, minor] = (/^(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
    if (major === undefined || minor === undefined) return false;
    const since = UPDATE_FILTER_SINCE;
    return major > since.major || (major === since.major && minor >= since.minor);
  }
}
