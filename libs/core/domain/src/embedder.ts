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

/** A text's vector, or why this text has none while others have one. */
export type EmbeddedText = Float32Array | RepotideError;

/**
 * Turns text into vectors: each the embedding of a whole text, with `dimensions` finite numbers, not all zero.
 * Limits its parallel requests and retries. Safe to repeat.
 */
export abstract class Embedder {
  /** Changes when {@link identify} or {@link confirm} finds another model behind the same name. */
  abstract readonly model: EmbeddingModel;
  /** The most requests at once, and texts in each. */
  abstract readonly capacity: { requests: number; texts: number };
  /**
   * One result per text, in order. A text's own error is invalid `embedding_text_too_long`, invalid
   * `embedding_text_refused`, or temporary `embedding_text_failed`, which may succeed later.
   * @param observer is notified when requests wait for the embedding server.
   * @throws when the server as a whole fails: invalid `embedding_dimension_mismatch` or `embedding_request_refused`,
   *   temporary `embedding_unavailable`, `embedding_answer_invalid` or `embedding_model_changed`, unauthorized
   *   `embedding_key_rejected`, forbidden `embedding_quota_exhausted`, rate_limited `embedding_rate_limited`.
   */
  abstract embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
  ): Promise<EmbeddedText[]>;
  /**
   * Finds out which model the server runs, unless this process knows it. Does not fail when the server does.
   * @returns whether a request found it.
   */
  abstract identify(signal: AbortSignal): Promise<boolean>;
  /** Checks that the server still runs the model. @throws temporary `embedding_model_changed`. */
  abstract confirm(signal: AbortSignal, observer?: WaitObserver): Promise<void>;
  /**
   * The longest chunk, up to `characters`, that the server embeds whole. Asks the server once per model and length; the
   * answer is remembered for all processes.
   * @param signal null: estimates instead of asking, as for a server that has not answered yet.
   */
  abstract longestChunk(characters: number, signal: AbortSignal | null): Promise<number>;
}

export function modelChanged(former: string, found: string): RepotideError {
  const message = `The embedding server runs another model under the same name: ${found} instead of ${former}. Vectors of two models are never mixed; the next run builds a new index.`;
  return new RepotideError('temporary', 'embedding_model_changed', message, {
    details: { former_model: former, found_model: found },
  });
}

/** 1 for vectors of the same direction. */
export function cosineOf(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let [product, leftSquares, rightSquares] = [0, 0, 0];
  left.forEach((value, index) => {
    const other = right[index]!;
    product += value * other;
    leftSquares += value * value;
    rightSquares += other * other;
  });
  return product / Math.sqrt(leftSquares * rightSquares);
}

/** How a server treats texts of a chunk's length; found with a probe. */
export interface ChunkLimit {
  /** The longest chunk that it embeds whole. */
  characters: number;
  /** Texts of so many tokens were certainly embedded whole; null: the server refuses longer ones by itself. */
  provenTokens: number | null;
  /** The server cuts texts to so many tokens without an error; null: it was not seen to cut, or does not count tokens. */
  cutTokens: number | null;
}

/** A model that a server was seen to run. */
export interface SeenModel {
  /** {@link EmbeddingModel.id} */
  id: string;
  /** As it is configured; several models may run under one name. */
  name: string;
  dimensions: number;
  server: string;
  /** Its vector of a fixed text. */
  canary: Float32Array;
  /** By the configured length of chunks. */
  limits: Readonly<Record<string, ChunkLimit>>;
}

/** The models that embedding servers were seen to run, shared by all pods. */
export abstract class ModelRegistry {
  /** Last seen first. */
  abstract list(name: string): Promise<SeenModel[]>;
  /** False when the id is taken: another pod was faster. */
  abstract add(model: SeenModel): Promise<boolean>;
  /** Marks the model as the one that was seen last. */
  abstract update(id: string, changes: Partial<Pick<SeenModel, 'server' | 'limits'>>): Promise<void>;
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

export interface ClaimedTexts {
  vectors: Map<string, Float32Array>;
  claimed: string[];
}

/** Vectors by model and content hash, so that equal text is embedded once. Losing the cache costs only money. */
export abstract class EmbeddingCache {
  abstract find(modelId: string, contentHashes: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Ends the claims of these texts. Safe to repeat. */
  abstract store(modelId: string, entries: ReadonlyMap<string, Float32Array>): Promise<void>;
  /**
   * Claims texts that the caller is about to embed, among all pods. A claim ends some seconds after it was last renewed,
   * so that those of a killed process delay others for seconds only.
   * @returns the vectors of texts that have one, and the texts that the caller now has a claim to. Others have a claim to
   *   the rest.
   */
  abstract claim(modelId: string, contentHashes: readonly string[]): Promise<ClaimedTexts>;
  abstract renew(modelId: string, contentHashes: readonly string[]): Promise<void>;
  /** Ends claims of texts that got no vector. Safe to repeat. */
  abstract release(modelId: string, contentHashes: readonly string[]): Promise<void>;
}
