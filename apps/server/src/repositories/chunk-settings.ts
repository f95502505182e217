import { checkChunkSize } from '@core/chunking';
import { type EmbeddingModel, type Repository } from '@core/domain';
import { naming } from '../http/problem.js';

/** @throws invalid `chunk_size_invalid`, `chunk_size_exceeds_model`, `chunk_overlap_invalid`, which name the field. */
export function assertChunkSettings(
  settings: Pick<Repository, 'chunkSize' | 'chunkOverlap'>,
  model: EmbeddingModel,
): void {
  try {
    checkChunkSize({ ...settings, maxInputTokens: model.maxInputTokens, modelId: model.id });
  } catch (error) {
    throw naming(error, {
      chunk_size_invalid: 'chunk_size',
      chunk_size_exceeds_model: 'chunk_size',
      chunk_overlap_invalid: 'chunk_overlap',
    });
  }
}
