import { type Embedder, type LaneScores } from '../../libs/core/domain/src/index.js';
import { createChunker } from '../../libs/core/chunking/src/index.js';
import { fusedScores, queryOf, termsOf } from '../../libs/core/search/src/index.js';
import { CollectionMemory } from '../../libs/adapters/postgres/src/embedded-vectors/memory/collection-memory.js';
import { type SourceFile } from './corpus.js';

export type Mode = 'dense' | 'lexical' | 'hybrid';
export interface Chunking {
  chunkSize: number;
  chunkOverlap: number;
}

const CANDIDATES = 100;
const never = new AbortController().signal;

/** The files as the embedded store has them, without a database. */
export async function indexOf(files: readonly SourceFile[], chunking: Chunking, embed: Embed) {
  const chunker = createChunker(chunking);
  const chunks = files.flatMap(({ path, text }) =>
    chunker.split(text, path).map((chunk) => ({ path, text: chunk.text })),
  );
  const vectors = await embed(
    chunks.map(({ text }) => text),
    'document',
  );
  const memory = new CollectionMemory(vectors[0]!.length);
  chunks.forEach(({ path, text }, index) => {
    const file = { repositoryId: 'bench', path, directories: [], language: null };
    const point = {
      id: String(index),
      file,
      vector: normalised(vectors[index]!),
      terms: termsOf({ path, text }),
    };
    memory.put(point, '0');
  });
  return { memory, chunkOf: (id: string) => chunks[Number(id)]! };
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
  const hits = [...found.values()].map((hit) => ({ ...hit, payload: chunkOf(hit.id) }));
  const scores =
    mode === 'hybrid' ? fusedScores(query, hits, embedder) : hits.map((hit) => hit.scores[mode]!);
  const order = hits
    .map(({ id }, index) => ({ id, score: scores[index]! }))
    .sort((a, b) => b.score - a.score);
  return [...new Set(order.map(({ id }) => chunkOf(id).path))];
}

export type Embed = (texts: readonly string[], purpose: 'document' | 'query') => Promise<Float32Array[]>;

export function embedWith(embedder: Embedder): Embed {
  return async (texts, purpose) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += 64) {
      for (const vector of await embedder.embed(texts.slice(start, start + 64), purpose, never)) {
        if (!(vector instanceof Float32Array)) throw vector;
        vectors.push(vector);
      }
    }
    return vectors;
  };
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** A server with OpenAI's API, e.g. of a model that runs on this machine. */
export function embedAt(base: string, model: string): Embed {
  return async (texts) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += 16) {
      const response = await fetch(`${base}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${process.env['EMBEDDING_API_KEY'] ?? ''}`,
        },
        body: JSON.stringify({ model, input: texts.slice(start, start + 16) }),
      });
      const { data } = (await response.json()) as { data: { embedding: number[] }[] };
      vectors.push(...data.map(({ embedding }) => Float32Array.from(embedding)));
    }
    return vectors;
  };
}
