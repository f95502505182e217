/** Gitignore patterns of what shall not be indexed; with `!` of what shall be in spite of the default rules. */
export const IGNORE_FILE = '.repotideignore';
export const ATTRIBUTES_FILE = '.gitattributes';

/** Names of the files in a tree, at any depth, that say which of its files are indexed. */
export const RULE_FILE_NAMES: readonly string[] = [IGNORE_FILE, ATTRIBUTES_FILE];

/** A rule file of a commit. */
export interface RuleFile {
  path: string;
  blobSha: string;
  text: string;
}

/** Whether a tracked path is a rule file. As in git, a symlink is none. */
export function isRuleFile({ path, mode }: { path: string; mode: string }): boolean {
  return mode.startsWith('100') && RULE_FILE_NAMES.includes(nameOf(path));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
