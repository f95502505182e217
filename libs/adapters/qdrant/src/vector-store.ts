import { randomUUID } from 'node:crypto';
import {
  type CollectionSpec,
  type FileRef,
  type LaneQuery,
  type Logger,
  type Point,
  type PointPayload,
  type PointTally,
  type ScannedPage,
  type ScanQuery,
  type SearchHit,
  type StoredPoint,
  type Terms,
  type VectorStore,
} from '@core/domain';
import { parseAddress } from './address.js';
import { batchesOf, sendInHalves, type BatchLimits } from './batches.js';
import { QdrantCaller } from './caller.js';
import { createClient } from './client.js';
import { pointAlias } from './aliases.js';
import {
  dropCollection,
  ensureCollection,
  incarnationOf,
  isMadeBeforehand,
  leftovers,
  listCollections,
  type CollectionOptions,
  type NewCollections,
} from './collection.js';
import { ofFileVersion, ofRepository } from './filters.js';
import { LISTED_FIELDS, pointOf, storedPointOf, toPointStruct } from './points.js';
import { QdrantReader } from './reader.js';
import { PointRemovals } from './removals.js';
import { QdrantScan } from './scan.js';
import { QdrantSearch } from './search.js';
import { PointTallies } from './tally.js';
import { LexicalLanes } from './terms.js';

export interface QdrantOptions {
  /** `QDRANT_URL`: scheme, host, optional port (default 6333) and path prefix. */
  url: string;
  apiKey?: string | null | undefined;
  /** `QDRANT_TLS_DIR`: requests use TLS with its certificates. */
  tlsDir?: string | undefined;
  /** `QDRANT_COLLECTION_OPTIONS` */
  collectionOptions?: CollectionOptions;
  /** Id of the database that this store belongs to; marks the collections that are made for it. Default: a random id. */
  installation?: string;
  /** Time limit of one request in milliseconds. */
  timeoutMs?: number;
  /** Upper limit of an upsert request in bytes. */
  batchBytes?: number;
  /** Upper limit of an upsert request in points. */
  batchPoints?: number;
  /** Pause before the first retry in milliseconds; doubled each time. */
  retryDelayMs?: number;
  logger: Logger;
}

/** First server that knows `update_filter`; older ones would ignore it silently. */
const UPDATE_FILTER_SINCE = { major: 1, minor: 16 };
const LISTED_PER_PAGE = 1_000;
/** With vector and text a point is about 30 kB. */
const READ_PER_PAGE = 64;

/**
 * Points in Qdrant, any server since 1.12. Writes resolve when they are applied; temporary failures are retried a few
 * times; since 1.16 an upsert does not replace points of a higher fence. A missing collection reads as an empty one.
 * @throws invalid `vector_store_url_invalid`, `vector_store_key_invalid`.
 */
export class QdrantVectorStore implements VectorStore {
  private readonly caller: QdrantCaller;
  private readonly logger: Logger;
  private readonly reader: QdrantReader;
  private readonly tallies: PointTallies;
  private readonly removals: PointRemovals;
  private readonly lanes: LexicalLanes;
  private readonly searcher: QdrantSearch;
  private readonly scanner: QdrantScan;
  /** `points` shrinks when the server turns out to accept fewer. */
  private readonly limits: BatchLimits;
  private readonly newCollections: NewCollections;
  /** Collections of other installations. */
  private readonly otherCollections = new Set<string>();
  private knowsUpdateFilter: boolean | null = null;

  constructor({
    url,
    apiKey = null,
    tlsDir,
    collectionOptions = {},
    installation = randomUUID(),
    timeoutMs = 30_000,
    // Well below the server's default limit of 32 MB (`service.max_request_size_mb`) and that of usual proxies.
    batchBytes = 5_000_000,
    // The upper end of the 64 to 256 that Qdrant's bulk-upload guide advises.
    batchPoints = 256,
    retryDelayMs = 250,
    logger: parentLogger,
  }: QdrantOptions) {
    const address = parseAddress(url);
    this.logger = parentLogger.child({ adapter: 'qdrant' });
    const client = createClient(address, apiKey, { tlsDir, logger: this.logger });
    this.caller = new QdrantCaller(client, address, { timeoutMs, retryDelayMs }, this.logger);
    this.reader = new QdrantReader(this.caller);
    this.tallies = new PointTallies(this.caller, this.reader);
    this.removals = new PointRemovals(this.caller, this.reader);
    this.lanes = new LexicalLanes(this.caller, this.reader);
    this.searcher = new QdrantSearch(this.reader, this.lanes, this.logger);
    this.scanner = new QdrantScan(this.reader, this.lanes);
    this.newCollections = { options: collectionOptions, installation };
    this.limits = { bytes: batchBytes, points: batchPoints };
  }

  ensureCollection(spec: CollectionSpec, signal: AbortSignal): Promise<string> {
    return ensureCollection(this.caller, spec, this.newCollections, signal);
  }

  incarnationOf(collection: string, signal: AbortSignal): Promise<string | null> {
    return incarnationOf(this.caller, collection, signal);
  }

  async pointAlias(alias: string, collection: string, signal: AbortSignal): Promise<void> {
    await pointAlias(this.caller, alias, collection, signal);
  }

  isMadeBeforehand(spec: CollectionSpec, signal: AbortSignal): Promise<boolean> {
    return isMadeBeforehand(this.caller, spec, this.newCollections.installation, signal);
  }

  leftovers(known: readonly string[], signal: AbortSignal): Promise<string[]> {
    const { installation } = this.newCollections;
    return leftovers(this.caller, installation, new Set(known), this.otherCollections, signal);
  }

  async dropCollection(collection: string, signal: AbortSignal): Promise<void> {
    this.lanes.forget(collection);
    await dropCollection(this.caller, collection, signal);
  }

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

  deleteFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number> {
    return this.removals.ofFiles(collection, repositoryId, files, signal);
  }

  deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    return this.removals.ofIds(collection, ids, signal);
  }

  deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    return this.removals.ofRepository(collection, repositoryId, signal);
  }

  async *listPoints(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    { withText } = { withText: false },
  ): AsyncGenerator<StoredPoint[]> {
    const request = {
      filter: ofRepository(repositoryId),
      limit: withText ? READ_PER_PAGE : LISTED_PER_PAGE,
      with_payload: withText ? [...LISTED_FIELDS, 'content_hash', 'text'] : LISTED_FIELDS,
      with_vector: false,
    };
    for await (const page of this.reader.scroll(collection, request, signal)) yield page.map(storedPointOf);
  }

  async readFile(
    collection: string,
    file: FileRef,
    fileVersion: string,
    signal: AbortSignal,
  ): Promise<Point[]> {
    const filter = ofFileVersion(file, fileVersion);
    const request = { filter, limit: READ_PER_PAGE, with_payload: true, with_vector: true };
    const points: Point[] = [];
    for await (const page of this.reader.scroll(collection, request, signal))
      points.push(...page.map(pointOf));
    return points.sort((a, b) => a.payload.chunk_index - b.payload.chunk_index);
  }

  async count(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number> {
    return this.reader.count(collection, repositoryId === null ? null : ofRepository(repositoryId), signal);
  }

  tally(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    return this.tallies.of(collection, repositoryId, signal);
  }

  otherRepositories(collection: string, known: readonly string[], signal: AbortSignal): Promise<string[]> {
    return this.tallies.otherRepositories(collection, known, signal);
  }

  search(collection: string, query: LaneQuery, signal: AbortSignal): Promise<SearchHit[]> {
    return this.searcher.search(collection, query, signal);
  }

  hasTerms(collection: string, signal: AbortSignal): Promise<boolean> {
    return this.lanes.has(collection, signal);
  }

  scan(collection: string, query: ScanQuery, signal: AbortSignal): AsyncGenerator<ScannedPage> {
    return this.scanner.scan(collection, query, signal);
  }

  countWithoutTerms(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number> {
    const filter = repositoryId === null ? null : ofRepository(repositoryId);
    return this.lanes.countWithout(collection, filter, signal);
  }

  fillTerms(
    collection: string,
    repositoryId: string,
    termsOf: (point: PointPayload) => Terms,
    signal: AbortSignal,
  ): Promise<number> {
    return this.lanes.fill(collection, ofRepository(repositoryId), termsOf, signal);
  }

  async checkHealth(signal: AbortSignal): Promise<string[]> {
    await this.caller.raw((api, init) => api.readyz({}, init), signal);
    // Readiness needs no key; this request proves the key too, even if the key may not list collections.
    await listCollections(this.caller, signal);
    return this.caller.permissions.missing();
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
