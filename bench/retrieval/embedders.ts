import { createLexicalEmbedder } from '../../libs/adapters/embedding/src/index.js';
import { fittingSettings, type SplitSettings } from '../../libs/core/chunking/src/index.js';
import { type Embedder } from '../../libs/core/domain/src/index.js';
import { testEmbedder } from '../../test/support/test-embedder.js';

export interface MeasuredEmbedder {
  name: string;
  weights: 'trained' | 'built-in';
  embedder: Embedder;
  /** The chunks that a sync would make: the model takes each of them whole. */
  chunkings: readonly SplitSettings[];
}

const CHUNKINGS: readonly SplitSettings[] = [
  { chunkSize: 1500, chunkOverlap: 300 },
  { chunkSize: 7000, chunkOverlap: 1500 },
];
const SLOW_SERVER_SECONDS = 600;
const never = new AbortController().signal;

/** The built-in embedder, and the model at EMBEDDING_URL. */
export async function measuredEmbedders(): Promise<MeasuredEmbedder[]> {
  const builtIn = { name: 'built-in', weights: 'built-in', embedder: createLexicalEmbedder() } as const;
  const all: MeasuredEmbedder[] = [{ ...builtIn, chunkings: CHUNKINGS }];
  const {
    EMBEDDING_URL: url,
    EMBEDDING_MODEL: model = 'all-MiniLM-L6-v2',
    EMBEDDING_API_KEY: apiKey,
  } = process.env;
  if (url === undefined) return all;
  const server = { url, model, batchSize: 16, timeoutSeconds: SLOW_SERVER_SECONDS };
  const embedder = testEmbedder({ ...server, ...(apiKey && { apiKey }) });
  await embedder.open(never);
  await embedder.identify(never);
  const fitting = await Promise.all(
    CHUNKINGS.map(async (chunking) =>
      fittingSettings(chunking, await embedder.longestChunk(chunking.chunkSize, never)),
    ),
  );
  const bySize = new Map(fitting.map((chunking) => [chunking.chunkSize, chunking]));
  return [...all, { name: model, weights: 'trained', embedder, chunkings: [...bySize.values()] }];
}
