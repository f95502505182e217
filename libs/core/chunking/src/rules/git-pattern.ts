import { compileWildmatch } from '@core/domain';
import { folderOf, nameOf } from './rule-file.js';

/** A path as the rules of one folder see it. Its characters are bytes, as for git. */
export interface RulePath {
  /** From the rules' folder. */
  relative: string;
  name: string;
  names: readonly string[];
  isFolder: boolean;
}

export type GitPattern = (path: RulePath) => boolean;

/** A pattern of an ignore or attributes file, without its `!`. Null: it never matches. */
export function compileGitPattern(pattern: string): GitPattern | null {
  if (!pattern.endsWith('/')) return compilePath(pattern);
  const matches = compilePath(pattern.slice(0, -1));
  return matches && ((path) => path.isFolder && matches(path));
}

function compilePath(pattern: string): GitPattern | null {
  // Git compares the part before the first wildcard first, so that `**` after it counts as at the beginning.
  const plain = /^[^*?[\\]*/.exec(pattern)?.[0] ?? '';
  if (!pattern.includes('/')) return plain === pattern ? ({ name }) => name === pattern : ofNames(pattern);
  const prefix = plain.replace(/^\//, '');
  const rest = pattern.slice(plain.length);
  if (rest === '') return ({ relative }) => relative === prefix;
  const matches = compileWildmatch(rest);
  if (matches === null) return null;
  if (prefix === '') return ({ names }) => matches(names);
  return ({ relative }) => relative.startsWith(prefix) && matches(relative.slice(prefix.length).split('/'));
}

function ofNames(pattern: string): GitPattern | null {
  const ending = pattern.slice(1);
  if (pattern.startsWith('*') && !/[*?[\\]/.test(ending)) return ({ name }) => name.endsWith(ending);
  const matches = compileWildmatch(pattern);
  return matches && (({ name }) => matches([name]));
}

interface FolderRules<T> {
  folder: string;
  rules: { matches: GitPattern; value: T }[];
  outer: FolderRules<T> | null;
}

/** Rules by the folder whose content they apply to. */
export class RulesByFolder<T> {
  private readonly own = new Map<string, FolderRules<T>['rules']>();
  /** The rules that apply in a folder, found once. */
  private readonly chains = new Map<string, FolderRules<T> | null>();

  /** Later rules win, and those of deeper folders. @param folder with a trailing slash; empty for the root. */
  add(folder: string, pattern: string, value: T): void {
    const matches = compileGitPattern(pattern);
    if (matches === null) return;
    const rules = this.own.get(folder);
    if (rules) rules.push({ matches, value });
    else this.own.set(folder, [{ matches, value }]);
    this.chains.clear();
  }

  /** The rules that match, the one that wins first. @param path in bytes; a folder ends with a slash. */
  *matching(path: string): Generator<T> {
    const isFolder = path.endsWith('/');
    const bare = isFolder ? path.slice(0, -1) : path;
    const name = nameOf(bare);
    for (let chain = this.chainOf(folderOf(bare)); chain !== null; chain = chain.outer) {
      const relative = bare.slice(chain.folder.length);
      const target = { relative, name, names: relative.split('/'), isFolder };
      for (let index = chain.rules.length - 1; index >= 0; index--) {
        const { matches, value } = chain.rules[index]!;
        if (matches(target)) yield value;
      }
    }
  }

  private chainOf(folder: string): FolderRules<T> | null {
    const known = this.chains.get(folder);
    if (known !== undefined) return known;
    const outer = folder === '' ? null : this.chainOf(folderOf(folder.slice(0, -1)));
    const rules = this.own.get(folder);
    const chain = rules ? { folder, rules, outer } : outer;
    this.chains.set(folder, chain);
    return chain;
  }
}
