/** An identifier, a number or a word of prose. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:-[\p{L}\p{N}_]+)*/gu;
/** The same for pure ASCII, which nearly all code is: five times as fast. */
const ASCII_WORD = /[A-Za-z0-9][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*/g;
const NOT_ASCII = /[^\0-\x7f]/;

/** camelCase, PascalCase with acronyms (HTTPServer: http, server), digits; scripts without spaces character by character. */
const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lt}\p{Lm}\p{Lo}]+/gu;

/** A character of a path such as `src/app/main.ts`. */
const PATH_CHARACTER = /[\w./-]/;

/** Longer words are encoded data or minified names, which users do not search for. */
const LONGEST_WORD = 64;
const LONGEST_PATH = 256;

/** The words of a text, in order. */
export function findWords(text: string): readonly string[] {
  if (!NOT_ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  return text.normalize('NFKC').match(WORD) ?? [];
}

/**
 * File paths and routes, in lower case, without slashes and dots at their ends. Searches from slash to slash: a regular
 * expression would try each character of the text, and take longer than everything else.
 */
export function findPaths(text: string): string[] {
  const paths: string[] = [];
  let end = 0;
  for (let slash = text.indexOf('/'); slash !== -1; slash = text.indexOf('/', end)) {
    let start = slash;
    while (start > end && isPathCharacter(text, start - 1)) start--;
    end = slash + 1;
    while (end < text.length && isPathCharacter(text, end)) end++;
    if (end - start > LONGEST_PATH) continue;
    const path = text.slice(start, end).replace(/^[./]+|[./]+$/g, '');
    if (path.includes('/')) paths.push(path.toLowerCase());
  }
  return paths;
}

function isPathCharacter(text: string, position: number): boolean {
  return PATH_CHARACTER.test(text.charAt(position));
}

/** The parts of a word in lower case, each reduced to a stem. */
export function splitWord(spelling: string): string[] {
  if (spelling.length > LONGEST_WORD) return [spelling.slice(0, LONGEST_WORD)];
  return (spelling.match(PART) ?? []).map((part) => stem(part.toLowerCase()));
}

/** Cuts endings that differ between code and questions: `expired`, `expires` and `expire` become `expir`. */
function stem(part: string): string {
  if (part.length < 4 || !/^[a-z]+$/.test(part)) return part;
  const singular = part.replace(/(?<=..)ies$/, 'y').replace(/(?<=[^su])s$/, '');
  const bare = singular.replace(/(?<=[a-z]{4})(?:ing|ed|er|or|ion)$/, '');
  return bare.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=....)e$/, '');
}

/** Words that are frequent in any code or question: English, and the keywords of common languages. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does doe for from had has have how i if in into is it its ' +
    'me my no not of on or our should so than that the their them then there these they this to was we were what ' +
    'when where which while who why will with would you your use used ' +
    'abstract any array async await bool boolean break case catch char class const continue def default del double ' +
    'elif else end enum except export extends false final finally float fn func function go implements import int ' +
    'interface let long match mut namespace new nil none null number object package pass private protected pub ' +
    'public raise readonly return self static str string struct super switch throw throws true try type typeof ' +
    'undefined use using val var void yield'
  )
    .split(' ')
    .flatMap((word) => [word, stem(word)]),
);
