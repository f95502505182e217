import { type GenerationModel } from './generation.js';
import { type WaitObserver } from './host-limiter.js';

export interface EmbeddingModel {
  /** Names model and settings that change its vectors, e.g. `text-embedding-3-small@1536`, `lexical-v1@384`. */
  id: string;
  dimensions: number;
  /** Longest input in tokens; null when there is no limit. */
  maxInputTokens: number | null;
}

export type EmbeddingPurpose = 'document' | 'query';

/**
 * Turns text into vectors: one per text, in order, each of `dimensions` finite numbers and not all zero.
 * Batches, bounds its parallelism and retries inside. Safe to repeat.
 * @throws invalid `embedding_dimension_mismatch` or `embedding_request_refused`, temporary `embedding_unavailable`,
 *   unauthorized `embedding_key_rejected`, forbidden `embedding_quota_exhausted`, rate_limited
 *   `embedding_rate_limited`, internal `embedding_answer_invalid`; invalid `embedding_text_refused` when the model takes
 *   one of the texts in no form but others: none is answered then, and asking for the others alone is worth it.
 */
export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * @param observer is shown when requests wait for the embedding server.
   * @param onMade hears of so many more vectors before all are there; for displays, and may not be called at all.
   */
  embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
    onMade?: (vectors: number) => void,
  ): Promise<Float32Array[]>;
}

/** The embedders that this process can use, by the model of the vectors that they make. */
export interface Embedders {
  /** Of `EMBEDDING_MODEL`: what is indexed from now on is made by it. */
  readonly configured: Embedder;
  /** Where it runs; null: in this process. Recorded with what it makes. */
  readonly server: string | null;
  /** Null when the model's vectors cannot be made here. */
  find(model: GenerationModel): Embedder | null;
}

/** Vectors by content hash and model, so that equal text is embedded once. Losing it costs money, never truth. */
export interface EmbeddingCache {
  find(modelId: string, contentHashes: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Repeating is harmless. */
  store(modelId: string, entries: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** Keeps the cache within its bound: a chore. */
export interface EmbeddingCacheKeeper {
  /**
   * Forgets what was unused for longest, beyond the bound. Repeating is harmless; two at once do the work of one.
   * @returns what was forgotten, and what is left.
   */
  evict(): Promise<{ evicted: number; entries: number; bytes: number }>;
}
