import { createLexicalEmbedder, createOpenAiEmbedder } from '@adapters/embedding';
import { checkChunkSize } from '@core/chunking';
import { type Embedder, type Logger } from '@core/domain';
import { type Config } from '@platform/config';

/**
 * The embedder that the environment asks for, with the configured chunk size checked against its limit.
 * @throws invalid `chunk_size_exceeds_model` with the numbers.
 */
export async function openEmbedder(config: Config, logger: Logger): Promise<Embedder> {
  const embedder = await createEmbedder(config, logger);
  checkChunkSize({
    chunkSize: config.chunking.size,
    chunkOverlap: config.chunking.overlap,
    maxInputTokens: embedder.model.maxInputTokens,
    modelId: embedder.model.id,
  });
  return embedder;
}

async function createEmbedder({ embedding }: Config, logger: Logger): Promise<Embedder> {
  if (embedding.provider === 'lexical') {
    return createLexicalEmbedder(
      embedding.dimensions === undefined ? {} : { dimensions: embedding.dimensions },
    );
  }
  return createOpenAiEmbedder({ ...embedding, timeoutMs: embedding.timeoutSeconds * 1000, logger });
}
