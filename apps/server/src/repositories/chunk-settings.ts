import { assertSplitSettings } from '@core/chunking';
import { type Repository } from '@core/domain';
import { naming } from '../http/problem.js';

/** @throws invalid `chunk_size_invalid`, `chunk_overlap_invalid`, which name the field. */
export function assertChunkSettings(settings: Pick<Repository, 'chunkSize' | 'chunkOverlap'>): void {
  try {
    assertSplitSettings(settings);
  } catch (error) {
    throw naming(error, { chunk_size_invalid: 'chunk_size', chunk_overlap_invalid: 'chunk_overlap' });
  }
}
