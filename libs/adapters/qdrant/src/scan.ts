import { type Schemas } from '@qdrant/js-client-rest';
import { type PointPayload, type ScannedPage, type ScanQuery } from '@core/domain';
import { mayBeTooLarge } from './batches.js';
import { ofSearch, type QdrantFilter } from './filters.js';
import { payloadOf } from './points.js';
import { type QdrantReader } from './reader.js';
import { TERMS } from './sparse.js';
import { type LexicalLanes, withoutTerms } from './terms.js';

/** A page of texts of 7,000 characters has at most some 1 MB. */
const READ_PER_PAGE = 128;

/** Reads the points that may have a text; the lexical lane leaves out those without its first name. */
export class QdrantScan {
  constructor(
    private readonly reader: QdrantReader,
    private readonly lanes: LexicalLanes,
  ) {}

  async *scan(collection: string, query: ScanQuery, signal: AbortSignal): AsyncGenerator<ScannedPage> {
    const ids = query.filter.repositoryIds ?? [];
    try {
      yield* this.pages(collection, query, signal);
    } catch (error) {
      // Strict mode may limit the values of one condition (`condition_max_size`).
      if (ids.length < 2 || !mayBeTooLarge(error)) throw error;
      const middle = Math.ceil(ids.length / 2);
      for (const repositoryIds of [ids.slice(0, middle), ids.slice(middle)])
        yield* this.scan(collection, { ...query, filter: { ...query.filter, repositoryIds } }, signal);
    }
  }

  private async *pages(
    collection: string,
    { filter, terms }: ScanQuery,
    signal: AbortSignal,
  ): AsyncGenerator<ScannedPage> {
    const conditions = ofSearch(filter);
    const [first] = terms;
    if (first === undefined || !(await this.lanes.has(collection, signal))) {
      yield* this.all(collection, conditions, signal);
      return;
    }
    yield* this.withTerm(collection, first, conditions, signal);
    yield* this.all(collection, withoutTerms(conditions), signal);
  }

  /** The filter cannot name a term, but a query of one finds exactly the points that have it. */
  private async *withTerm(
    collection: string,
    term: number,
    filter: QdrantFilter | null,
    signal: AbortSignal,
  ): AsyncGenerator<ScannedPage> {
    const query = {
      query: { indices: [term], values: [1] },
      using: TERMS,
      with_payload: true,
      ...(filter && { filter }),
    };
    for (let offset = 0; ;) {
      const points = await this.reader.page(collection, query, offset, READ_PER_PAGE, signal);
      if (points.length === 0) return;
      yield pageOf(points);
      offset += points.length;
    }
  }

  private async *all(
    collection: string,
    filter: QdrantFilter | null,
    signal: AbortSignal,
  ): AsyncGenerator<ScannedPage> {
    const request = {
      limit: READ_PER_PAGE,
      with_payload: true,
      with_vector: false,
      ...(filter && { filter }),
    };
    for await (const page of this.reader.scroll(collection, request, signal)) yield pageOf(page);
  }
}

function pageOf(records: readonly Pick<Schemas['Record'], 'id' | 'payload'>[]): ScannedPage {
  const points = records.map(({ id, payload }): { id: string; payload: PointPayload } => ({
    id: String(id),
    payload: payloadOf(id, payload),
  }));
  return { points, examined: points.length };
}
