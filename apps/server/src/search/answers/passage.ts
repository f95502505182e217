import { type LineScorer, snippetOf } from './snippet.js';

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
