import { type Chunk } from '@core/domain';
import { assertSplitSettings } from './chunk-size.js';
import { contentHashOf } from './hash.js';
import { languageOf } from './language.js';
import { separatorsFor } from './separators.js';
import { splitIntoSpans, type SplitSettings } from './text-spans.js';

/**
 * Cuts the text of a file into chunks. Each chunk is an exact part of the text with at most `chunkSize` characters;
 * together they contain every character that is not whitespace. The same text and language give the same chunks.
 */
export interface Chunker {
  /** @param path its language decides where to cut. */
  split(text: string, path: string): Promise<Chunk[]>;
}

/** @throws invalid `chunk_size_invalid`, `chunk_overlap_invalid`. */
export function createChunker(settings: SplitSettings): Chunker {
  assertSplitSettings(settings);
  return {
    async split(text, path) {
      const spans = await splitIntoSpans(text, separatorsFor(languageOf(path), text), settings);
      let line = 1;
      let position = 0;
      return spans.map(({ start, end }, index) => {
        line += countLineBreaks(text, position, start);
        position = start;
        const chunkText = text.slice(start, end);
        return {
          index,
          text: chunkText,
          startLine: line,
          endLine: line + countLineBreaks(text, start, end),
          contentHash: contentHashOf(chunkText),
        };
      });
    },
  };
}

/** Reads only the range: in a file with one line, `indexOf` would read to the end of the text for each chunk. */
export function countLineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (text.charCodeAt(index) === 10) count += 1;
  }
  return count;
}
