import { type TextRange } from './query-words.js';

export interface Highlight {
  /** The line's number in the file, counted from 1. */
  line: number;
  /** Half-open, in UTF-16 code units of the line. */
  start: number;
  end: number;
}

/** The lines of a chunk that match best, with the terms of the query in them. */
export interface Snippet {
  startLine: number;
  endLine: number;
  text: string;
  highlights: Highlight[];
}

/** Lines of a snippet. */
const HEIGHT = 7;
/** Characters shown of each line: one line of a data file must not fill the answer. */
const MAX_LINE = 400;
/** A line with several terms says more than several lines with one. */
const TERM_WEIGHT = 3;

export interface ScoredLine {
  weight: number;
  ranges: TextRange[];
  /** Terms of the query in it. */
  terms: ReadonlySet<string>;
}

/** @param offset where the line begins in the text. */
export type LineScorer = (line: string, offset: number) => ScoredLine;

/**
 * @param firstLine the line of the file where the text begins.
 * @param height how many lines it may have.
 */
export function snippetOf(text: string, firstLine: number, score: LineScorer, height = HEIGHT): Snippet {
  const whole = text.split('\n');
  const lines = whole.map((line) => line.replace(/\r$/, '').slice(0, MAX_LINE));
  let offset = 0;
  const scored = lines.map((line, index) => {
    const start = offset;
    offset += whole[index]!.length + 1;
    return score(line, start);
  });
  const start = bestStart(lines, scored, height);
  const shown = lines.slice(start, start + height);
  while (shown.length > 1 && shown.at(-1)!.trim() === '') shown.pop();
  const startLine = firstLine + start;
  return {
    startLine,
    endLine: startLine + shown.length - 1,
    text: shown.join('\n'),
    highlights: shown.flatMap((_, index) =>
      scored[start + index]!.ranges.map((range) => ({ line: startLine + index, ...range })),
    ),
  };
}

/** The window with the most weight; of equal ones the first. It begins shortly before its first match. */
function bestStart(lines: readonly string[], scored: readonly ScoredLine[], height: number): number {
  if (lines.length <= height) return 0;
  let best = 0;
  let bestWeight = -1;
  for (let start = 0; start <= lines.length - height; start += 1) {
    const window = scored.slice(start, start + height);
    const terms = new Set(window.flatMap((line) => [...line.terms]));
    const weight = window.reduce((sum, line) => sum + line.weight, 0) / 2 + terms.size * TERM_WEIGHT;
    if (weight > bestWeight) [best, bestWeight] = [start, weight];
  }
  // The window was chosen by its last line that matches: show what follows the first match instead.
  let first = best;
  while (first < best + height - 1 && scored[first]!.weight === 0) first += 1;
  if (scored[first]!.weight === 0) return best;
  const shifted = Math.max(best, first - 1);
  return Math.min(shifted, lines.length - height);
}

/** The share of a passage that stands before the line that matches best. */
const BEFORE = 0.25;

/** The path, and so many characters of the text around the lines that match best. */
export function passageOf(path: string, text: string, score: LineScorer, maxCharacters: number): string {
  return `${path}\n${partOf(text, score, maxCharacters)}`.toWellFormed();
}

function partOf(text: string, score: LineScorer, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const { startLine } = snippetOf(text, 0, score);
  const before = text.split('\n').slice(0, startLine).join('\n').length;
  const start = Math.min(
    Math.max(0, before - Math.round(maxCharacters * BEFORE)),
    text.length - maxCharacters,
  );
  return text.slice(start, start + maxCharacters);
}
