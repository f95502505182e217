import ignore, { type Ignore } from 'ignore';
import { type RuleFile } from './rule-file.js';
import { folderOf, linesOf } from './line-patterns.js';

/** What a list of patterns says of a path; `rule` names the one that decided. */
export type IgnoreVerdict = { kind: 'ignored' | 'kept'; rule: string } | { kind: 'undecided' };

const UNDECIDED: IgnoreVerdict = { kind: 'undecided' };

/** Gitignore patterns in the order of their weight; of those that match, the last decides. */
export class IgnoreList {
  private readonly list: Ignore = ignore({ ignorecase: false });
  private readonly folders = new Map<string, IgnoreVerdict>();

  /** @param rule names the pattern in a verdict. */
  add(pattern: string, rule: string): void {
    this.list.add({ pattern, mark: rule });
  }

  /** As git decides: an ignored folder is ignored with all that is in it; a kept one keeps what no pattern ignores. */
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

/**
 * One list of all ignore files of a tree. A file's patterns are given its folder as a prefix, and deeper files come
 * later, so that the last match is the one that git would take.
 */
export function ignoreListOf(files: readonly RuleFile[]): IgnoreList {
  const list = new IgnoreList();
  const byDepth = [...files].sort((left, right) => depthOf(left.path) - depthOf(right.path));
  for (const { path, text } of byDepth) {
    for (const { line, text: pattern } of linesOf(text)) {
      const placed = inFolder(pattern, folderOf(path));
      if (placed !== null) list.add(placed, `${path} line ${line}: "${pattern.trim()}"`);
    }
  }
  return list;
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** The pattern as it would be written in the root's file; null for a blank or a comment. */
function inFolder(pattern: string, folder: string): string | null {
  if (pattern.trim() === '' || pattern.startsWith('#')) return null;
  if (folder === '') return pattern;
  const [, negation = '', body = ''] = /^(!?)(.*)$/s.exec(pattern) ?? [];
  const isAnchored = body.replace(/\/\s*$/, '').includes('/');
  const prefix = `/${folder.replace(/[\\*?[\]]/g, '\\$&')}`;
  return `${negation}${prefix}${isAnchored ? '' : '**/'}${body.replace(/^\//, '')}`;
}
