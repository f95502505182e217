import { RepotideError, type PointTally } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { ofRepository, withFence } from './filters.js';

/** Fences of one repository's points: one for each run that wrote something which is still there. */
const MAX_FENCES = 10_000;
const EMPTY: PointTally = { points: 0, newestFence: null, atNewestFence: 0 };

/** Counts the points of a repository by fence, in one request where the server allows it. */
export class PointTallies {
  /** False once the server refused a facet, for example because strict mode limits it. */
  private hasFacets = true;

  constructor(private readonly caller: QdrantCaller) {}

  async of(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    const byFence = this.hasFacets ? await this.facet(collection, repositoryId, signal) : null;
    if (byFence === null) return this.count(collection, repositoryId, signal);
    let tally = EMPTY;
    for (const { value, count } of byFence) {
      const newestFence = Math.max(Number(value), tally.newestFence ?? 0);
      const isNewest = newestFence === Number(value);
      tally = {
        points: tally.points + count,
        newestFence,
        atNewestFence: isNewest ? count : tally.atNewestFence,
      };
    }
    return tally;
  }

  /** Null: the server refuses facets, or the repository has too many fences for one answer. */
  private async facet(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
  ): Promise<{ value: unknown; count: number }[] | null> {
    const filter = ofRepository(repositoryId);
    const request = { collection_name: collection, key: 'fence', filter, exact: true, limit: MAX_FENCES };
    try {
      const { hits } = await this.caller.result((api, init) => api.facet(request, init), signal);
      return hits.length < MAX_FENCES ? hits : null;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A server that does not know the route may answer as for a missing collection: the counts tell which it is.
      this.hasFacets = error.code === 'collection_missing';
      return null;
    }
  }

  private async count(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    const newestFence = await this.newestFence(collection, repositoryId, signal);
    if (newestFence === null) return EMPTY;
    const counts = [ofRepository(repositoryId), withFence(repositoryId, newestFence)].map((filter) => {
      const request = { collection_name: collection, exact: true, filter };
      return unlessMissing(
        this.caller.result((api, init) => api.countPoints(request, init), signal),
        { count: 0 },
      );
    });
    const [all, newest] = await Promise.all(counts);
    return { points: all!.count, newestFence, atNewestFence: newest!.count };
  }

  private async newestFence(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
  ): Promise<number | null> {
    const request = {
      collection_name: collection,
      filter: ofRepository(repositoryId),
      order_by: { key: 'fence', direction: 'desc' as const },
      limit: 1,
      with_payload: ['fence'],
      with_vector: false,
    };
    const answer = this.caller.result((api, init) => api.scrollPoints(request, init), signal);
    const [newest] = (await unlessMissing(answer, { points: [] })).points;
    return newest === undefined ? null : Number(newest.payload?.['fence']);
  }
}

const REFUSALS = ['collection_missing', 'vector_store_refused', 'vector_store_answer_invalid'];

function isRefusal(error: unknown): error is RepotideError {
  return error instanceof RepotideError && REFUSALS.includes(error.code);
}
