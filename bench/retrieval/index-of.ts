import {
  type EmbeddedText,
  type Embedder,
  type EmbeddingPurpose,
  type LaneScores,
} from '../../libs/core/domain/src/index.js';
import {
  createChunker,
  fittingSettings,
  MIN_CHUNK_SIZE,
  type SplitSettings,
} from '../../libs/core/chunking/src/index.js';
import { fusedScores, queryOf, termsOf } from '../../libs/core/search/src/index.js';
import { CollectionMemory } from '../../libs/adapters/postgres/src/embedded-vectors/memory/collection-memory.js';
import { type SourceFile } from './corpus.js';

export type Mode = 'dense' | 'lexical' | 'hybrid';
const CANDIDATES = 100;
const never = new AbortController().signal;

interface BenchChunk {
  path: string;
  text: string;
}

/** The files as the embedded store has them, without a database. */
export async function indexOf(files: readonly SourceFile[], chunking: SplitSettings, embedder: Embedder) {
  const chunks = await embedded(chunksOf(files, chunking), chunking, embedder);
  const memory = new CollectionMemory(embedder.model.dimensions);
  chunks.forEach(({ path, text, vector }, index) => {
    const file = { repositoryId: 'bench', path, directories: [], language: null };
    const terms = termsOf({ path, text });
    memory.put({ id: String(index), file, vector: normalised(vector), terms }, '0');
  });
  return { memory, chunkOf: (id: string) => chunks[Number(id)]! };
}

export function chunksOf(files: readonly SourceFile[], chunking: SplitSettings): BenchChunk[] {
  const chunker = createChunker(chunking);
  return files.flatMap(({ path, text }) =>
    chunker.split(text, path).map((chunk) => ({ path, text: chunk.text })),
  );
}

/** A chunk that the model does not take whole becomes several, as in a sync. */
export async function embedded(
  chunks: readonly BenchChunk[],
  chunking: SplitSettings,
  embedder: Embedder,
): Promise<(BenchChunk & { vector: Float32Array })[]> {
  const texts = chunks.map(({ text }) => text);
  const results = await embedAll(embedder, texts, 'document');
  const parts = await Promise.all(
    results.map(async (result, index) => {
      const chunk = chunks[index]!;
      if (result instanceof Float32Array) return [{ ...chunk, vector: result }];
      if (result.code !== 'embedding_text_too_long' || chunk.text.length <= MIN_CHUNK_SIZE) throw result;
      const half = fittingSettings(chunking, Math.ceil(chunk.text.length / 2));
      return embedded(chunksOf([chunk], half), half, embedder);
    }),
  );
  return parts.flat();
}
export type Index = Awaited<ReturnType<typeof indexOf>>;

/** The paths of the hits, best first, each once. */
export function search(
  { memory, chunkOf }: Index,
  mode: Mode,
  query: string,
  vector: Float32Array,
  embedder: 'trained' | 'built-in',
): string[] {
  const { terms } = queryOf(query);
  const found = new Map<string, { id: string; scores: LaneScores }>();
  const add = (lane: keyof LaneScores, hits: readonly { id: string; score: number }[]) => {
    for (const { id, score } of hits) {
      const scores = found.get(id)?.scores ?? { dense: null, lexical: null };
      found.set(id, { id, scores: { ...scores, [lane]: score } });
    }
  };
  if (mode !== 'lexical') add('dense', memory.dense(normalised(vector), CANDIDATES, {}));
  if (mode !== 'dense') add('lexical', memory.lexical(terms, CANDIDATES, {}));
  const hits = [...found.values()].map((hit) => ({
    ...hit,
    payload: { repository_id: 'bench', ...chunkOf(hit.id) },
  }));
  const scores =
    mode === 'hybrid'
      ? fusedScores(query, hits, embedder).map(({ score }) => score)
      : hits.map((hit) => hit.scores[mode]!);
  const order = hits
    .map(({ id }, index) => ({ id, score: scores[index]! }))
    .sort((a, b) => b.score - a.score);
  return [...new Set(order.map(({ id }) => chunkOf(id).path))];
}

/** @throws the error of a text that the model does not take. */
export async function vectorsOf(
  embedder: Embedder,
  texts: readonly string[],
  purpose: EmbeddingPurpose,
): Promise<Float32Array[]> {
  return (await embedAll(embedder, texts, purpose)).map((result) => {
    if (!(result instanceof Float32Array)) throw result;
    return result;
  });
}

async function embedAll(embedder: Embedder, texts: readonly string[], purpose: EmbeddingPurpose) {
  const results: EmbeddedText[] = [];
  for (let start = 0; start < texts.length; start += 64)
    results.push(...(await embedder.embed(texts.slice(start, start + 64), purpose, never)));
  return results;
}

export function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
