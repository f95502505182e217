import { hashOf, KIND } from '../hash.js';
import { wordOf } from '../words.js';

const WORD = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9_]+)*/g;
const LONGEST_WORD = 64;
/** More would leave out hardly anything. */
const MOST_TERMS = 16;

export interface RequiredNames {
  /** Terms that each text with a match has, longest name first. */
  certain: number[];
  /** Terms of a match that begins and ends at whole names. */
  likely: number[];
}

/** The names in texts that each match contains. A name at an end of one may be a part of a longer name. */
export function requiredNames(literals: readonly string[]): RequiredNames {
  const found = literals.flatMap((literal) =>
    [...literal.matchAll(WORD)].map(({ 0: spelling, index }) => ({
      name: wordOf(spelling).name,
      isCertain: isWhole(literal, index, index + spelling.length),
    })),
  );
  const names = found.filter(({ name }) => name !== '').sort((a, b) => b.name.length - a.name.length);
  const termsOf = (chosen: typeof names) =>
    [...new Set(chosen.map(({ name }) => hashOf(KIND.name, name)))].slice(0, MOST_TERMS);
  return { certain: termsOf(names.filter(({ isCertain }) => isCertain)), likely: termsOf(names) };
}

/** Whether characters around it end the name in any text; a hyphen joins names. */
function isWhole(literal: string, start: number, end: number): boolean {
  const ends = /^[\0-\x7f]$/;
  const [before, after] = [literal[start - 1] ?? '', literal[end] ?? ''];
  const isShort = end - start <= LONGEST_WORD;
  return isShort && ends.test(before) && before !== '-' && ends.test(after) && after !== '-';
}
