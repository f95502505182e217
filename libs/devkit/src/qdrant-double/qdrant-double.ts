import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type DoubleCollection, type DoublePoint, type VectorParams } from './collection.js';
import { type QdrantFault } from './faults.js';
import { RequestHandler, type QdrantRequestRecord } from './request-handler.js';
import { type ScopedKey } from './scoped-keys.js';
import { type StrictMode } from './strict-mode.js';

export interface QdrantDoubleOptions {
  /** The reported version of the server, which decides its behaviour (default 1.18.0). */
  version?: string;
  /** When set, every request except the probes needs it. */
  apiKey?: string;
  /** Keys for some collections, beside `apiKey`. */
  scopedKeys?: readonly ScopedKey[];
  /** Larger bodies get 413 (default 32 MiB, as in Qdrant). */
  maxRequestBytes?: number;
  /** Strict mode of new collections (default off, as in Qdrant). */
  strictMode?: StrictMode;
  /** Every facet is refused, as by a limit of strict mode. */
  refusesFacets?: boolean;
  /** Path prefix of a proxy in front of it, e.g. `/qdrant`; other paths get the proxy's own 404. */
  prefix?: string;
  /** Lifetime of an idle connection in milliseconds (default 5 s, as in Qdrant). */
  keepAliveMs?: number;
}

/** The state of a collection, for tests. */
export interface DoubleCollectionView {
  vectors: VectorParams;
  metadata: Record<string, unknown> | null;
  indexes: Record<string, Record<string, unknown>>;
  points: DoublePoint[];
}

export interface QdrantDouble {
  /** Includes the prefix. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly QdrantRequestRecord[];
  /** Requests and answers that do not match Qdrant's API description, and unsupported features; tests expect none. */
  readonly violations: readonly string[];
  /** Number of requests of an operation, by Qdrant's operationId; absent: all. */
  countRequests(operationId?: string): number;
  clearRequests(): void;
  plan(fault: QdrantFault): void;
  clearFaults(): void;
  /** Applies the queued writes without `wait`. */
  settle(): void;
  collectionNames(): string[];
  /** Alias to collection. */
  aliases(): Record<string, string>;
  /** By name or alias. */
  collection(name: string): DoubleCollectionView | null;
  /** @returns a function that brings back what is stored now, like a snapshot of the whole server. */
  save(): () => void;
  /**
   * A snapshot of one collection. @returns a function that recovers it: into an existing collection, which keeps its own
   * metadata, or as a new one with the metadata of the snapshot.
   */
  snapshot(name: string): () => void;
  close(): Promise<void>;
}

const DEFAULT_VERSION = '1.18.0';
const DEFAULT_MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/**
 * A Qdrant server in this process: real HTTP on a free port, points in memory, exact search. It supports the operations that
 * Repotide uses, and checks every request and every answer against Qdrant's own API description.
 */
export async function startQdrantDouble(options: QdrantDoubleOptions = {}): Promise<QdrantDouble> {
  const handler = new RequestHandler({
    version: options.version ?? DEFAULT_VERSION,
    apiKey: options.apiKey ?? null,
    scopedKeys: options.scopedKeys ?? [],
    maxRequestBytes: options.maxRequestBytes ?? DEFAULT_MAX_REQUEST_BYTES,
    strictMode: options.strictMode ?? {},
    refusesFacets: options.refusesFacets ?? false,
    prefix: options.prefix ?? '',
  });
  const server = createServer((request, response) => {
    void readBody(request).then(
      (body) => handler.handle(request, body, response),
      () => response.destroy(),
    );
  });
  if (options.keepAliveMs !== undefined) server.keepAliveTimeout = options.keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return doubleOf(handler, server, `http://127.0.0.1:${port}${options.prefix ?? ''}`);
}

function doubleOf(handler: RequestHandler, server: Server, url: string): QdrantDouble {
  const { state, faults } = handler;
  return {
    url,
    requests: handler.requests,
    violations: handler.violations,
    countRequests: (operationId) =>
      handler.requests.filter((request) => operationId === undefined || request.operationId === operationId)
        .length,
    clearRequests: () => void handler.requests.splice(0),
    plan: (fault) => handler.plan(fault),
    clearFaults: () => faults.clear(),
    settle: () => state.writes.settle(),
    collectionNames: () => [...state.collections.keys()],
    aliases: () => Object.fromEntries(state.aliases),
    collection: (name) => {
      const collection = state.collections.get(state.aliases.get(name) ?? name);
      return collection === undefined ? null : viewOf(collection);
    },
    save: () => {
      state.writes.settle();
      const aliases = [...state.aliases];
      const collections = [...state.collections].map(([name, saved]) => [name, saved.copy()] as const);
      return () => {
        state.writes.settle();
        state.aliases.clear();
        state.collections.clear();
        for (const [alias, name] of aliases) state.aliases.set(alias, name);
        for (const [name, saved] of collections) state.collections.set(name, saved.copy());
      };
    },
    snapshot: (name) => {
      state.writes.settle();
      const saved = state.collections.get(name)!.copy();
      return () => {
        const recovered = saved.copy();
        recovered.metadata = state.collections.get(name)?.metadata ?? recovered.metadata;
        state.collections.set(name, recovered);
      };
    },
    close: async () => {
      state.writes.settle();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function viewOf(collection: DoubleCollection): DoubleCollectionView {
  return {
    vectors: collection.params,
    metadata: collection.metadata,
    indexes: Object.fromEntries(collection.indexes),
    points: collection.matching(null),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
