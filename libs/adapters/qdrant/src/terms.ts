import { type PointPayload, type Terms } from '@core/domain';
import { sendInHalves } from './batches.js';
import { type QdrantCaller } from './caller.js';
import { type QdrantCollections } from './collections.js';
import { hasStatus } from './errors.js';
import { type QdrantFilter } from './filters.js';
import { payloadOf, sparseOf, TERMS, TERMS_CONFIG } from './points.js';
import { type QdrantReader } from './reader.js';

const READ_PER_PAGE = 256;

/** Which collections have the lexical lane, and the points that lack it. */
export class LexicalLanes {
  private readonly withTerms = new Set<string>();

  constructor(
    private readonly caller: QdrantCaller,
    private readonly reader: QdrantReader,
    private readonly collections: QdrantCollections,
  ) {}

  /** Asks the server until the answer is yes. A missing collection has none. */
  async has(collection: string, signal: AbortSignal): Promise<boolean> {
    if (this.withTerms.has(collection)) return true;
    const info = await this.collections.find(collection, signal);
    if (info?.config.params.sparse_vectors?.[TERMS] === undefined) return false;
    this.withTerms.add(collection);
    return true;
  }

  /** Another collection may have taken the name. */
  forget(collection: string): void {
    this.withTerms.delete(collection);
  }

  async countWithout(collection: string, filter: QdrantFilter | null, signal: AbortSignal): Promise<number> {
    const lacking = (await this.has(collection, signal)) ? withoutTerms(filter) : filter;
    return this.reader.count(collection, lacking, signal);
  }

  /** @returns how many points got terms. */
  async fill(
    collection: string,
    filter: QdrantFilter,
    termsOf: (point: PointPayload) => Terms,
    signal: AbortSignal,
  ): Promise<number> {
    if (!(await this.add(collection, signal))) return 0;
    let filled = 0;
    const read = { limit: READ_PER_PAGE, with_payload: ['path', 'text'], with_vector: false };
    const lacking = { filter: withoutTerms(filter), ...read };
    for await (const page of this.reader.scroll(collection, lacking, signal)) {
      const points = page.map(({ id, payload }) => ({
        id,
        vector: { [TERMS]: sparseOf(termsOf(payloadOf(id, payload))) },
      }));
      filled += await sendInHalves(points, async (part) => {
        const update = { collection_name: collection, wait: true, points: [...part] };
        await this.caller.applied((api, init) => api.updateVectors(update, init), signal);
        return part.length;
      });
    }
    return filled;
  }

  /** Servers since 1.18 can add it to a collection; others have it in collections that are made anew. */
  private async add(collection: string, signal: AbortSignal): Promise<boolean> {
    if (await this.has(collection, signal)) return true;
    const lane = { vector_name: TERMS, wait: true, sparse: TERMS_CONFIG };
    const request = { collection_name: collection, ...lane };
    try {
      await this.caller.applied((api, init) => api.createVectorName(request, init), signal);
    } catch (error) {
      // An older server does not know the request, or the key may not change collections.
      if (!hasStatus(error, 400, 403, 404, 405)) throw error;
    }
    return this.has(collection, signal);
  }
}

/** Points that have no terms. */
export function withoutTerms(filter: QdrantFilter | null): QdrantFilter {
  return { ...filter, must_not: [{ has_vector: TERMS }] };
}
