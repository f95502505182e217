import { stemmer } from 'stemmer';
import { hashOf, KIND } from './hash.js';
import { KnownWords } from './known-words.js';
import { repeated } from './repeated.js';

/** An identifier, a number or a word of prose. */
const WORD = /[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:-[\p{L}\p{N}_]+)*/gu;
/** The same for pure ASCII, which nearly all code is: five times as fast. */
const ASCII_WORD = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9_]+)*/g;
const NOT_ASCII = /[^\0-\x7f]/;

/** camelCase, PascalCase with acronyms (HTTPServer: http, server), digits; scripts without spaces character by character. */
const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lt}\p{Lm}\p{Lo}]+/gu;
/** The same for pure ASCII. */
const ASCII_PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Longer words are encoded data or minified names, which users do not search for. */
const LONGEST_WORD = 64;
const STEMMED = /^[a-z]{3,32}$/;
/** Code repeats its words and even more their parts; splitting and stemming them is most of the work. */
const REPEATED_WORDS = 10_000;
const REPEATED_PARTS = 10_000;

export interface Word {
  /** The whole name without separators, in lower case: `isFresh`, `is_fresh` and `is-fresh` are one name. */
  name: string;
  /** Its camelCase, snake_case and dotted parts, each as a stem; without words that say nothing. */
  parts: readonly string[];
  /** The terms of the name and of its parts in a text: most words occur again and again, so they are computed once. */
  terms: readonly number[];
}

type VisitTerms = (terms: readonly number[], times: number) => void;

/** Only the terms: a tenth of what whole words take, so that there is room for those of a large repository. */
const knownWords = new KnownWords(LONGEST_WORD, (spelling) => readWord(spelling).terms);

/** Calls `visit` with the terms of each word of a text, and how often it occurs. Lines with other characters than ASCII are read apart. */
export function countTerms(text: string, visit: VisitTerms): void {
  if (knownWords.count(text, visit)) return;
  // No word goes beyond its line, and most lines of a text with a foreign character have none.
  const lines = text.split('\n');
  const ascii = lines.filter((line) => !NOT_ASCII.test(line)).join('\n');
  const others = lines.filter((line) => NOT_ASCII.test(line)).join('\n');
  if (!knownWords.count(ascii, visit)) countSpellings(ascii, visit);
  countSpellings(others, visit);
}

function countSpellings(text: string, visit: VisitTerms): void {
  for (const spelling of spellingsOf(text)) visit(wordOf(spelling).terms, 1);
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

export const wordOf = repeated(REPEATED_WORDS, readWord);

function readWord(spelling: string): Word {
  const found = spelling.match(NOT_ASCII.test(spelling) ? PART : ASCII_PART) ?? [];
  const lowered = found.map((part) => part.toLowerCase());
  // A leading `_` or `$` makes another name: `_close` often stands beside `close`.
  const name = spelling.slice(0, spelling.search(/[^_$]|$/)) + lowered.join('');
  const terms = name === '' ? [] : [hashOf(KIND.name, name)];
  const parts: string[] = [];
  for (const part of lowered) {
    const known = partOf(part);
    if (known === NO_PART) continue;
    parts.push(known.stem);
    terms.push(known.term);
  }
  return { name, parts, terms };
}

/** For a stop word. */
const NO_PART = { stem: '', term: 0 };

const partOf = repeated(REPEATED_PARTS, (part) => {
  if (STOP_WORDS.has(part)) return NO_PART;
  const stem = STEMMED.test(part) ? stemmer(part) : part;
  return { stem, term: hashOf(KIND.part, stem) };
});

/** English words without a meaning of their own. Keywords of languages stay: their frequency makes them light. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its ' +
    'me my no not of on or our should so than that the their them then there these they this to was we were what ' +
    'when where which while who why will with would you your'
  ).split(' '),
);
