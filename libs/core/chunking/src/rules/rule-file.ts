/** Gitignore patterns of files that are not indexed; with `!`, of files that are indexed despite the default rules. */
export const IGNORE_FILE = '.repotideignore';
export const ATTRIBUTES_FILE = '.gitattributes';

/** Names of the files, in any folder of a tree, that decide which of its files are indexed. */
export const RULE_FILE_NAMES: readonly string[] = [IGNORE_FILE, ATTRIBUTES_FILE];

/** A rule file of a commit. */
export interface RuleFile {
  path: string;
  blobSha: string;
  text: string;
}

/** Whether a tracked path is a rule file. As in git, a symlink is not. */
export function isRuleFile({ path, mode }: { path: string; mode: string }): boolean {
  return mode.startsWith('100') && RULE_FILE_NAMES.includes(nameOf(path));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a path, with a trailing slash; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Rules of deeper files come later: of the rules that match a path, the last one decides. */
export function byDepth(files: readonly RuleFile[]): RuleFile[] {
  const depthOf = ({ path }: RuleFile): number => path.split('/').length;
  return [...files].sort((left, right) => depthOf(left) - depthOf(right));
}

/** Numbered lines as git reads them: without byte order mark and carriage returns. */
export function linesOf(text: string): { line: number; text: string }[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.replace(/\r$/, '') }));
}
