import { pathBytesAsText } from './bytes-as-text.js';
import { RulesByFolder } from './git-pattern.js';
import { folderOf, type RuleLine } from './rule-file.js';

/** The result for a path; `rule` is the pattern that decided. */
export type IgnoreVerdict = { kind: 'ignored' | 'kept'; rule: string } | { kind: 'undecided' };

const UNDECIDED: IgnoreVerdict = { kind: 'undecided' };

/** Gitignore patterns: of those that match, the last one decides, unless a folder of the path is ignored. */
export class IgnoreList {
  private readonly rules = new RulesByFolder<IgnoreVerdict>();
  private readonly folders = new Map<string, IgnoreVerdict>();

  /** @param rule the pattern's name in a verdict. @param folder whose content it applies to. */
  add(pattern: string, rule: string, folder = ''): void {
    const kind = pattern.startsWith('!') ? 'kept' : 'ignored';
    this.rules.add(folder, kind === 'kept' ? pattern.slice(1) : pattern, { kind, rule });
  }

  /** Decides like git: a path that no rule matches gets the verdict of its folder. */
  verdictOn(path: string): IgnoreVerdict {
    return this.verdict(pathBytesAsText(path));
  }

  private verdict(path: string): IgnoreVerdict {
    const folder = folderOf(path.endsWith('/') ? path.slice(0, -1) : path);
    const inherited = folder === '' ? UNDECIDED : this.verdictOnFolder(folder);
    if (inherited.kind === 'ignored') return inherited;
    const [own] = this.rules.matching(path);
    return own ?? inherited;
  }

  private verdictOnFolder(folder: string): IgnoreVerdict {
    const known = this.folders.get(folder) ?? this.verdict(folder);
    this.folders.set(folder, known);
    return known;
  }
}

/** One list of all lines of a tree's ignore files. */
export function ignoreListOf(lines: readonly RuleLine[]): IgnoreList {
  const list = new IgnoreList();
  for (const { folder, text, rule } of lines) {
    const pattern = withoutTrailingSpaces(text);
    if (pattern !== '' && !pattern.startsWith('#')) list.add(pattern, rule, folder);
  }
  return list;
}

/** Spaces at the end count only when they are escaped. */
function withoutTrailingSpaces(text: string): string {
  let end = 0;
  for (let position = 0; position < text.length; position++) {
    if (text[position] === ' ') continue;
    if (text[position] === '\\') position++;
    end = position + 1;
  }
  return text.slice(0, end);
}
