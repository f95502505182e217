import ignore, { type Ignore } from 'ignore';
import { byDepth, folderOf, linesOf, type RuleFile } from './rule-file.js';

/** The result for a path; `rule` is the pattern that decided. */
export type IgnoreVerdict = { kind: 'ignored' | 'kept'; rule: string } | { kind: 'undecided' };

const UNDECIDED: IgnoreVerdict = { kind: 'undecided' };

/** Gitignore patterns: of those that match, the last one decides. */
export class IgnoreList {
  private readonly list: Ignore = ignore({ ignorecase: false });
  private readonly folders = new Map<string, IgnoreVerdict>();

  /** @param rule the pattern's name in a verdict. */
  add(pattern: string, rule: string): void {
    this.list.add({ pattern, mark: rule });
  }

  /** Decides like git: a path without a match of its own gets the verdict of its folder. */
  verdictOn(path: string): IgnoreVerdict {
    const { ignored, unignored, rule } = this.list.test(path);
    if (ignored) return { kind: 'ignored', rule: rule?.mark ?? '' };
    if (unignored) return { kind: 'kept', rule: rule?.mark ?? '' };
    const folder = folderOf(path.replace(/\/$/, ''));
    return folder === '' ? UNDECIDED : this.verdictOnFolder(folder);
  }

  private verdictOnFolder(folder: string): IgnoreVerdict {
    const known = this.folders.get(folder) ?? this.verdictOn(folder);
    this.folders.set(folder, known);
    return known;
  }
}

/** One list of all ignore files of a tree: each pattern is prefixed with its file's folder; deeper files come later. */
export function ignoreListOf(files: readonly RuleFile[]): IgnoreList {
  const list = new IgnoreList();
  for (const { path, text } of byDepth(files)) {
    for (const { line, text: pattern } of linesOf(text)) {
      const placed = inFolder(pattern, folderOf(path));
      if (placed !== null) list.add(placed, `${path} line ${line}: "${pattern.trim()}"`);
    }
  }
  return list;
}

/** The equivalent pattern for the root folder; null for an empty line or a comment. */
function inFolder(pattern: string, folder: string): string | null {
  if (pattern.trim() === '' || pattern.startsWith('#')) return null;
  if (folder === '') return pattern;
  const [, negation = '', body = ''] = /^(!?)(.*)$/s.exec(pattern) ?? [];
  const isAnchored = body.replace(/\/\s*$/, '').includes('/');
  const prefix = `/${folder.replace(/[\\*?[\]]/g, '\\$&')}`;
  return `${negation}${prefix}${isAnchored ? '' : '**/'}${body.replace(/^\//, '')}`;
}
