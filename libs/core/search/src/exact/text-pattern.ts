import { RE2JS, RE2JSException } from 're2js';
import { RepotideError } from '@core/domain';
import { literalRuns } from './literal-runs.js';
import { requiredNames } from './required-names.js';

export interface TextPatternOptions {
  /** A regular expression of RE2's syntax; otherwise the text itself. */
  isRegex: boolean;
  ignoreCase: boolean;
}

/** Half-open, in UTF-16 code units. */
export interface MatchRange {
  start: number;
  end: number;
}

export interface TextPattern {
  /** The matches in a text, in order; those of nothing are left out. */
  rangesIn(text: string): MatchRange[];
  /** Terms of each text with a match, longest name first. */
  certainTerms: Uint32Array;
  /** Terms of each text where the match begins and ends at whole names. */
  likelyTerms: Uint32Array;
  /** The longest text that each match contains; null: unknown. */
  literal: string | null;
  ignoreCase: boolean;
}

/** More in one text are not shown. */
const MOST_RANGES = 1_000;
/** Instructions: a text of 7,000 characters costs each at most once per character. */
const LARGEST_PROGRAM = 2_000;

/** Compiles what a user looks for; time is linear in the text, whatever the pattern is. @throws invalid `pattern_invalid`. */
export function textPattern(query: string, { isRegex, ignoreCase }: TextPatternOptions): TextPattern {
  const literals = isRegex ? literalRuns(query) : [query];
  const { certain, likely } = requiredNames(literals);
  // RE2 also folds letters beyond ASCII, such as the Kelvin sign to "k".
  const isExact = !(isRegex && ignoreCase);
  const longest = (isExact && literals.toSorted((a, b) => b.length - a.length)[0]) || null;
  return {
    rangesIn: isRegex ? regexRanges(compiled(query, ignoreCase)) : literalRanges(query, ignoreCase),
    certainTerms: Uint32Array.from(certain),
    likelyTerms: Uint32Array.from(likely),
    literal: longest,
    ignoreCase,
  };
}

function compiled(pattern: string, ignoreCase: boolean): RE2JS {
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  try {
    const program = RE2JS.compile(pattern, flags);
    if (program.programSize() > LARGEST_PROGRAM) throw new RE2JSException('its repetitions are too large');
    return program;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // RE2 shows its own flags with the pattern.
    const fault = error.message.replace(/^error parsing regexp: /, '').replace(/`\(\?[im]+\)/, '`');
    throw new RepotideError(
      'invalid',
      'pattern_invalid',
      `query is not a regular expression of RE2's syntax: ${fault}. Correct it, or leave out regex to search the text itself.`,
      { cause: error, details: { field: 'query' } },
    );
  }
}

function regexRanges(program: RE2JS): (text: string) => MatchRange[] {
  return (text) => {
    const ranges: MatchRange[] = [];
    // A sixth of the time of a matcher, which also finds out where a match is.
    if (!program.test(text)) return ranges;
    const matcher = program.matcher(text);
    while (ranges.length < MOST_RANGES && matcher.find()) {
      if (matcher.end() > matcher.start()) ranges.push({ start: matcher.start(), end: matcher.end() });
    }
    return ranges;
  };
}

function literalRanges(literal: string, ignoreCase: boolean): (text: string) => MatchRange[] {
  const escaped = new RegExp(literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), ignoreCase ? 'gi' : 'g');
  return (text) => {
    const ranges: MatchRange[] = [];
    for (const { 0: found, index } of text.matchAll(escaped)) {
      ranges.push({ start: index, end: index + found.length });
      if (ranges.length === MOST_RANGES) break;
    }
    return ranges;
  };
}
