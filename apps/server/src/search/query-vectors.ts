import { type Embedder, RepotideError } from '@core/domain';

/** A vector of a large model has some 12 kB. */
const MOST_KEPT = 500;

/** The vectors of the last queries: typing, paging and filtering repeat them. */
export class QueryVectors {
  private readonly kept = new WeakMap<Embedder, Map<string, Float32Array>>();

  /** @throws the errors of the embedder; failures are not kept. */
  async vectorOf(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array> {
    const vectors = this.kept.get(embedder) ?? new Map<string, Float32Array>();
    this.kept.set(embedder, vectors);
    const vector = vectors.get(query) ?? (await embed(embedder, query, signal));
    // The last used one is the last of the map.
    vectors.delete(query);
    vectors.set(query, vector);
    for (const oldest of vectors.keys()) {
      if (vectors.size <= MOST_KEPT) break;
      vectors.delete(oldest);
    }
    return vector;
  }
}

async function embed(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], 'query', signal);
  if (vector instanceof Float32Array) return vector;
  throw vector ?? new RepotideError('internal', 'internal_error', 'The embedder returned no vector.');
}
