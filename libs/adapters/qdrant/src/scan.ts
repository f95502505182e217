import { type Schemas } from '@qdrant/js-client-rest';
import { type ScannedPage, type ScanQuery } from '@core/domain';
import { halvesOf, mayBeTooLarge } from './batches.js';
import { ofSearch } from './filters.js';
import { payloadOf, TERMS } from './points.js';
import { type QdrantReader } from './reader.js';
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
    try {
      for await (const records of this.pages(collection, query, signal)) {
        const points = records.map(({ id, payload }) => ({
          id: String(id),
          payload: payloadOf(id, payload),
        }));
        yield { points, examined: points.length };
      }
    } catch (error) {
      const halves = mayBeTooLarge(error) ? halvesOf(query.filter) : null;
      if (halves === null) throw error;
      for (const filter of halves) yield* this.scan(collection, { ...query, filter }, signal);
    }
  }

  private async *pages(
    collection: string,
    query: ScanQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Pick<Schemas['Record'], 'id' | 'payload'>[]> {
    const [term] = query.terms;
    let filter = ofSearch(query.filter);
    if (term !== undefined && (await this.lanes.has(collection, signal))) {
      // A filter cannot name a term, but a query of one finds exactly the points that have it.
      const ofTerm = { query: { indices: [term], values: [1] }, using: TERMS, ...(filter && { filter }) };
      for (let offset = 0; ;) {
        const request = { ...ofTerm, with_payload: true, offset };
        const points = await this.reader.page(collection, request, READ_PER_PAGE, signal);
        if (points.length === 0) break;
        yield points;
        offset += points.length;
      }
      filter = withoutTerms(filter);
    }
    const request = {
      limit: READ_PER_PAGE,
      with_payload: true,
      with_vector: false,
      ...(filter && { filter }),
    };
    yield* this.reader.scroll(collection, request, signal);
  }
}
