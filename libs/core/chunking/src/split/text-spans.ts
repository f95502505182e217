import { cutInLine, cutNearLine, cutAtStructure, type Range } from './cut-points.js';

/** A half-open range of a text, in UTF-16 code units. */
export interface TextSpan {
  start: number;
  end: number;
}

export interface SplitSettings {
  /** Characters (UTF-16 code units). */
  chunkSize: number;
  /** Characters that neighbouring chunks share, within a tenth. */
  chunkOverlap: number;
}

/** A wider one is left out at the start of a chunk. */
const MAX_INDENTATION = 40;

/**
 * Cuts a text into spans of at most `chunkSize`. Each begins `chunkOverlap` before the end of the one before it, at the
 * nearest line within a tenth of the overlap, or inside a line where none is that near. Starts and ends increase; every
 * character outside the spans is whitespace; no span is blank, ends with whitespace or splits a surrogate pair. Blank
 * space that fills most of a chunk is left out, and the spans around it share nothing. The time is linear.
 *
 * @param heading matches the first line of a section.
 */
export function splitIntoSpans(text: string, heading: RegExp | null, settings: SplitSettings): TextSpan[] {
  const spans: TextSpan[] = [];
  const last = text.trimEnd().length;
  let fresh = nextFilled(text, 0);
  let start = startOfLine(text, fresh, 0);
  while (fresh < last) {
    const cut = cutAfter(text, heading, settings, { start, fresh, last });
    const end = start + text.slice(start, cut).trimEnd().length;
    spans.push({ start, end });
    fresh = nextFilled(text, end);
    // For a file of one chunk the search would take most of the time.
    if (fresh < last) start = nextStart(text, settings, { start, end, fresh });
  }
  return spans;
}

/** @param at.fresh where the text begins that no span holds yet. */
function cutAfter(
  text: string,
  heading: RegExp | null,
  { chunkSize, chunkOverlap }: SplitSettings,
  at: { start: number; fresh: number; last: number },
): number {
  const rest = at.last - at.start;
  if (rest <= chunkSize) return at.last;
  const full = at.start + chunkSize;
  const wanted: Range = { from: full - chunkSize / 4, to: full };
  const lastSpanStart = at.last - chunkSize + chunkOverlap + reachOf(chunkOverlap);
  if (lastSpanStart <= full) {
    // Two spans hold the rest: they get about the same length, so that the last one is not a fragment.
    const middle = at.start + (rest + chunkOverlap) / 2;
    wanted.from = Math.max(middle - chunkSize / 12, lastSpanStart);
    wanted.to = Math.min(middle + chunkSize / 12, full);
  }
  const from = Math.ceil(Math.max(wanted.from, at.fresh + 2));
  const range = { from, to: Math.max(Math.floor(wanted.to), from) };
  return (
    cutAtStructure(text, range, heading) ??
    cutInLine(text, range.to, { ...range, from: Math.max(from, range.to - chunkSize / 10) })
  );
}

function nextStart(
  text: string,
  { chunkSize, chunkOverlap }: SplitSettings,
  { start, end, fresh }: { start: number; end: number; fresh: number },
): number {
  if (chunkOverlap === 0) return startOfLine(text, fresh, end);
  const target = end - chunkOverlap;
  const reach = reachOf(chunkOverlap);
  const overlapping = cutNearLine(text, target, { from: target - reach, to: target + reach });
  const isMostlyBlank = fresh - overlapping > chunkSize * 0.75;
  return overlapping <= start || isMostlyBlank ? startOfLine(text, fresh, end) : overlapping;
}

/** How far the overlap may differ from its setting. */
function reachOf(chunkOverlap: number): number {
  return Math.floor(chunkOverlap / 10);
}

/** The position of the next character that is not whitespace; the end when there is none. */
function nextFilled(text: string, position: number): number {
  const filled = /\S/g;
  filled.lastIndex = position;
  return filled.exec(text)?.index ?? text.length;
}

/** Where the line of the next filled character begins, if only its indentation is before it. */
function startOfLine(text: string, filled: number, position: number): number {
  const from = Math.max(position, filled - MAX_INDENTATION);
  const before = text.slice(from, filled);
  const hasStart = before.includes('\n') || from === 0 || text[from - 1] === '\n';
  return hasStart ? from + before.lastIndexOf('\n') + 1 : filled;
}
