import picomatch from 'picomatch';
import { byDepth, folderOf, linesOf, nameOf, type RuleFile } from './rule-file.js';

/** `true`: set, `false`: unset (`-name`), null: unspecified (`!name`), text: `name=text`. */
type AttributeValue = boolean | string | null;

interface AttributeRule {
  matches: (path: string) => boolean;
  values: ReadonlyMap<string, AttributeValue>;
  /** Human-readable, e.g. `.gitattributes line 3: "*.dat binary"`. */
  rule: string;
}

/** The value of one attribute of a path, and the rule that set it. */
export interface AttributeVerdict {
  value: AttributeValue;
  rule: string;
}

type Macros = Map<string, ReadonlyMap<string, AttributeValue>>;

/** Git's built-in macro. */
const BINARY = new Map<string, AttributeValue>([
  ['binary', true],
  ['diff', false],
  ['merge', false],
  ['text', false],
]);

/** Attributes of paths from the `.gitattributes` files of a tree. */
export class GitAttributes {
  private readonly rules: readonly AttributeRule[];

  constructor(files: readonly RuleFile[]) {
    const macros: Macros = new Map([['binary', BINARY]]);
    this.rules = byDepth(files).flatMap((file) => rulesOf(file, macros));
  }

  /** Undefined when no rule sets the attribute. */
  verdictOn(path: string, attribute: string): AttributeVerdict | undefined {
    for (let index = this.rules.length - 1; index >= 0; index--) {
      const { matches, values, rule } = this.rules[index]!;
      const value = values.get(attribute);
      if (value !== undefined && matches(path)) return { value, rule };
    }
    return undefined;
  }
}

function rulesOf({ path, text }: RuleFile, macros: Macros): AttributeRule[] {
  const folder = folderOf(path);
  return linesOf(text).flatMap(({ line, text: source }) => {
    const [pattern, attributes] = splitLine(source);
    if (pattern === '' || pattern.startsWith('#')) return [];
    const values = valuesOf(attributes, macros);
    if (pattern.startsWith('[attr]')) {
      // Git reads macros only from the root's file.
      if (folder === '') macros.set(pattern.slice('[attr]'.length), values);
      return [];
    }
    const matches = matcherOf(pattern, folder);
    return matches === null ? [] : [{ matches, values, rule: `${path} line ${line}: "${source.trim()}"` }];
  });
}

/** A pattern with spaces is quoted, with escapes as in C. */
function splitLine(source: string): [pattern: string, attributes: string[]] {
  const line = source.trim();
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
  if (quoted === undefined) {
    const [pattern = '', ...attributes] = line.split(/[ \t]+/);
    return [pattern, attributes];
  }
  const attributes = line
    .slice(quoted.length)
    .split(/[ \t]+/)
    .filter((word) => word !== '');
  return [unquote(quoted.slice(1, -1)), attributes];
}

const ESCAPES = new Map([...'ntrabfv'].map((letter, index) => [letter, '\n\t\r\x07\b\f\v'[index]!]));

function unquote(text: string): string {
  return text.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
    octal === undefined ? (ESCAPES.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function valuesOf(words: readonly string[], macros: Macros): Map<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const word of words) {
    const [, sign = '', name = '', text] = /^([-!]?)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = sign === '-' ? false : sign === '!' ? null : (text ?? true);
    values.set(name, value);
    // A macro that is set sets its attributes; unset, it changes nothing.
    if (value === true)
      for (const [inner, innerValue] of macros.get(name) ?? []) values.set(inner, innerValue);
  }
  return values;
}

/** Like gitignore, but a folder's rule does not apply to its files, and there is no negation. Null: never matches. */
function matcherOf(pattern: string, folder: string): ((path: string) => boolean) | null {
  if (pattern.startsWith('!') || pattern.endsWith('/')) return null;
  const isOfName = !pattern.includes('/');
  // For git, `**` at the end matches only the folder's files; for picomatch also the folder.
  const glob = pattern.replace(/^\//, '').replace(/(^|\/)\*\*$/, '$1**/*');
  const plain = { nobrace: true, noextglob: true, nonegate: true };
  const matchesGlob = picomatch(glob, { ...plain, dot: true, posix: true, windows: false });
  return (path) => {
    if (!path.startsWith(folder)) return false;
    return matchesGlob(isOfName ? nameOf(path) : path.slice(folder.length));
  };
}
