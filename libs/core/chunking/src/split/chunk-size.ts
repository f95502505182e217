import { RepotideError } from '@core/domain';
import { type SplitSettings } from './text-spans.js';

/** A smaller chunk has less than two lines of code, and a file of 1 MB more than 10,000 points. */
export const MIN_CHUNK_SIZE = 100;

/**
 * English prose has about 4 characters per token (OpenAI's help, "What are tokens and how to count them?"); code has
 * fewer. 3 is safe for code; text in other scripts may need more tokens.
 */
export const CHARACTERS_PER_TOKEN = 3;

/** Estimated tokens; the estimate is rather too high. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/**
 * An overlap of half the chunk size or more would at least double the embeddings of a repository.
 * @throws invalid `chunk_size_invalid`, `chunk_overlap_invalid`.
 */
export function assertSplitSettings({ chunkSize, chunkOverlap }: SplitSettings): void {
  const details = { chunk_size: chunkSize, chunk_overlap: chunkOverlap };
  if (!Number.isInteger(chunkSize) || chunkSize < MIN_CHUNK_SIZE) {
    const message =
      `Chunk size is ${chunkSize}; expected a whole number of at least ${MIN_CHUNK_SIZE} characters. ` +
      'Change chunk_size of the repository, or CHUNK_SIZE.';
    throw new RepotideError('invalid', 'chunk_size_invalid', message, {
      details: { ...details, min_chunk_size: MIN_CHUNK_SIZE },
    });
  }
  if (!Number.isInteger(chunkOverlap) || chunkOverlap < 0 || chunkOverlap >= chunkSize / 2) {
    const message =
      `Chunk overlap is ${chunkOverlap}; expected a whole number from 0 to less than half the chunk size of ` +
      `${chunkSize}. Change chunk_overlap of the repository, or CHUNK_OVERLAP.`;
    throw new RepotideError('invalid', 'chunk_overlap_invalid', message, { details });
  }
}

/** The settings with chunks of at most `longest` characters; the overlap shrinks in proportion. */
export function fittingSettings({ chunkSize, chunkOverlap }: SplitSettings, longest: number): SplitSettings {
  const fitting = Math.min(chunkSize, Math.max(MIN_CHUNK_SIZE, longest));
  return { chunkSize: fitting, chunkOverlap: Math.floor((chunkOverlap * fitting) / chunkSize) };
}
