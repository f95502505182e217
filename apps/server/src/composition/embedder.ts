import { createLexicalEmbedder, OpenAiEmbedder } from '@adapters/embedding';
import { checkChunkSize } from '@core/chunking';
import { type Embedder, type HostLimiter, type Logger } from '@core/domain';
import { type Config, type OpenAiEmbeddingConfig } from '@platform/config';

/**
 * Opens the configured embedder, and checks the configured chunk size against its limit.
 * @throws invalid `chunk_size_exceeds_model` with both sizes.
 */
export async function openEmbedder(config: Config, logger: Logger, limiter: HostLimiter): Promise<Embedder> {
  const embedder = await createEmbedder(config, logger, limiter);
  checkChunkSize({
    chunkSize: config.chunking.size,
    chunkOverlap: config.chunking.overlap,
    maxInputTokens: embedder.model.maxInputTokens,
    modelId: embedder.model.id,
  });
  return embedder;
}

async function createEmbedder(
  { embedding }: Config,
  logger: Logger,
  limiter: HostLimiter,
): Promise<Embedder> {
  if (embedding.provider === 'lexical')
    return createLexicalEmbedder(definedOf({ dimensions: embedding.dimensions }));
  const embedder = remoteEmbedder(embedding, logger, limiter);
  // Sends a request only for a model whose vector length is neither configured nor known.
  await embedder.probe(AbortSignal.timeout(embedding.timeoutSeconds * 1000));
  return embedder;
}

export function remoteEmbedder(
  server: OpenAiEmbeddingConfig,
  logger: Logger,
  limiter: HostLimiter,
): OpenAiEmbedder {
  const { apiKey, dimensions, maxInputTokens, url, model, batchSize, concurrency, timeoutSeconds } = server;
  return new OpenAiEmbedder({
    ...definedOf({ apiKey, dimensions, maxInputTokens }),
    ...{ url, model, batchSize, concurrency, timeoutSeconds, limiter, logger },
  });
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Removes undefined members, because an undefined option may differ from an absent one. */
function definedOf<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
