import { createHash } from 'node:crypto';
import { type Chunk } from '@core/domain';
import { assertSplitSettings } from './chunk-size.js';
import { languageOf } from './language.js';
import { separatorsFor } from './separators.js';
import { splitIntoSpans, type SplitSettings } from './text-spans.js';

/**
 * Cuts the text of a file into chunks. Each chunk's text is an exact piece of the input of at most `chunkSize`
 * characters; together they hold every character that is not blank; text of blanks alone has none. The same text
 * and language always give the same chunks.
 */
export interface Chunker {
  /** @param path only its language matters: it chooses the places to cut at. */
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

/** SHA-256 of the text in UTF-8, hex. */
export function contentHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Looks at the range alone: `indexOf` would run to the end of the text from each chunk of a file with one line. */
function countLineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (text.charCodeAt(index) === 10) count += 1;
  }
  return count;
}
