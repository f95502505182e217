import { createLexicalEmbedder } from '@adapters/embedding';
import { type Embedder, type Embedders, type GenerationModel } from '@core/domain';
import { type Config, type OpenAiEmbeddingConfig } from '@platform/config';
import { type EmbedderPorts, remoteEmbedder } from './embedder.js';
import { tracedEmbedder } from './tracing.js';

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
