import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type PointTally } from '@core/domain';
import { mayBeTooLarge } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { ofOtherRepositories, ofRepository, withFence } from './filters.js';
import { type QdrantReader } from './reader.js';

/** Values of one answer. Of fences a repository has one for each run that wrote something which is still there. */
const MAX_VALUES = 10_000;
const EMPTY: PointTally = { points: 0, newestFence: null, atNewestFence: 0 };

/** What a collection holds, by fence or by repository: in one request where the server allows a facet. */
export class PointTallies {
  /** False once the server refused a facet, for example because strict mode limits it. */
  private hasFacets = true;

  constructor(
    private readonly caller: QdrantCaller,
    private readonly reader: QdrantReader,
  ) {}

  async of(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    const filter = ofRepository(repositoryId);
    const request = { collection_name: collection, key: 'fence', filter, exact: true };
    const byFence = await this.facet(request, signal);
    if (byFence === null) return this.count(collection, repositoryId, signal);
    if (byFence.length === 0) return EMPTY;
    const fences = byFence.map(({ value, count }) => ({ fence: Number(value), count }));
    const newest = fences.reduce((one, other) => (other.fence > one.fence ? other : one));
    const points = fences.reduce((sum, { count }) => sum + count, 0);
    return { points, newestFence: newest.fence, atNewestFence: newest.count };
  }

  /** Without facets one request for each such repository, and one more. */
  async otherRepositories(collection: string, known: readonly string[], signal: AbortSignal) {
    // Estimates are much cheaper, and lack no value.
    const request = { collection_name: collection, key: 'repository_id', exact: false };
    const found = await this.facet(request, signal);
    if (found !== null) {
      const others = new Set(found.map(({ value }) => String(value)));
      for (const id of known) others.delete(id);
      return [...others];
    }
    const others: string[] = [];
    for (;;) {
      const id = await this.anotherRepository(collection, [...known, ...others], signal);
      if (id === null) return others;
      others.push(id);
    }
  }

  private async anotherRepository(
    collection: string,
    known: readonly string[],
    signal: AbortSignal,
    valuesPerCondition = Math.max(known.length, 1),
  ): Promise<string | null> {
    const filter = ofOtherRepositories(known, valuesPerCondition);
    const request = { filter, with_payload: ['repository_id'] };
    try {
      const point = await this.firstPoint(collection, request, signal);
      const id = point?.payload?.['repository_id'];
      // A point without it was not written by Repotide.
      return typeof id === 'string' ? id : null;
    } catch (error) {
      if (valuesPerCondition < 2 || !mayBeTooLarge(error)) throw error;
      return this.anotherRepository(collection, known, signal, Math.ceil(valuesPerCondition / 2));
    }
  }

  private async firstPoint(collection: string, request: Schemas['ScrollRequest'], signal: AbortSignal) {
    const page = { collection_name: collection, ...request, limit: 1 };
    const answer = this.caller.result((api, init) => api.scrollPoints(page, init), signal);
    return (await unlessMissing(answer, { points: [] })).points[0];
  }

  /** Null: the server refuses facets, or one answer is not enough. */
  private async facet(request: Schemas['FacetRequest'] & { collection_name: string }, signal: AbortSignal) {
    if (!this.hasFacets) return null;
    try {
      return await this.reader.withinLimit(MAX_VALUES, async (limit) => {
        const page = { ...request, limit };
        const { hits } = await this.caller.result((api, init) => api.facet(page, init), signal);
        return hits.length < limit ? hits : null;
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A server that does not know the route may answer as for a missing collection: the counts tell which it is.
      // Nor does a collection without the index, made by hand, say anything about the others.
      this.hasFacets = error.code === 'collection_missing' || error.details['is_index_missing'] === true;
      return null;
    }
  }

  private async count(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    const newestFence = await this.newestFence(collection, repositoryId, signal);
    if (newestFence === null) return EMPTY;
    const countOf = (filter: Schemas['Filter']) => this.reader.count(collection, filter, signal);
    const [points, atNewestFence] = await Promise.all([
      countOf(ofRepository(repositoryId)),
      countOf(withFence(repositoryId, newestFence)),
    ]);
    return { points, newestFence, atNewestFence };
  }

  private async newestFence(collection: string, repositoryId: string, signal: AbortSignal) {
    const fencesOf = { filter: ofRepository(repositoryId), with_payload: ['fence'], with_vector: false };
    const order_by = { key: 'fence', direction: 'desc' as const };
    try {
      const newest = await this.firstPoint(collection, { ...fencesOf, order_by }, signal);
      return newest === undefined ? null : Number(newest.payload?.['fence']);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    // A collection that was made by hand and has no index of fences yet.
    let newest: number | null = null;
    const all = { ...fencesOf, limit: MAX_VALUES };
    for await (const page of this.reader.scroll(collection, all, signal)) {
      for (const { payload } of page) newest = Math.max(newest ?? 0, Number(payload?.['fence']));
    }
    return newest;
  }
}

const REFUSALS = ['collection_missing', 'vector_store_refused', 'vector_store_answer_invalid'];

function isRefusal(error: unknown): error is RepotideError {
  return error instanceof RepotideError && REFUSALS.includes(error.code);
}
