import { RepotideError } from './errors.js';
import { type GenerationModel } from './generation.js';
import { type WaitObserver } from './host-limiter.js';

export interface EmbeddingModel {
  /** Names the model and the settings that change its vectors, e.g. `text-embedding-3-small@1536`. */
  id: string;
  dimensions: number;
  /** Longest input in tokens; null when there is no limit. */
  maxInputTokens: number | null;
}

export type EmbeddingPurpose = 'document' | 'query';

/**
 * Turns text into vectors: one per text, in order, each of `dimensions` finite numbers and not all zero.
 * Splits the texts into batches, limits its parallel requests and retries. Safe to repeat.
 * @throws invalid `embedding_dimension_mismatch` or `embedding_request_refused`, temporary `embedding_unavailable`,
 *   unauthorized `embedding_key_rejected`, forbidden `embedding_quota_exhausted`, rate_limited
 *   `embedding_rate_limited`, internal `embedding_answer_invalid`; {@link TextsRefusedError} when the model refuses
 *   some texts and accepts others.
 */
export abstract class Embedder {
  abstract readonly model: EmbeddingModel;
  /**
   * @param observer learns when requests wait for the embedding server.
   * @param onMade receives the number of further texts that are finished, for progress; may never be called.
   */
  abstract embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
    onMade?: (texts: number) => void,
  ): Promise<Float32Array[]>;
}

/** Thrown after all texts were tried, when the model refused some of them: invalid `embedding_text_refused`. */
export class TextsRefusedError extends RepotideError {
  /** @param results for each text, in order, its vector or the error of its refusal. */
  constructor(readonly results: readonly (Float32Array | RepotideError)[]) {
    const refusal = results.find((result) => result instanceof RepotideError);
    super('invalid', 'embedding_text_refused', refusal?.message ?? 'The model refused a text.', {
      details: refusal?.details ?? {},
    });
  }
}

/** The embedders that this process can use. */
export abstract class Embedders {
  /** The embedder of `EMBEDDING_MODEL`; new generations are made with it. */
  abstract readonly configured: Embedder;
  /** Its server; null: it runs in this process. Recorded with each generation. */
  abstract readonly server: string | null;
  /** Null when this process cannot make vectors of the model. */
  abstract find(model: GenerationModel): Embedder | null;
}

/** Vectors by model and content hash, so that equal text is embedded once. Losing it costs money, never correctness. */
export abstract class EmbeddingCache {
  abstract find(modelId: string, contentHashes: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Safe to repeat. */
  abstract store(modelId: string, entries: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** Keeps the cache within its size limit. */
export abstract class EmbeddingCacheKeeper {
  /**
   * Removes the least recently used vectors until `maxEntries` remain. Safe to repeat, also from several pods at once.
   * @returns how many were removed, and what remains.
   */
  abstract evict(maxEntries: number): Promise<{ evicted: number; entries: number; bytes: number }>;
}
