import { createLexicalEmbedder } from '@adapters/embedding';
import {
  type Embedder,
  type Embedders,
  type GenerationModel,
  type HostLimiter,
  type Logger,
  type Tracer,
} from '@core/domain';
import { type Config, type OpenAiEmbeddingConfig } from '@platform/config';
import { remoteEmbedder } from './embedder.js';
import { tracedEmbedder } from './tracing.js';

/** One embedder for each model of the index, created on first use. */
export function openEmbedders(
  config: Config,
  configured: Embedder,
  logger: Logger,
  limiter: HostLimiter,
  tracer: Tracer,
): Embedders {
  const made = new Map<string, Embedder | null>();
  return {
    configured,
    server: config.embedding.provider === 'openai' ? config.embedding.url : null,
    find(model) {
      if (isModel(configured, model)) return configured;
      const key = JSON.stringify([model.modelId, model.dimensions, model.modelServer]);
      let embedder = made.get(key);
      if (embedder === undefined) {
        embedder = makeEmbedder(config, model, logger, limiter, tracer);
        made.set(key, embedder);
      }
      return embedder;
    },
  };
}

function isModel({ model }: Embedder, { modelId, dimensions }: GenerationModel): boolean {
  return model.id === modelId && model.dimensions === dimensions;
}

function makeEmbedder(
  config: Config,
  model: GenerationModel,
  logger: Logger,
  limiter: HostLimiter,
  tracer: Tracer,
): Embedder | null {
  const lexical = createLexicalEmbedder({ dimensions: model.dimensions });
  if (isModel(lexical, model)) return lexical;
  for (const server of serversOf(config, model)) {
    const embedder = remoteEmbedder({ ...server, dimensions: model.dimensions }, logger, limiter);
    if (isModel(embedder, model)) return tracedEmbedder(embedder, server.url, tracer);
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
  const name = modelId.replace(/@\d+$/, '');
  const servers = previousEmbedding ? [{ ...previousEmbedding, model: name }] : [];
  if (embedding.provider !== 'openai' || embedding.url !== modelServer) return servers;
  return [...servers, { ...embedding, model: name, maxInputTokens: undefined }];
}
