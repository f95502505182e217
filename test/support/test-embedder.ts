import { CANARY, OpenAiEmbedder } from '@adapters/embedding';
import { type EmbeddingStandIn } from '@devkit';
import { createHash } from 'node:crypto';
import { ownLimiter } from './limiter.js';
import { memoryRegistry } from './model-registry.js';
import { silentLogger } from './silent-logger.js';

type Options = ConstructorParameters<typeof OpenAiEmbedder>[0];

const CANARY_HASH = createHash('sha256').update(CANARY).digest('hex');

/** An embedder of a stand-in, with the service's defaults where a test does not care. */
export function testEmbedder(options: Partial<Options> & Pick<Options, 'url'>): OpenAiEmbedder {
  return new OpenAiEmbedder({
    model: 'text-embedding-3-small',
    batchSize: 32,
    concurrency: 4,
    timeoutSeconds: 30,
    limiter: ownLimiter(),
    registry: memoryRegistry(),
    logger: silentLogger,
    retry: { attempts: 1, firstDelayMs: 1, longestDelayMs: 1 },
    ...options,
  });
}

/** Lets the embedder ask everything that it asks once per model, so that a test counts only what follows. */
export async function askOnce(embedder: OpenAiEmbedder, chunkSize: number): Promise<void> {
  const { signal } = new AbortController();
  await embedder.identify(signal);
  await embedder.longestChunk(chunkSize, signal);
}

/** SHA-256 of each embedded text since the last reset of the log, without the texts that identify the model. */
export function embeddedHashes(standIn: EmbeddingStandIn): string[] {
  return standIn.work.flatMap(({ contentHashes }) => contentHashes).filter((hash) => hash !== CANARY_HASH);
}
