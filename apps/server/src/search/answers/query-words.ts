/** Words of a query that say nothing about the line that matches. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be by can do does for from how i if in into is it its of on or our that the then this to was ' +
    'we what when where which who why will with you your'
  ).split(' '),
);
const WORD = /[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_]+)*/gu;
/** camelCase, acronyms, digits. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lt}\p{Lm}\p{Lo}]+/gu;
const SUFFIX = /(?:ations?|ings?|ers?|ed|es|s|e)$/;
const SHORTEST_STEM = 3;

/** A half-open range of a text. */
export interface TextRange {
  start: number;
  end: number;
}

export interface FoundWord extends TextRange {
  /** The whole name in lower case, without separators. */
  name: string;
  parts: (TextRange & { stem: string })[];
}

export function wordsIn(text: string): FoundWord[] {
  return [...text.matchAll(WORD)].map((found) => {
    const [word] = found;
    const parts = [...word.matchAll(PART)].map((part) => {
      const start = found.index + part.index;
      return { start, end: start + part[0].length, stem: stemOf(part[0].toLowerCase()) };
    });
    const name = word.toLowerCase().replace(/[_$-]/g, '');
    return { start: found.index, end: found.index + word.length, name, parts };
  });
}

/** What of a query can be found in a line. */
export interface QueryWords {
  names: ReadonlySet<string>;
  stems: ReadonlySet<string>;
}

export function queryWords(query: string): QueryWords {
  const words = wordsIn(query).filter(({ name }) => !STOP_WORDS.has(name));
  return {
    names: new Set(words.map(({ name }) => name)),
    stems: new Set(words.flatMap(({ parts }) => parts.map(({ stem }) => stem))),
  };
}

/** Equal for most forms of a word, such as "renews" and "renewing". */
function stemOf(word: string): string {
  const stem = word.replace(SUFFIX, '');
  return stem.length >= SHORTEST_STEM ? stem : word;
}
