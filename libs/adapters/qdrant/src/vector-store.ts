import {
  type CollectionSpec,
  type FileRef,
  type Logger,
  type Point,
  type SearchFilter,
  type SearchHit,
  type StoredPoint,
  type VectorStore,
} from '@core/domain';
import { parseAddress } from './address.js';
import { pointAlias } from './aliases.js';
import { QdrantCaller } from './caller.js';
import { createClient } from './client.js';
import { dropCollection, ensureCollection } from './collection.js';
import { ofRepository } from './filters.js';
import { PointReader } from './reads.js';
import { PointWriter } from './writes.js';

export interface QdrantOptions {
  /** `QDRANT_URL`: scheme, host, optional port (6333 when absent) and path prefix. */
  url: string;
  apiKey?: string | null;
  /** Limit of one request in milliseconds. */
  timeoutMs?: number;
  /** Upper limit of an upsert request in bytes. */
  batchBytes?: number;
  /** Upper limit of an upsert request in points. */
  batchPoints?: number;
  /** Pause before the first repeat of a failed request, in milliseconds; doubled each time. */
  retryDelayMs?: number;
  logger: Logger;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Well under the server's default limit of 32 MB (`service.max_request_size_mb`) and that of usual proxies. */
const DEFAULT_BATCH_BYTES = 5_000_000;
/** Upper end of the 64 to 256 that Qdrant's bulk-upload guide advises. */
const DEFAULT_BATCH_POINTS = 256;
const DEFAULT_RETRY_DELAY_MS = 250;

/**
 * Points in Qdrant, any server since 1.12. Writes wait until they are applied; temporary failures are repeated a few
 * times; on servers since 1.16 an upsert leaves points of a higher fence alone.
 * @throws invalid `vector_store_url_invalid`, `vector_store_key_invalid`.
 */
export function createQdrantVectorStore(options: QdrantOptions): VectorStore {
  return new QdrantVectorStore(options);
}

class QdrantVectorStore implements VectorStore {
  private readonly caller: QdrantCaller;
  private readonly reader: PointReader;
  private readonly writer: PointWriter;

  constructor(options: QdrantOptions) {
    const address = parseAddress(options.url);
    const logger = options.logger.child({ adapter: 'qdrant' });
    const client = createClient(address, options.apiKey ?? null, logger);
    const limits = {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      retryDelayMs: options.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS,
    };
    this.caller = new QdrantCaller(client, address, limits, logger);
    this.reader = new PointReader(this.caller);
    this.writer = new PointWriter(this.caller, this.reader, {
      bytes: options.batchBytes ?? DEFAULT_BATCH_BYTES,
      points: options.batchPoints ?? DEFAULT_BATCH_POINTS,
    });
  }

  async ensureCollection(spec: CollectionSpec, signal: AbortSignal): Promise<void> {
    await ensureCollection(this.caller, spec, signal);
  }

  async pointAlias(alias: string, collection: string, signal: AbortSignal): Promise<void> {
    await pointAlias(this.caller, alias, collection, signal);
  }

  async dropCollection(collection: string, signal: AbortSignal): Promise<void> {
    await dropCollection(this.caller, collection, signal);
  }

  async upsert(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void> {
    await this.writer.upsert(collection, points, signal);
  }

  async deleteFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number> {
    return this.writer.deleteFiles(collection, repositoryId, files, signal);
  }

  async deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    await this.writer.deletePoints(collection, ids, signal);
  }

  async deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    await this.writer.deleteRepository(collection, repositoryId, signal);
  }

  listPoints(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    options?: { withText: boolean },
  ): AsyncIterable<StoredPoint[]> {
    return this.reader.list(collection, repositoryId, signal, options);
  }

  async readFile(
    collection: string,
    file: FileRef,
    fileVersion: string,
    signal: AbortSignal,
  ): Promise<Point[]> {
    return this.reader.readFile(collection, file, fileVersion, signal);
  }

  async count(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number> {
    const filter = repositoryId === null ? null : ofRepository(repositoryId);
    return this.reader.count(collection, filter, signal);
  }

  async search(
    collection: string,
    vector: Float32Array,
    limit: number,
    filter: SearchFilter,
    signal: AbortSignal,
  ): Promise<SearchHit[]> {
    return this.reader.search(collection, vector, limit, filter, signal);
  }

  async checkHealth(signal: AbortSignal): Promise<void> {
    await this.caller.raw((api, init) => api.readyz({}, init), signal);
    // Readiness is answered without a key; this proves the key as well.
    await this.caller.result((api, init) => api.getCollections({}, init), signal);
  }
}
