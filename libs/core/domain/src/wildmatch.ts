/**
 * Git's wildcards (`*`, `?`, `[...]`, and `**` for whole folders) in linear time: a match costs at most the length of the
 * path times the length of the pattern, whatever both contain. A regular expression would backtrack.
 *
 * Between two stars, the first place that matches is the best one: it leaves the most to the rest. The same is true of
 * the folders between two `**`. So nothing is ever tried twice.
 */
export type Wildmatch = (names: readonly string[]) => boolean;

/** Inclusive ranges of character codes. */
interface CharacterSet {
  negated: boolean;
  ranges: (readonly [first: number, last: number])[];
}
/** One character: its code, or a set. */
type Character = number | CharacterSet;

/** The characters between two stars. */
interface Piece {
  characters: readonly Character[];
  /** The same as text when there is no set in it. */
  literal: string | null;
}

/** The pattern of one name in a path: its pieces, with a star between each two. */
type NamePattern = readonly Piece[];

/** Consecutive names of a path that follow a `**`, or the beginning. */
interface NameRun {
  names: NamePattern[];
  /** Fewest names that the `**` before it stands for. */
  skip: number;
}

const STAR = '*';
const ANY: CharacterSet = { negated: true, ranges: [] };

/** @returns null for a pattern that never matches, such as one with an open bracket. Takes the names of a path. */
export function compileWildmatch(pattern: string): Wildmatch | null {
  const runs = parse(pattern);
  if (runs === null) return null;
  const head = runs[0]!;
  if (runs.length === 1) {
    return (names) => names.length === head.names.length && matchesAt(head, names, 0);
  }
  const last = runs[runs.length - 1]!;
  const between = runs.slice(1, -1);
  return (names) => {
    if (!matchesAt(head, names, 0)) return false;
    const position = positionAfter(between, names, head.names.length);
    const start = names.length - last.names.length;
    return position !== null && start >= position + last.skip && matchesAt(last, names, start);
  };
}

/** Finds each run after the one before it; null when one is missing. */
function positionAfter(runs: readonly NameRun[], names: readonly string[], from: number): number | null {
  let position = from;
  for (const run of runs) {
    position += run.skip;
    while (!matchesAt(run, names, position)) {
      position++;
      if (position + run.names.length > names.length) return null;
    }
    position += run.names.length;
  }
  return position;
}

function matchesAt(run: NameRun, names: readonly string[], start: number): boolean {
  if (start + run.names.length > names.length) return false;
  return run.names.every((pattern, index) => matchesName(pattern, names[start + index]!));
}

function matchesName(pieces: NamePattern, name: string): boolean {
  const head = pieces[0]!;
  if (!pieceIsAt(head, name, 0)) return false;
  let position = head.characters.length;
  if (pieces.length === 1) return position === name.length;
  const last = pieces[pieces.length - 1]!;
  const end = name.length - last.characters.length;
  if (end < position || !pieceIsAt(last, name, end)) return false;
  for (let index = 1; index < pieces.length - 1; index++) {
    const found = findPiece(pieces[index]!, name, position);
    if (found < 0) return false;
    position = found + pieces[index]!.characters.length;
  }
  return position <= end;
}

function findPiece(piece: Piece, name: string, from: number): number {
  if (piece.literal !== null) return name.indexOf(piece.literal, from);
  const end = name.length - piece.characters.length;
  for (let start = from; start <= end; start++) {
    if (pieceIsAt(piece, name, start)) return start;
  }
  return -1;
}

function pieceIsAt({ characters, literal }: Piece, name: string, start: number): boolean {
  if (literal !== null) return name.startsWith(literal, start);
  if (start + characters.length > name.length) return false;
  return characters.every((character, index) => isOne(character, name.charCodeAt(start + index)));
}

function isOne(character: Character, code: number): boolean {
  if (typeof character === 'number') return character === code;
  return character.ranges.some(([first, last]) => code >= first && code <= last) !== character.negated;
}

function parse(pattern: string): NameRun[] | null {
  const runs: NameRun[] = [{ names: [], skip: 0 }];
  for (let position = 0; ;) {
    const folders = foldersAt(pattern, position);
    if (folders !== null) {
      runs.push({ names: [], skip: folders.skip });
      if (folders.end > pattern.length) return runs;
      position = folders.end;
      continue;
    }
    const name = parseName(pattern, position);
    if (name === null) return null;
    runs[runs.length - 1]!.names.push(name.pieces);
    if (name.end > pattern.length) return runs;
    position = name.end;
  }
}

/** A `**` that stands for whole folders. For git, it stands for at least one when its slash is escaped. */
function foldersAt(pattern: string, start: number): { skip: number; end: number } | null {
  let end = start;
  while (pattern[end] === STAR) end++;
  if (end - start < 2) return null;
  if (end === pattern.length) return { skip: 1, end: end + 1 };
  if (pattern[end] === '/') return { skip: 0, end: end + 1 };
  return pattern.startsWith('\\/', end) ? { skip: 1, end: end + 2 } : null;
}

/** @returns the position after the slash that ends the name; null when the pattern never matches. */
function parseName(pattern: string, start: number): { pieces: NamePattern; end: number } | null {
  const pieces: Character[][] = [[]];
  let position = start;
  for (; position < pattern.length && pattern[position] !== '/'; position++) {
    const letter = pattern[position];
    if (letter === STAR) {
      if (position === start || pattern[position - 1] !== STAR || pieces.at(-1)!.length > 0) pieces.push([]);
      continue;
    }
    if (letter === '\\') {
      position++;
      if (position === pattern.length) return null;
      if (pattern[position] === '/') break;
    }
    const set = letter === '[' ? parseSet(pattern, position) : null;
    if (letter === '[' && set === null) return null;
    pieces.at(-1)!.push(letter === '?' ? ANY : (set?.set ?? pattern.charCodeAt(position)));
    position = set?.end ?? position;
  }
  return { pieces: pieces.map(pieceOf), end: position + 1 };
}

function pieceOf(characters: Character[]): Piece {
  const codes = characters.filter((character) => typeof character === 'number');
  const isLiteral = codes.length === characters.length;
  return { characters, literal: isLiteral ? String.fromCharCode(...codes) : null };
}

/** Character classes as git knows them: of ASCII only, and without the vertical tab among the spaces. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '\t\t  ',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\n\r\r  ',
  upper: 'AZ',
  xdigit: '09AFaf',
};

/** Reads `[...]` as git does. @returns null when it is malformed. */
function parseSet(pattern: string, open: number): { set: CharacterSet; end: number } | null {
  const negated = pattern[open + 1] === '!' || pattern[open + 1] === '^';
  const set: CharacterSet = { negated, ranges: [] };
  let position = open + (negated ? 2 : 1);
  /** Where a range may begin; null at the beginning and after a range. */
  let previous: number | null = null;
  do {
    const letter = pattern[position];
    let code = pattern.charCodeAt(letter === '\\' ? ++position : position);
    if (
      letter === '-' &&
      previous !== null &&
      position + 1 < pattern.length &&
      pattern[position + 1] !== ']'
    ) {
      code = pattern.charCodeAt(pattern[++position] === '\\' ? ++position : position);
      if (previous <= code) set.ranges.push([previous, code]);
      previous = null;
    } else {
      const close = letter === '[' && pattern[position + 1] === ':' ? pattern.indexOf(']', position + 2) : 0;
      if (close < 0) return null;
      if (close > position + 2 && pattern[close - 1] === ':') {
        const ends = CLASSES[pattern.slice(position + 2, close - 1)];
        if (ends === undefined) return null;
        for (let at = 0; at < ends.length; at += 2) {
          set.ranges.push([ends.charCodeAt(at), ends.charCodeAt(at + 1)]);
        }
        position = close;
        previous = null;
      } else {
        set.ranges.push([code, code]);
        previous = code;
      }
    }
    if (Number.isNaN(code)) return null;
    position++;
  } while (pattern[position] !== ']');
  return { set, end: position };
}
