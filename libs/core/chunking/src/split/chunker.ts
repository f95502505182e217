import { type Chunk } from '@core/domain';
import { assertSplitSettings } from './chunk-size.js';
import { contentHashOf } from '../hash.js';
import { isProse, languageOf } from '../language.js';
import { splitIntoSpans, type SplitSettings } from './text-spans.js';

/**
 * Cuts the text of a file into chunks. Each chunk is an exact part of the text with at most `chunkSize` characters;
 * together they contain every character that is not whitespace. The same text and language give the same chunks.
 */
export interface Chunker {
  /**
   * @param path its language decides where to cut.
   * @param fileLines the line of the file for each line of the text; null when they are the same.
   */
  split(text: string, path: string, fileLines?: readonly number[] | null): Chunk[];
}

/** Of Markdown, AsciiDoc and LaTeX; and a line over a line of `===`, `---` or `~~~`. */
const PROSE_HEADING =
  /^(?:#{1,6} |={2,6} |\\(?:part|chapter|(?:sub)*section)\b|[^\n]+\n(?:={3,}|-{3,}|~{3,})\s*$)/;

const CELL_HEADING = /^# %% /;

/** @throws invalid `chunk_size_invalid`, `chunk_overlap_invalid`. */
export function createChunker(settings: SplitSettings): Chunker {
  assertSplitSettings(settings);
  return {
    split(text, path, fileLines) {
      let line = 1;
      let position = 0;
      return splitIntoSpans(text, headingOf(languageOf(path)), settings).map(({ start, end }, index) => {
        line += countLineBreaks(text, position, start);
        position = start;
        const endLine = line + countLineBreaks(text, start, end);
        const chunkText = text.slice(start, end);
        return {
          index,
          text: chunkText,
          startLine: fileLines?.[line - 1] ?? line,
          endLine: fileLines?.[endLine - 1] ?? endLine,
          contentHash: contentHashOf(chunkText),
        };
      });
    },
  };
}

function headingOf(language: string | null): RegExp | null {
  if (language === 'jupyter') return CELL_HEADING;
  return isProse(language) ? PROSE_HEADING : null;
}

/** Reads only the range: in a file with one line, `indexOf` would read to the end of the text for each chunk. */
export function countLineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (text.charCodeAt(index) === 10) count += 1;
  }
  return count;
}
