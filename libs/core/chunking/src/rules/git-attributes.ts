import picomatch from 'picomatch';
import { folderOf, linesOf } from './line-patterns.js';
import { nameOf, type RuleFile } from './rule-file.js';

/** `true`: set, `false`: unset (`-name`), null: unspecified (`!name`), text: `name=text`. */
type AttributeValue = boolean | string | null;

interface AttributeRule {
  matches: (path: string) => boolean;
  values: ReadonlyMap<string, AttributeValue>;
  /** For people, e.g. `.gitattributes line 3: "*.dat binary"`. */
  rule: string;
}

/** What is said of one attribute of a path, and where. */
export interface AttributeVerdict {
  value: AttributeValue;
  rule: string;
}

type Macros = Map<string, ReadonlyMap<string, AttributeValue>>;

/** Git's own macro. */
const BINARY = new Map<string, AttributeValue>([
  ['binary', true],
  ['diff', false],
  ['merge', false],
  ['text', false],
]);

/** Attributes of paths as the `.gitattributes` files of a tree give them. */
export class GitAttributes {
  /** Those of deeper files last: of the rules that match, the last decides. */
  private readonly rules: readonly AttributeRule[];

  constructor(files: readonly RuleFile[]) {
    const byDepth = [...files].sort((left, right) => depthOf(left.path) - depthOf(right.path));
    const macros: Macros = new Map([['binary', BINARY]]);
    this.rules = byDepth.flatMap((file) => rulesOf(file, macros));
  }

  /** Undefined when nothing is said of it. */
  verdictOn(path: string, attribute: string): AttributeVerdict | undefined {
    for (let index = this.rules.length - 1; index >= 0; index--) {
      const { matches, values, rule } = this.rules[index]!;
      const value = values.get(attribute);
      if (value !== undefined && matches(path)) return { value, rule };
    }
    return undefined;
  }
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function rulesOf({ path, text }: RuleFile, macros: Macros): AttributeRule[] {
  const folder = folderOf(path);
  return linesOf(text).flatMap(({ line, text: source }) => {
    const [pattern, attributes] = splitLine(source);
    if (pattern === '' || pattern.startsWith('#')) return [];
    const values = valuesOf(attributes, macros);
    if (pattern.startsWith('[attr]')) {
      // Git takes macros from the root's file alone.
      if (folder === '') macros.set(pattern.slice('[attr]'.length), values);
      return [];
    }
    const matches = matcherOf(pattern, folder);
    return matches === null ? [] : [{ matches, values, rule: `${path} line ${line}: "${source.trim()}"` }];
  });
}

/** A pattern with blanks in it stands in quotes, written as in C. */
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

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

function unquote(text: string): string {
  return text.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
    octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function valuesOf(words: readonly string[], macros: Macros): Map<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const word of words) {
    const [, sign = '', name = '', text] = /^([-!]?)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = sign === '-' ? false : sign === '!' ? null : (text ?? true);
    values.set(name, value);
    // A macro that is set brings its attributes; unset, it says nothing of them.
    if (value === true)
      for (const [inner, innerValue] of macros.get(name) ?? []) values.set(inner, innerValue);
  }
  return values;
}

/** Like gitignore, but a folder's rule says nothing of its files and there is no negation. Null: matches nothing. */
function matcherOf(pattern: string, folder: string): ((path: string) => boolean) | null {
  if (pattern.startsWith('!') || pattern.endsWith('/')) return null;
  const isOfName = !pattern.includes('/');
  // At its end `**` means what is inside, for git; for picomatch also the folder itself.
  const glob = pattern.replace(/^\//, '').replace(/(^|\/)\*\*$/, '$1**/*');
  const matchesGlob = picomatch(glob, {
    dot: true,
    nobrace: true,
    noextglob: true,
    nonegate: true,
    posix: true,
    windows: false,
  });
  return (path) => {
    if (!path.startsWith(folder)) return false;
    return matchesGlob(isOfName ? nameOf(path) : path.slice(folder.length));
  };
}
