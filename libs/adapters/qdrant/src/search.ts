import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type LaneQuery, type LaneScores, type Logger, type SearchHit } from '@core/domain';
import { halvesOf, mayBeTooLarge } from './batches.js';
import { ofSearch } from './filters.js';
import { payloadOf, sparseOf, TERMS } from './points.js';
import { type QdrantReader } from './reader.js';
import { type LexicalLanes } from './terms.js';

/** Asks for both lanes in one request, each with the whole filter, and leaves it to the caller to fuse them. */
export class QdrantSearch {
  constructor(
    private readonly reader: QdrantReader,
    private readonly lanes: LexicalLanes,
    private readonly logger: Logger,
  ) {}

  async search(collection: string, query: LaneQuery, signal: AbortSignal): Promise<SearchHit[]> {
    try {
      return await this.searchOnce(collection, query, signal);
    } catch (error) {
      if (!mayBeTooLarge(error)) throw error;
      this.lanes.forget(collection);
      const halves = halvesOf(query.filter);
      if (halves === null) throw this.refusedSearch(collection, error);
      const found = halves.map((filter) => this.search(collection, { ...query, filter }, signal));
      const hits = (await Promise.all(found)).flat();
      const { limit } = query;
      const both = [...best(hits, 'dense', limit), ...best(hits, 'lexical', limit)];
      return [...new Map(both.map((hit) => [hit.id, hit])).values()];
    }
  }

  private async searchOnce(collection: string, query: LaneQuery, signal: AbortSignal): Promise<SearchHit[]> {
    const { lane, vector, terms, limit, filter } = query;
    const conditions = ofSearch(filter);
    const common = { with_payload: true, ...(conditions && { filter: conditions }) };
    const queries: Schemas['QueryRequest'][] = [];
    const names: (keyof LaneScores)[] = [];
    if (vector && lane !== 'lexical') {
      queries.push({ query: Array.from(vector), ...common });
      names.push('dense');
    }
    if (terms && terms.ids.length > 0 && lane !== 'dense' && (await this.lanes.has(collection, signal))) {
      queries.push({ query: sparseOf(terms), using: TERMS, ...common });
      names.push('lexical');
    }
    if (queries.length === 0) return [];
    const found = await this.reader.nearest(collection, queries, limit, signal);
    const hits = new Map<string, SearchHit>();
    found.forEach((points, index) => {
      for (const { id, score, payload } of points) {
        const key = String(id);
        const known = hits.get(key);
        const scores = { dense: null, lexical: null, ...known?.scores, [names[index]!]: score };
        hits.set(key, { id: key, scores, payload: known?.payload ?? payloadOf(id, payload) });
      }
    });
    return [...hits.values()];
  }

  /** Qdrant's answer goes to the log only: the caller of a search cannot change the limits of the server. */
  private refusedSearch(collection: string, error: RepotideError): RepotideError {
    this.logger.warn({ collection, error_code: error.code, error: error.message }, 'Qdrant refused a search');
    const { status } = error.details;
    const message =
      `Qdrant refused the search of collection "${collection}" (HTTP ${String(status)}). The log has its answer. A limit of ` +
      "the collection's strict mode may be too low.";
    return new RepotideError('forbidden', 'vector_store_refused', message, {
      cause: error,
      details: { status },
    });
  }
}

function best(hits: readonly SearchHit[], lane: keyof LaneScores, limit: number): SearchHit[] {
  const found = hits.filter(({ scores }) => scores[lane] !== null);
  return found.sort((left, right) => right.scores[lane]! - left.scores[lane]!).slice(0, limit);
}
