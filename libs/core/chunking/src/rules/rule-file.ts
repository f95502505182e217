import { type RuleWarning, type TreeEntry } from '@core/domain';
import { bytesAsText, pathBytesAsText } from './bytes-as-text.js';

/** Gitignore patterns of files that are not indexed; with `!`, of files that are indexed despite the default rules. */
const IGNORE_FILE = '.repotideignore';
const ATTRIBUTES_FILE = '.gitattributes';

/** Names of the files, in any folder of a tree, that decide which of its files are indexed. */
export const RULE_FILE_NAMES: readonly string[] = [IGNORE_FILE, ATTRIBUTES_FILE];

/** What a tree may spend on rules; what is beyond has no effect, and is named by a warning. */
export const RULE_LIMITS = {
  files: 300,
  fileBytes: 131_072,
  /** In all rule files together. */
  rules: 2_000,
  /** As git's own limit for attributes. */
  ruleBytes: 2_048,
  macros: 20,
} as const;

/** A rule file of a commit. */
export interface RuleFile {
  path: string;
  blobSha: string;
  /** Null: larger than `RULE_LIMITS.fileBytes`. */
  text: string | null;
}

/** A line that may be a rule. Its characters are bytes, as for git. */
export interface RuleLine {
  path: string;
  line: number;
  /** The folder whose content it applies to, with a trailing slash; empty for the root. */
  folder: string;
  text: string;
  /** For people, e.g. `.gitattributes line 3: "*.dat binary"`. */
  rule: string;
}

export interface RuleLines {
  ignores: RuleLine[];
  attributes: RuleLine[];
  warnings: RuleWarning[];
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
function byDepth<T extends { path: string }>(files: readonly T[]): T[] {
  const depthOf = ({ path }: T): number => path.split('/').length;
  const order = (left: T, right: T) => depthOf(left) - depthOf(right) || (left.path < right.path ? -1 : 1);
  return [...files].sort(order);
}

/** The rule files of a tree that are read: those nearest to the root. */
export function chooseRuleFiles(entries: readonly TreeEntry[]): {
  read: TreeEntry[];
  warnings: RuleWarning[];
} {
  const ordered = byDepth(entries);
  const read = ordered.slice(0, RULE_LIMITS.files);
  const more = ordered.length - read.length;
  if (more === 0) return { read, warnings: [] };
  const { path } = ordered[RULE_LIMITS.files]!;
  const message = `this and ${more - 1} more rule files have no effect: a tree may have ${RULE_LIMITS.files}`;
  return { read, warnings: [{ code: 'rule_file_ignored', path, line: null, message }] };
}

/** The lines of all rule files within the limits. */
export function ruleLinesOf(files: readonly RuleFile[]): RuleLines {
  const found: RuleLines = { ignores: [], attributes: [], warnings: [] };
  for (const file of byDepth(files)) {
    const warn = (code: RuleWarning['code'], line: number | null, message: string) =>
      found.warnings.push({ code, path: file.path, line, message });
    if (file.text === null || Buffer.byteLength(file.text) > RULE_LIMITS.fileBytes) {
      warn('rule_file_ignored', null, `it is larger than ${RULE_LIMITS.fileBytes} bytes and has no effect`);
    } else {
      readLines(found, file, file.text, warn);
    }
  }
  return found;
}

type Warn = (code: RuleWarning['code'], line: number | null, message: string) => void;

function readLines(found: RuleLines, { path }: RuleFile, text: string, warn: Warn): void {
  const isIgnoreFile = nameOf(path) === IGNORE_FILE;
  const lines = isIgnoreFile ? found.ignores : found.attributes;
  const folder = pathBytesAsText(folderOf(path));
  const tooLong: number[] = [];
  const notText: number[] = [];
  // As git reads them: without byte order mark and carriage returns.
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = index + 1;
    const shown = raw.replace(/\r$/, '');
    if (shown.trim() === '' || (isIgnoreFile ? shown : shown.trimStart()).startsWith('#')) continue;
    const bytes = bytesAsText(shown);
    if (bytes.length >= RULE_LIMITS.ruleBytes) tooLong.push(line);
    else if (/[\0\uFFFD]/.test(shown)) notText.push(line);
    else if (found.ignores.length + found.attributes.length >= RULE_LIMITS.rules) {
      warn(
        'rule_ignored',
        line,
        `the rules from here on have no effect: a tree may have ${RULE_LIMITS.rules} rules`,
      );
      break;
    } else {
      lines.push({ path, line, folder, text: bytes, rule: `${path} line ${line}: "${shortened(shown)}"` });
    }
  }
  const limit = RULE_LIMITS.ruleBytes;
  if (tooLong.length > 0) warn('rule_ignored', tooLong[0]!, `${countOf(tooLong)} longer than ${limit} bytes`);
  if (notText.length > 0) warn('rule_ignored', notText[0]!, `${countOf(notText)} not UTF-8 text`);
}

function countOf(lines: readonly number[]): string {
  return lines.length === 1
    ? 'this rule has no effect: it is'
    : `${lines.length} rules have no effect: they are`;
}

/** A rule is shown with each file that it excludes. */
function shortened(line: string): string {
  const text = line.trim();
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
