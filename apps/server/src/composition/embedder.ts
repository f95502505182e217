import { createLexicalEmbedder, OpenAiEmbedder } from '@adapters/embedding';
import { type Embedder, type HostLimiter, type Logger, type ModelRegistry, type Tracer } from '@core/domain';
import { type Config, type OpenAiEmbeddingConfig } from '@platform/config';
import { tracedEmbedder } from './tracing.js';

export interface EmbedderPorts {
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
export function remoteEmbedder(
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
