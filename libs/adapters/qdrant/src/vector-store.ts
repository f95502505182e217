import { randomUUID } from 'node:crypto';
import { type Logger, type Point, type VectorStore } from '@core/domain';
import { parseAddress } from './address.js';
import { QdrantCaller } from './caller.js';
import { createClient } from './client.js';
import { QdrantCollections, type CollectionOptions } from './collections.js';
import { ofFileVersion, ofRepository } from './filters.js';
import { LISTED_FIELDS, pointOf, storedPointOf } from './points.js';
import { QdrantReader } from './reader.js';
import { createRemovals } from './removals.js';
import { QdrantScan } from './scan.js';
import { QdrantSearch } from './search.js';
import { PointTallies } from './tally.js';
import { LexicalLanes } from './terms.js';
import { PointUpserts } from './upserts.js';

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

const LISTED_PER_PAGE = 1_000;
/** With vector and text a point is about 30 kB. */
const READ_PER_PAGE = 64;

/**
 * Points in Qdrant, any server since 1.12. Writes resolve when they are applied; temporary failures are retried a few
 * times; since 1.16 an upsert does not replace points of a higher fence. A missing collection reads as an empty one.
 * @throws invalid `vector_store_url_invalid`, `vector_store_key_invalid`.
 */
export function createQdrantStore({
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
}: QdrantOptions): VectorStore {
  const address = parseAddress(url);
  const logger = parentLogger.child({ adapter: 'qdrant' });
  const client = createClient(address, apiKey, { tlsDir, logger });
  const caller = new QdrantCaller(client, address, { timeoutMs, retryDelayMs }, logger);
  const reader = new QdrantReader(caller);
  const collections = new QdrantCollections(caller, reader, collectionOptions, installation);
  const tallies = new PointTallies(caller, reader);
  const lanes = new LexicalLanes(caller, reader, collections);
  const upserts = new PointUpserts(caller, lanes, { bytes: batchBytes, points: batchPoints });
  const searcher = new QdrantSearch(reader, lanes, logger);
  const scanner = new QdrantScan(reader, lanes);
  const ofOne = (repositoryId: string | null) => (repositoryId === null ? null : ofRepository(repositoryId));
  return {
    ensureCollection: (spec, signal) => collections.ensure(spec, signal),
    incarnationOf: (collection, signal) => collections.incarnationOf(collection, signal),
    pointAlias: (alias, collection, signal) => collections.pointAlias(alias, collection, signal),
    isMadeBeforehand: (spec, signal) => collections.isMadeBeforehand(spec, signal),
    leftovers: (known, signal) => collections.leftovers(new Set(known), signal),
    dropCollection: (collection, signal) => {
      lanes.forget(collection);
      return collections.drop(collection, signal);
    },

    upsert: (collection, points, signal) => upserts.upsert(collection, points, signal),
    ...createRemovals(caller, reader),

    async *listPoints(collection, repositoryId, signal, { withText } = { withText: false }) {
      const request = {
        filter: ofRepository(repositoryId),
        limit: withText ? READ_PER_PAGE : LISTED_PER_PAGE,
        with_payload: withText ? [...LISTED_FIELDS, 'content_hash', 'text'] : LISTED_FIELDS,
        with_vector: false,
      };
      for await (const page of reader.scroll(collection, request, signal)) yield page.map(storedPointOf);
    },
    async readFile(collection, file, fileVersion, signal) {
      const filter = ofFileVersion(file, fileVersion);
      const request = { filter, limit: READ_PER_PAGE, with_payload: true, with_vector: true };
      const points: Point[] = [];
      for await (const page of reader.scroll(collection, request, signal)) points.push(...page.map(pointOf));
      return points.sort((a, b) => a.payload.chunk_index - b.payload.chunk_index);
    },
    count: (collection, repositoryId, signal) => reader.count(collection, ofOne(repositoryId), signal),
    tally: (collection, repositoryId, signal) => tallies.of(collection, repositoryId, signal),
    otherRepositories: (collection, known, signal) => tallies.otherRepositories(collection, known, signal),

    search: (collection, query, signal) => searcher.search(collection, query, signal),
    scan: (collection, query, signal) => scanner.scan(collection, query, signal),
    hasTerms: (collection, signal) => lanes.has(collection, signal),
    countWithoutTerms: (collection, repositoryId, signal) =>
      lanes.countWithout(collection, ofOne(repositoryId), signal),
    fillTerms: (collection, repositoryId, termsOf, signal) =>
      lanes.fill(collection, ofRepository(repositoryId), termsOf, signal),

    async checkHealth(signal) {
      await caller.raw((api, init) => api.readyz({}, init), signal);
      // Readiness needs no key; this request proves the key too, even if the key may not list collections.
      await collections.list(signal);
      return caller.permissions.missing();
    },
  };
}
