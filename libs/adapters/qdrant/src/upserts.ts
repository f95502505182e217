import { type Point } from '@core/domain';
import { batchesOf, sendInHalves, type BatchLimits } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { toPointStruct } from './points.js';
import { type LexicalLanes } from './terms.js';

/** First server that knows `update_filter`; older ones would ignore it silently. */
const UPDATE_FILTER_SINCE = { major: 1, minor: 16 };

/** Stores points, as many in one request as the server accepts. */
export class PointUpserts {
  private knowsUpdateFilter: boolean | null = null;

  /** @param limits `points` shrinks when the server turns out to accept fewer. */
  constructor(
    private readonly caller: QdrantCaller,
    private readonly lanes: LexicalLanes,
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

  private async upsertOnce(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void> {
    const fence = points[0]?.payload.fence;
    const withTerms = await this.lanes.has(collection, signal);
    const request = {
      collection_name: collection,
      wait: true,
      points: points.map((point) => toPointStruct(point, withTerms)),
      // Points that were written under a higher fence stay as they are.
      ...(this.knowsUpdateFilter === true && fence !== undefined
        ? { update_filter: { must: [{ key: 'fence', range: { lte: fence } }] } }
        : {}),
    };
    await this.caller.applied((api, init) => api.upsertPoints(request, init), signal);
  }

  /** @returns whether the server knows `update_filter`. Called before the first upsert of the process. */
  private async askVersion(signal: AbortSignal): Promise<boolean> {
    const { version } = await this.caller.raw((api, init) => api.root({}, init), signal);
    const [, major, minor] = (/^(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
    if (major === undefined || minor === undefined) return false;
    const since = UPDATE_FILTER_SINCE;
    return major > since.major || (major === since.major && minor >= since.minor);
  }
}
