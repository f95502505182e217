import picomatch from 'picomatch';
import { RepotideError, type TreeEntry } from '@core/domain';
import { type RuleFile } from './rules/rule-file.js';
import { defaultRules, TreeRules, type SkipVerdict } from './rules/tree-rules.js';

export interface FileRuleSettings {
  /** picomatch syntax on the whole path; an empty list includes everything. */
  includeGlobs: readonly string[];
  /** Wins over `includeGlobs`. */
  excludeGlobs: readonly string[];
}

interface CompiledGlob {
  glob: string;
  matches: (path: string) => boolean;
}

/** Compiled globs of one repository; build once per run. */
export interface FileRules {
  readonly include: readonly CompiledGlob[];
  readonly exclude: readonly CompiledGlob[];
  readonly tree: TreeRules;
}

/** Rules beside the repository's settings. */
export interface RuleSources {
  /** The rule files of the commit. */
  ruleFiles?: readonly RuleFile[];
  /** Whether to exclude files whose name shows that they are secrets. Default: true. */
  skipSecretFiles?: boolean;
}

const SYMLINK_MODE = '120000';
const SUBMODULE_MODE = '160000';

/** @throws invalid `glob_invalid`; also for globs that can never match (negated, or with a slash at either end). */
export function compileFileRules(
  { includeGlobs, excludeGlobs }: FileRuleSettings,
  { ruleFiles = [], skipSecretFiles = true }: RuleSources = {},
): FileRules {
  return {
    tree: new TreeRules(ruleFiles, defaultRules(skipSecretFiles)),
    include: includeGlobs.map((glob) => compileGlob(glob, 'include_globs')),
    exclude: excludeGlobs.map((glob) => compileGlob(glob, 'exclude_globs')),
  };
}

/** Decides by mode and path: first the repository's settings, then its tree's rules. Null: the content decides. */
export function classifyPath(entry: TreeEntry, rules: FileRules): SkipVerdict | null {
  if (entry.mode === SUBMODULE_MODE) return { reason: 'submodule', detail: `at commit ${entry.blobSha}` };
  if (entry.mode === SYMLINK_MODE) return { reason: 'symlink', detail: `mode ${SYMLINK_MODE}` };
  const excludedBy = rules.exclude.find(({ matches }) => matches(entry.path));
  if (excludedBy !== undefined) return { reason: 'excluded', detail: `matches "${excludedBy.glob}"` };
  if (rules.include.length > 0 && !rules.include.some(({ matches }) => matches(entry.path))) {
    return { reason: 'not_included', detail: `matches none of ${rules.include.length} include globs` };
  }
  return rules.tree.classify(entry.path);
}

function compileGlob(glob: string, setting: string): CompiledGlob {
  const fault = faultOf(glob);
  if (fault !== null) throw globInvalid(glob, setting, fault);
  try {
    // debug: otherwise picomatch turns a broken expression into one that matches nothing.
    // windows: git paths have forward slashes on every platform.
    const matches = picomatch(glob, { dot: true, strictBrackets: true, debug: true, windows: false });
    return { glob, matches: (path) => matches(path) };
  } catch (cause) {
    throw globInvalid(glob, setting, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function faultOf(glob: string): string | null {
  if (glob.trim() === '') return 'it is empty';
  if (/^!(?!\()/.test(glob)) return 'it is negated; write it without "!" in the other list';
  if (glob.startsWith('/')) return 'paths begin without a slash; remove the first one';
  if (glob.endsWith('/')) return `it names a folder, and only files are matched; write "${glob}**"`;
  return null;
}

function globInvalid(glob: string, setting: string, fault: string, cause?: unknown): RepotideError {
  const message = `Invalid glob "${glob}" in ${setting}: ${fault}. Expected e.g. "src/**/*.ts" or "**/*.md".`;
  return new RepotideError('invalid', 'glob_invalid', message, { cause, details: { glob, setting } });
}
