import { RepotideError } from './errors.js';
import { type GenerationModel } from './generation.js';
import { type WaitObserver } from './host-limiter.js';

export interface EmbeddingModel {
  /** The model and the settings that change its vectors, e.g. `text-embedding-3-small@1536`. */
  id: string;
  dimensions: number;
  /** Longest input in tokens; null: no limit. */
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
   * @param observer is notified when requests wait for the embedding server.
   * @param onMade receives the number of newly finished texts, for progress; may never be called.
   */
  abstract embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
    onMade?: (texts: number) => void,
  ): Promise<Float32Array[]>;
}

/** Invalid `embedding_text_refused`: the model refused some of the texts. Thrown after all texts were tried. */
export class TextsRefusedError extends RepotideError {
  /** @param results the vector or the refusal of each text, in order. */
  constructor(readonly results: readonly (Float32Array | RepotideError)[]) {
    const refusal = results.find((result) => result instanceof RepotideError);
    super('invalid', 'embedding_text_refused', refusal?.message ?? 'The model refused a text.', {
      details: refusal?.details ?? {},
    });
  }
}

/** The embedders that this process can use. */
export abstract class Embedders {
  /** The embedder of `EMBEDDING_MODEL`, which is used for new generations. */
  abstract readonly configured: Embedder;
  /** Server of the configured embedder, recorded with each generation; null: it runs in this process. */
  abstract readonly server: string | null;
  /** Null when this process cannot use the model. */
  abstract find(model: GenerationModel): Embedder | null;
}

/** Vectors by model and content hash, so that equal text is embedded once. Losing the cache costs only money. */
export abstract class EmbeddingCache {
  abstract find(modelId: string, contentHashes: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Safe to repeat. */
  abstract store(modelId: string, entries: ReadonlyMap<string, Float32Array>): Promise<void>;
}
