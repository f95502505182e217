import { type Schemas } from '@qdrant/js-client-rest';
import { type FileRef, type Point, type SearchFilter, type SearchHit, type StoredPoint } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { ofFileVersion, ofRepository, ofSearch, type QdrantFilter } from './filters.js';
import { unlessMissing } from './missing.js';
import { LISTED_FIELDS, LISTED_WITH_TEXT, payloadOf, pointOf, storedPointOf } from './points.js';

type Offset = Schemas['ExtendedPointId'] | null;

const LISTED_PER_PAGE = 1_000;
/** With vector and text a point is about 30 kB. */
const READ_PER_PAGE = 64;

/** Reads points; a missing collection is an empty one. */
export class PointReader {
  constructor(private readonly caller: QdrantCaller) {}

  async *list(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    { withText } = { withText: false },
  ): AsyncGenerator<StoredPoint[]> {
    const request = {
      filter: ofRepository(repositoryId),
      limit: withText ? READ_PER_PAGE : LISTED_PER_PAGE,
      with_payload: withText ? LISTED_WITH_TEXT : LISTED_FIELDS,
      with_vector: false,
    };
    for await (const page of this.scroll(collection, request, signal)) yield page.map(storedPointOf);
  }

  async readFile(
    collection: string,
    file: FileRef,
    fileVersion: string,
    signal: AbortSignal,
  ): Promise<Point[]> {
    const request = {
      filter: ofFileVersion(file, fileVersion),
      limit: READ_PER_PAGE,
      with_payload: true,
      with_vector: true,
    };
    const points: Point[] = [];
    for await (const page of this.scroll(collection, request, signal)) points.push(...page.map(pointOf));
    return points.sort((a, b) => a.payload.chunk_index - b.payload.chunk_index);
  }

  /** Exact. Null: all points. */
  async count(collection: string, filter: QdrantFilter | null, signal: AbortSignal): Promise<number> {
    const request = { collection_name: collection, exact: true, ...(filter === null ? {} : { filter }) };
    const asked = this.caller.result((api, init) => api.countPoints(request, init), signal);
    return (await unlessMissing(asked, { count: 0 })).count;
  }

  async search(
    collection: string,
    vector: Float32Array,
    limit: number,
    filter: SearchFilter,
    signal: AbortSignal,
  ): Promise<SearchHit[]> {
    const conditions = ofSearch(filter);
    const request = {
      collection_name: collection,
      query: Array.from(vector),
      limit,
      with_payload: true,
      ...(conditions === null ? {} : { filter: conditions }),
    };
    const asked = this.caller.result((api, init) => api.queryPoints(request, init), signal);
    const { points } = await unlessMissing(asked, { points: [] });
    return points.map(({ id, score, payload }) => ({ score, payload: payloadOf(id, payload) }));
  }

  private async *scroll(
    collection: string,
    request: Schemas['ScrollRequest'],
    signal: AbortSignal,
  ): AsyncGenerator<Schemas['Record'][]> {
    let offset: Offset = null;
    do {
      const answer = await this.scrollPage(collection, request, offset, signal);
      if (answer.points.length > 0) yield answer.points;
      offset = (answer.next_page_offset ?? null) as Offset;
    } while (offset !== null);
  }

  private async scrollPage(
    collection: string,
    request: Schemas['ScrollRequest'],
    offset: Offset,
    signal: AbortSignal,
  ): Promise<Schemas['ScrollResult']> {
    const page = { collection_name: collection, ...request, ...(offset === null ? {} : { offset }) };
    const asked = this.caller.result((api, init) => api.scrollPoints(page, init), signal);
    return unlessMissing(asked, { points: [] });
  }
}
