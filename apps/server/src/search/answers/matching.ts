import { type MatchRange, type TextPattern } from '@core/search';
import { type RepositoryHit } from '../repository-hit.js';
import { type QueryWords, type TextRange, wordsIn } from './query-words.js';
import { type LineScorer, type ScoredLine } from './snippet.js';

/** How an answer shows what matches. */
export interface Matching {
  scorerOf(text: string): LineScorer;
  /** Null: the query is not literal. */
  rangesIn: ((text: string) => MatchRange[]) | null;
}

/** A whole name says more than its parts; a line that defines it more than one that mentions it. */
const NAME_WEIGHT = 3;
const DEFINITION_WEIGHT = 3;
const DEFINITION =
  /^\s*(?:export |public |private |protected |static |async |abstract |default |pub |declare )*(?:class|interface|enum|struct|trait|type|function|fn|func|def|const|let|var|val|object|record|module|namespace|impl|#+|resource)\b/;
const MOST_LINES = 200;

export function byWords(words: QueryWords): Matching {
  return { scorerOf: () => (line) => scoreOf(line, words), rangesIn: null };
}

export function byPattern(pattern: TextPattern): Matching {
  return {
    scorerOf: (text) => {
      const found = pattern.rangesIn(text);
      return (line, offset) => matchesOf(line, offset, found);
    },
    rangesIn: (text) => pattern.rangesIn(text),
  };
}

/** The lines of the file where a match begins, ascending; those of overlapping chunks once. */
export function matchingLines(
  chunks: readonly RepositoryHit[],
  { rangesIn }: Pick<Matching, 'rangesIn'>,
): number[] | null {
  if (rangesIn === null) return null;
  const lines = new Set<number>();
  for (const { payload } of chunks) {
    let line = payload.start_line;
    let position = 0;
    for (const { start } of rangesIn(payload.text)) {
      for (; position < start; position++) if (payload.text[position] === '\n') line += 1;
      lines.add(line);
    }
  }
  return [...lines].sort((left, right) => left - right).slice(0, MOST_LINES);
}

function matchesOf(line: string, offset: number, found: readonly MatchRange[]): ScoredLine {
  const ranges = found
    .map(({ start, end }) => ({
      start: Math.max(0, start - offset),
      end: Math.min(line.length, end - offset),
    }))
    .filter(({ start, end }) => start < end);
  const weight = ranges.length === 0 ? 0 : NAME_WEIGHT + (DEFINITION.test(line) ? DEFINITION_WEIGHT : 0);
  return { weight, ranges, terms: new Set(ranges.length === 0 ? [] : ['match']) };
}

function scoreOf(line: string, { names, stems }: QueryWords): ScoredLine {
  const ranges: TextRange[] = [];
  const terms = new Set<string>();
  let weight = 0;
  for (const { name, start, end, parts } of wordsIn(line)) {
    if (names.has(name)) {
      weight += terms.has(name) ? 0.25 : NAME_WEIGHT;
      terms.add(name);
      ranges.push({ start, end });
      continue;
    }
    for (const part of parts) {
      if (!stems.has(part.stem)) continue;
      weight += terms.has(part.stem) ? 0.1 : 1;
      terms.add(part.stem);
      ranges.push({ start: part.start, end: part.end });
    }
  }
  if (weight > 0 && DEFINITION.test(line)) weight += DEFINITION_WEIGHT;
  return { weight, ranges, terms };
}
