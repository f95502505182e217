import {
  type Embedder,
  type Logger,
  type Reranker,
  type Source,
  type SourceFactory,
  type Tracer,
  type VectorStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { startTracing, type Tracing } from '@platform/observability';

export function openTracing({ pod }: Config, logger: Logger): Promise<Tracing> {
  return startTracing({ podName: pod.name, logger });
}

/** Adds a span to each call of a source, with the host as its attribute. */
export function tracedSources(sources: SourceFactory, tracer: Tracer): SourceFactory {
  return {
    open: async (target, signal, use) => {
      // First, because it refuses an invalid address, which hostOf cannot parse.
      const source = await sources.open(target, signal, use);
      const facts = { 'server.address': hostOf(target.baseUrl) };
      return traced(source, 'source', facts, tracer, {
        calls: [
          ...(['findProject', 'listProjects', 'listBranches', 'headOf', 'openTrees'] as const),
          ...(['listFolder', 'readBlob', 'compare', 'findBlobs', 'readTexts'] as const),
        ],
        streams: ['listTree', 'readObjects', 'readArchive'],
      } satisfies Members<Source>);
    },
  };
}

/** @param url of the server. */
export function tracedEmbedder(embedder: Embedder, url: string, tracer: Tracer): Embedder {
  const facts = { 'server.address': hostOf(url) };
  return traced(embedder, 'embedder', facts, tracer, {
    calls: ['embed', 'confirm', 'longestChunk'],
    streams: [],
  });
}

/** @param url of the server. */
export function tracedReranker(reranker: Reranker, url: string, tracer: Tracer): Reranker {
  const facts = { 'server.address': hostOf(url) };
  return traced(reranker, 'reranker', facts, tracer, { calls: ['rank'], streams: [] });
}

/** @param url of the server; undefined: the vectors are in Postgres, and the store gets no spans. */
export function tracedVectorStore(store: VectorStore, url: string | undefined, tracer: Tracer): VectorStore {
  if (url === undefined) return store;
  return traced(store, 'vectors', { 'server.address': hostOf(url) }, tracer, {
    calls: [
      ...(['ensureCollection', 'incarnationOf', 'upsert', 'deleteFiles', 'deletePoints'] as const),
      ...(['deleteRepository', 'otherRepositories'] as const),
      ...([
        'readFile',
        'count',
        'tally',
        'search',
        'pointAlias',
        'isMadeBeforehand',
        'leftovers',
        'dropCollection',
      ] as const),
    ],
    streams: ['listPoints'],
  });
}

interface Members<Port> {
  /** Methods that return a promise. */
  calls: readonly (keyof Port & string)[];
  /** Methods that return an async iterable. */
  streams: readonly (keyof Port & string)[];
}

function traced<Port extends object>(
  port: Port,
  name: string,
  facts: { 'server.address': string },
  tracer: Tracer,
  { calls, streams }: Members<Port>,
): Port {
  type Call = (...args: unknown[]) => Promise<unknown>;
  type Stream = (...args: unknown[]) => AsyncIterable<unknown>;
  const spanOf = (method: string) => `${name} ${method}`;
  const replaced: Record<string, Call | Stream> = {};
  for (const method of calls) {
    const call = (port[method] as Call).bind(port);
    replaced[method] = (...args) => tracer.span(spanOf(method), facts, () => call(...args));
  }
  for (const method of streams) {
    const stream = (port[method] as Stream).bind(port);
    replaced[method] = (...args) => tracer.items(spanOf(method), facts, stream(...args));
  }
  // Other methods are bound to the port itself, because private members are not accessible through a proxy.
  return new Proxy(port, {
    get: (target, key) => {
      if (typeof key === 'string' && Object.hasOwn(replaced, key)) return replaced[key];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member as Call).bind(target) : member;
    },
  });
}

/** Host and port, without user and path. */
function hostOf(url: string): string {
  return new URL(url).host;
}
