/** Letters after a backslash that stand for a set or a place, not for a character. */
const SETS = new Set('dDsSwWbBAz');
/** What may follow a character so that it need not occur. */
const OPTIONAL = new Set('*?{');

/**
 * Texts that each match of a regular expression contains, in their order. Leaves out whatever is not certain: a pattern
 * with alternatives or flags has none.
 */
export function literalRuns(pattern: string): string[] {
  if (/\||\(\?|\\[QEpPxCK0-9]/.test(pattern)) return [];
  const runs: string[] = [];
  let run = '';
  const end = () => {
    if (run !== '') runs.push(run);
    run = '';
  };
  for (let position = 0; position < pattern.length;) {
    const { literal, next } = itemAt(pattern, position);
    const after = pattern[next] ?? '';
    if (literal === null) end();
    else if (OPTIONAL.has(after)) end();
    else run += literal;
    // What a repetition matches is not followed by the next character everywhere.
    if (after === '+') end();
    position = afterQuantifier(pattern, next);
  }
  end();
  return runs;
}

interface Item {
  /** Null: a set, a group or a place. */
  literal: string | null;
  next: number;
}

function itemAt(pattern: string, position: number): Item {
  const letter = String.fromCodePoint(pattern.codePointAt(position)!);
  if (letter === '[') return { literal: null, next: afterSet(pattern, position) };
  if (letter === '(') return { literal: null, next: afterGroup(pattern, position) };
  if (letter === '\\') return escapeAt(pattern, position + 1);
  return { literal: '.^$'.includes(letter) ? null : letter, next: position + letter.length };
}

function escapeAt(pattern: string, position: number): Item {
  const letter = pattern[position] ?? '';
  const isLiteral = letter !== '' && !/[A-Za-z]/.test(letter);
  const next = position + 1;
  if (isLiteral) return { literal: letter, next };
  const character = { n: '\n', t: '\t' }[letter];
  return { literal: SETS.has(letter) ? null : (character ?? null), next };
}

function afterSet(pattern: string, open: number): number {
  let position = open + 1;
  if (pattern[position] === '^') position += 1;
  // A bracket at the first place is a member.
  if (pattern[position] === ']') position += 1;
  while (position < pattern.length && pattern[position] !== ']') {
    if (pattern[position] === '\\') position += 2;
    else if (pattern.startsWith('[:', position))
      position = pattern.indexOf(':]', position) + 2 || pattern.length;
    else position += 1;
  }
  return position + 1;
}

function afterGroup(pattern: string, open: number): number {
  let position = open + 1;
  while (position < pattern.length && pattern[position] !== ')') position = itemAt(pattern, position).next;
  return position + 1;
}

function afterQuantifier(pattern: string, position: number): number {
  const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(position, position + 20));
  return position + (quantifier?.[0].length ?? 0);
}
