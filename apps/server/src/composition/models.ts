import { createLexicalEmbedder, OpenAiEmbedder } from '@adapters/embedding';
import { HttpReranker } from '@adapters/reranking';
import {
  type Embedder,
  type Embedders,
  type GenerationModel,
  type HostLimiter,
  type Logger,
  type ModelRegistry,
  type Reranker,
  type Tracer,
} from '@core/domain';
import { type Config, type OpenAiEmbeddingConfig } from '@platform/config';
import { tracedEmbedder, tracedReranker } from './tracing.js';

interface EmbedderPorts {
  logger: Logger;
  limiter: HostLimiter;
  registry: ModelRegistry;
  tracer: Tracer;
}

/** Asks the server only for a model whose vector length is neither configured, nor known, nor remembered. */
export async function openEmbedder({ embedding }: Config, ports: EmbedderPorts): Promise<Embedder> {
  if (embedding.provider === 'lexical')
    return createLexicalEmbedder(definedOf({ dimensions: embedding.dimensions }));
  const embedder = remoteEmbedder(embedding, ports);
  await embedder.open(AbortSignal.timeout(embedding.timeoutSeconds * 1000));
  return tracedEmbedder(embedder, embedding.url, ports.tracer);
}

/** @param modelId Absent: any model of that name. */
function remoteEmbedder(
  server: OpenAiEmbeddingConfig,
  { logger, limiter, registry }: EmbedderPorts,
  modelId?: string,
): OpenAiEmbedder {
  const { apiKey, tlsDir, dimensions, maxInputTokens, usesPrefixes } = server;
  const { url, model, batchSize, concurrency, timeoutSeconds } = server;
  return new OpenAiEmbedder({
    ...definedOf({ apiKey, tlsDir, dimensions, maxInputTokens, modelId }),
    ...{ url, model, usesPrefixes, batchSize, concurrency, timeoutSeconds, limiter, registry, logger },
  });
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Removes undefined members, because an undefined option may differ from an absent one. */
function definedOf<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** One embedder for each model of the index, created on first use. */
export function openEmbedders(config: Config, configured: Embedder, ports: EmbedderPorts): Embedders {
  const made = new Map<string, Embedder | null>();
  return {
    configured,
    server: config.embedding.provider === 'openai' ? config.embedding.url : null,
    find(model) {
      if (isModel(configured, model)) return configured;
      const key = JSON.stringify([model.modelId, model.dimensions, model.modelServer]);
      let embedder = made.get(key);
      if (embedder === undefined) {
        embedder = makeEmbedder(config, model, ports);
        made.set(key, embedder);
      }
      return embedder;
    },
  };
}

function isModel({ model }: Embedder, { modelId, dimensions }: GenerationModel): boolean {
  return model.id === modelId && model.dimensions === dimensions;
}

function makeEmbedder(config: Config, model: GenerationModel, ports: EmbedderPorts): Embedder | null {
  const { modelId, dimensions } = model;
  const lexical = createLexicalEmbedder({ dimensions });
  if (isModel(lexical, model)) return lexical;
  const withoutNumber = { ...model, modelId: modelId.replace(/#\d+$/, '') };
  for (const server of serversOf(config, model)) {
    for (const usesPrefixes of [true, false]) {
      const options = { ...server, dimensions, usesPrefixes };
      // It checks with the first text that the server runs this model, and not another one under the same name.
      if (isModel(remoteEmbedder(options, ports), withoutNumber))
        return tracedEmbedder(remoteEmbedder(options, ports, modelId), server.url, ports.tracer);
    }
  }
  return null;
}

/**
 * The servers that may run a model: EMBEDDING_PREVIOUS_URL, and the server that built the index. Other servers are not
 * tried, because some accept any model name and would return vectors of another model.
 */
function serversOf(
  { embedding, previousEmbedding }: Config,
  { modelId, modelServer }: GenerationModel,
): OpenAiEmbeddingConfig[] {
  const name = modelId.replace(/@\d+(\+\w+)?(#\d+)?$/, '');
  const servers = previousEmbedding ? [{ ...previousEmbedding, model: name }] : [];
  if (embedding.provider !== 'openai' || embedding.url !== modelServer) return servers;
  return [...servers, { ...embedding, model: name, maxInputTokens: undefined }];
}

/** Null without RERANK_URL. Sends no request. */
export function openReranker({ reranking }: Config, logger: Logger, tracer: Tracer): Reranker | null {
  return reranking ? tracedReranker(new HttpReranker({ ...reranking, logger }), reranking.url, tracer) : null;
}
