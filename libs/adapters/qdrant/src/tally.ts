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
    const byFence = this.hasFacets ? await this.ask(request, signal) : null;
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

  /** Without facets one request for each such repository, and one more. */
  async otherRepositories(
    collection: string,
    known: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]> {
    // Estimates are much cheaper, and lack no value.
    const request = { collection_name: collection, key: 'repository_id', exact: false };
    const found = this.hasFacets ? await this.ask(request, signal) : null;
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
    const page = { collection_name: collection, filter, limit: 1, with_payload: ['repository_id'] };
    try {
      const answer = this.caller.result((api, init) => api.scrollPoints(page, init), signal);
      const [point] = (await unlessMissing(answer, { points: [] })).points;
      const id = point?.payload?.['repository_id'];
      // A point without it was not written by Repotide.
      return typeof id === 'string' ? id : null;
    } catch (error) {
      if (valuesPerCondition < 2 || !mayBeTooLarge(error)) throw error;
      return this.anotherRepository(collection, known, signal, Math.ceil(valuesPerCondition / 2));
    }
  }

  /** Null: the server refuses facets, or one answer is not enough. */
  private async ask(
    request: Schemas['FacetRequest'] & { collection_name: string },
    signal: AbortSignal,
  ): Promise<{ value: unknown; count: number }[] | null> {
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
    const counts = [ofRepository(repositoryId), withFence(repositoryId, newestFence)].map((filter) =>
      this.reader.count(collection, filter, signal),
    );
    const [all, newest] = await Promise.all(counts);
    return { points: all!, newestFence, atNewestFence: newest! };
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
    try {
      const answer = this.caller.result((api, init) => api.scrollPoints(request, init), signal);
      const [newest] = (await unlessMissing(answer, { points: [] })).points;
      return newest === undefined ? null : Number(newest.payload?.['fence']);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.newestFenceOfAll(collection, repositoryId, signal);
    }
  }

  /** For a collection that was made by hand and has no index of fences yet. */
  private async newestFenceOfAll(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
  ): Promise<number | null> {
    const request = { filter: ofRepository(repositoryId), limit: MAX_VALUES, with_payload: ['fence'] };
    let newest: number | null = null;
    for await (const page of this.reader.scroll(collection, request, signal)) {
      for (const { payload } of page) newest = Math.max(newest ?? 0, Number(payload?.['fence']));
    }
    return newest;
  }
}

const REFUSALS = ['collection_missing', 'vector_store_refused', 'vector_store_answer_invalid'];

function isRefusal(error: unknown): error is RepotideError {
  return error instanceof RepotideError && REFUSALS.includes(error.code);
}
