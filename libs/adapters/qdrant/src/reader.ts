import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { type QdrantFilter } from './filters.js';

/**
 * Reads within the limits of Qdrant's strict mode, which it learns from refusals: a small `max_query_limit` means more
 * and smaller pages, `search_allow_exact: false` means counting page by page, and a small `search_max_batchsize` one search
 * to a request. A missing collection reads as an empty one.
 */
export class QdrantReader {
  private largestLimit = Number.MAX_SAFE_INTEGER;
  private canCountExactly = true;
  private canBatchSearches = true;

  constructor(private readonly caller: QdrantCaller) {}

  /** Exact. A null filter counts all points. */
  async count(collection: string, filter: QdrantFilter | null, signal: AbortSignal): Promise<number> {
    const selected = filter && { filter };
    if (this.canCountExactly) {
      try {
        const request = { collection_name: collection, ...selected, exact: true };
        const answer = this.caller.result((api, init) => api.countPoints(request, init), signal);
        return (await unlessMissing(answer, { count: 0 })).count;
      } catch (error) {
        if (!isRefusedFor(error, 'is_exact_refused')) throw error;
        this.canCountExactly = false;
      }
    }
    let count = 0;
    const request = { ...selected, limit: 10_000, with_payload: false, with_vector: false };
    for await (const page of this.scroll(collection, request, signal)) count += page.length;
    return count;
  }

  /** Yields pages of up to `limit` points, never an empty one. */
  async *scroll(
    collection: string,
    { limit, ...request }: Schemas['ScrollRequest'] & { limit: number },
    signal: AbortSignal,
  ): AsyncGenerator<Schemas['Record'][]> {
    let offset: Schemas['ExtendedPointId'] | null = null;
    do {
      const from = offset === null ? {} : { offset };
      const answer: Schemas['ScrollResult'] = await this.withinLimit(limit, (allowed) => {
        const page = { collection_name: collection, ...request, ...from, limit: allowed };
        const sent = this.caller.result((api, init) => api.scrollPoints(page, init), signal);
        return unlessMissing<Schemas['ScrollResult']>(sent, { points: [] });
      });
      if (answer.points.length > 0) yield answer.points;
      offset = (answer.next_page_offset ?? null) as Schemas['ExtendedPointId'] | null;
    } while (offset !== null);
  }

  /**
   * The best points of each query, best first; all queries are in one request. An approximate search may find a point in two
   * pages; it is returned once.
   */
  async nearest(
    collection: string,
    queries: readonly Schemas['QueryRequest'][],
    limit: number,
    signal: AbortSignal,
  ): Promise<Schemas['ScoredPoint'][][]> {
    const found = queries.map(() => new Map<Schemas['ExtendedPointId'], Schemas['ScoredPoint']>());
    for (let offset = 0; offset < limit;) {
      const from = offset === 0 ? {} : { offset };
      const [pages, allowed] = await this.withinLimit(limit - offset, async (most) => {
        const searches = queries.map((query) => ({ ...query, ...from, limit: most }));
        return [await this.queryAll(collection, searches, signal), most] as const;
      });
      pages.forEach((points, index) => {
        for (const point of points) if (!found[index]!.has(point.id)) found[index]!.set(point.id, point);
      });
      if (pages.every((points) => points.length < allowed)) break;
      offset += allowed;
    }
    return found.map((points) => [...points.values()]);
  }

  /** Some of the best points of a query from its offset on, at least one unless there are no more. */
  page(collection: string, query: Schemas['QueryRequest'], most: number, signal: AbortSignal) {
    return this.withinLimit(most, async (limit) => {
      const [points] = await this.queryAll(collection, [{ ...query, limit }], signal);
      return points!;
    });
  }

  private async queryAll(
    collection: string,
    searches: readonly Schemas['QueryRequest'][],
    signal: AbortSignal,
  ): Promise<Schemas['ScoredPoint'][][]> {
    const none = { points: [] as Schemas['ScoredPoint'][] };
    if (searches.length > 1 && this.canBatchSearches) {
      try {
        const request = { collection_name: collection, searches: [...searches] };
        const sent = this.caller.result((api, init) => api.queryBatchPoints(request, init), signal);
        const found = await unlessMissing(
          sent,
          searches.map(() => none),
        );
        return found.map(({ points }) => points);
      } catch (error) {
        if (!isRefusedFor(error, 'is_batch_refused')) throw error;
        this.canBatchSearches = false;
      }
    }
    const found = searches.map((search) => {
      const request = { collection_name: collection, ...search };
      const sent = this.caller.result((api, init) => api.queryPoints(request, init), signal);
      return unlessMissing(sent, none);
    });
    return (await Promise.all(found)).map(({ points }) => points);
  }

  /** Calls `send` with the wanted limit, or with the largest one that the server is known to accept. */
  async withinLimit<T>(wanted: number, send: (limit: number) => Promise<T>): Promise<T> {
    const limit = Math.min(wanted, this.largestLimit);
    try {
      return await send(limit);
    } catch (error) {
      const allowed = error instanceof RepotideError ? Number(error.details['max_query_limit']) : NaN;
      if (!(allowed >= 1 && allowed < limit)) throw error;
      this.largestLimit = allowed;
      return this.withinLimit(wanted, send);
    }
  }
}

function isRefusedFor(error: unknown, reason: 'is_exact_refused' | 'is_batch_refused'): boolean {
  return error instanceof RepotideError && error.details[reason] === true;
}
