import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type DoubleCollection, type DoublePoint, type StrictMode, type VectorParams } from './collection.js';
import { type QdrantFault } from './faults.js';
import { RequestHandler, type QdrantRequestRecord } from './request-handler.js';

export interface QdrantDoubleOptions {
  /** What the server says it is; behaviour follows (default 1.18.0). */
  version?: string;
  /** When set, every request but the probes needs it. */
  apiKey?: string;
  /** Larger bodies are answered with 413 (default 32 MiB, as Qdrant's). */
  maxRequestBytes?: number;
  /** Strict mode of new collections (default off, as Qdrant's). */
  strictMode?: StrictMode;
  /** Path that a proxy would serve it under, e.g. `/qdrant`; other paths get the proxy's own 404. */
  prefix?: string;
  /** How long an idle connection is kept, in milliseconds (default 5 s, as Qdrant's). */
  keepAliveMs?: number;
}

/** A collection as it stands, for tests. */
export interface DoubleCollectionView {
  vectors: VectorParams;
  metadata: Record<string, unknown> | null;
  indexes: Record<string, Record<string, unknown>>;
  points: DoublePoint[];
}

export interface QdrantDouble {
  /** With prefix. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly QdrantRequestRecord[];
  /** What did not fit Qdrant's API description or is not imitated; tests expect none. */
  readonly violations: readonly string[];
  /** Number of requests of an operation, by Qdrant's operationId; absent: all. */
  countRequests(operationId?: string): number;
  forgetRequests(): void;
  plan(fault: QdrantFault): void;
  clearFaults(): void;
  /** Applies the writes that nobody waited for. */
  settle(): void;
  collectionNames(): string[];
  /** Alias to collection. */
  aliases(): Record<string, string>;
  /** By its name or an alias. */
  collection(name: string): DoubleCollectionView | null;
  close(): Promise<void>;
}

const DEFAULT_VERSION = '1.18.0';
const DEFAULT_MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/**
 * A Qdrant of one process: real HTTP on a free port, points in memory, search exact. It answers the operations that
 * Repotide uses, and holds every request and every answer against Qdrant's own API description.
 */
export async function startQdrantDouble(options: QdrantDoubleOptions = {}): Promise<QdrantDouble> {
  const handler = new RequestHandler({
    version: options.version ?? DEFAULT_VERSION,
    apiKey: options.apiKey ?? null,
    maxRequestBytes: options.maxRequestBytes ?? DEFAULT_MAX_REQUEST_BYTES,
    strictMode: options.strictMode ?? {},
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
    forgetRequests: () => void handler.requests.splice(0),
    plan: (fault) => faults.plan(fault),
    clearFaults: () => faults.clear(),
    settle: () => state.writes.settle(),
    collectionNames: () => [...state.collections.keys()],
    aliases: () => Object.fromEntries(state.aliases),
    collection: (name) => {
      const collection = state.collections.get(state.aliases.get(name) ?? name);
      return collection === undefined ? null : viewOf(collection);
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
