import { stemmer } from 'stemmer';
import { hashOf, KIND } from './hash.js';

/** An identifier, a number or a word of prose. */
const WORD = /[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:-[\p{L}\p{N}_]+)*/gu;
/** The same for pure ASCII, which nearly all code is: five times as fast. */
const ASCII_WORD = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9_]+)*/g;
const NOT_ASCII = /[^\0-\x7f]/;

/** camelCase, PascalCase with acronyms (HTTPServer: http, server), digits; scripts without spaces character by character. */
const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lt}\p{Lm}\p{Lo}]+/gu;

/** Longer words are encoded data or minified names, which users do not search for. */
const LONGEST_WORD = 64;
const STEMMED = /^[a-z]{3,32}$/;
/** A cache, emptied when full: code repeats its words, and splitting them is most of the work. */
const MOST_KNOWN_WORDS = 50_000;
const known = new Map<string, Word>();

export interface Word {
  /** The whole name without separators, in lower case: `isFresh`, `is_fresh` and `is-fresh` are one name. */
  name: string;
  /** Its camelCase, snake_case and dotted parts, each as a stem; without words that say nothing. */
  parts: readonly string[];
  /** The terms of the name and of its parts in a text: most words occur again and again, so they are computed once. */
  terms: readonly number[];
}

/** The words of a text, each with how often it occurs. */
export function countWords(text: string): Map<Word, number> {
  const spellings = new Map<string, number>();
  for (const spelling of spellingsOf(text)) spellings.set(spelling, (spellings.get(spelling) ?? 0) + 1);
  const words = new Map<Word, number>();
  for (const [spelling, times] of spellings) words.set(wordOf(spelling), times);
  return words;
}

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  return spellingsOf(text).map(wordOf);
}

function spellingsOf(text: string): string[] {
  const isAscii = !NOT_ASCII.test(text);
  const found = isAscii ? text.match(ASCII_WORD) : text.normalize('NFKC').match(WORD);
  return (found ?? []).filter(({ length }) => length <= LONGEST_WORD);
}

export function wordOf(spelling: string): Word {
  const found = known.get(spelling);
  if (found !== undefined) return found;
  const parts = (spelling.match(PART) ?? []).map((part) => part.toLowerCase());
  // A leading `_` or `$` makes another name: `_close` often stands beside `close`.
  const name = (/^[_$]*/.exec(spelling)?.[0] ?? '') + parts.join('');
  const stems = parts.filter((part) => !STOP_WORDS.has(part)).map(stemOf);
  const word = { name, parts: stems, terms: textTerms(name, stems) };
  if (known.size >= MOST_KNOWN_WORDS) known.clear();
  // A copy: a match is a slice that would keep the whole text in memory.
  known.set(Buffer.from(spelling).toString(), word);
  return word;
}

function textTerms(name: string, parts: readonly string[]): number[] {
  const terms = parts.map((part) => hashOf(KIND.part, part));
  return name === '' ? terms : [hashOf(KIND.name, name), ...terms];
}

function stemOf(part: string): string {
  return STEMMED.test(part) ? stemmer(part) : part;
}

/** English words without a meaning of their own. Keywords of languages stay: their frequency makes them light. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its ' +
    'me my no not of on or our should so than that the their them then there these they this to was we were what ' +
    'when where which while who why will with would you your'
  ).split(' '),
);
