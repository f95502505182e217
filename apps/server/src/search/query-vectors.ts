import { type Embedder, RepotideError } from '@core/domain';
import { LastUsed } from './last-used.js';

/** A vector of a large model has some 12 kB. */
const MOST_KEPT = 500;

/** The vectors of the last queries: typing, paging and filtering repeat them. */
export class QueryVectors {
  private readonly kept = new WeakMap<Embedder, LastUsed<Float32Array>>();

  /** @throws the errors of the embedder; failures are not kept. */
  async vectorOf(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array> {
    const vectors = this.kept.get(embedder) ?? new LastUsed<Float32Array>(MOST_KEPT);
    this.kept.set(embedder, vectors);
    const kept = vectors.get(query);
    if (kept) return kept;
    const vector = await embed(embedder, query, signal);
    vectors.set(query, vector);
    return vector;
  }
}

async function embed(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], 'query', signal);
  if (vector instanceof Float32Array) return vector;
  throw vector ?? new RepotideError('internal', 'internal_error', 'The embedder returned no vector.');
}
