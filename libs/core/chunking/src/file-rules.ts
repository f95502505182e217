import { compileGlob, type Glob, type TreeEntry } from '@core/domain';
import { type RuleFile } from './rules/rule-file.js';
import { secretInPath } from './secrets/screen-text.js';
import { defaultRules, TreeRules, type SkipVerdict } from './rules/tree-rules.js';

export interface FileRuleSettings {
  /** Matched with the whole path; an empty list includes everything. */
  includeGlobs: readonly string[];
  /** Wins over `includeGlobs`. */
  excludeGlobs: readonly string[];
}

interface CompiledGlob {
  glob: string;
  matches: Glob;
}

/** Compiled globs of one repository; build once per run. */
export interface FileRules {
  readonly include: readonly CompiledGlob[];
  readonly exclude: readonly CompiledGlob[];
  readonly tree: TreeRules;
  /** Whether a path that contains a secret excludes its file. */
  readonly screensPaths: boolean;
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
    screensPaths: skipSecretFiles,
    tree: new TreeRules(ruleFiles, defaultRules(skipSecretFiles)),
    include: compiled(includeGlobs, 'include_globs'),
    exclude: compiled(excludeGlobs, 'exclude_globs'),
  };
}

/** Decides by mode and path: first the repository's settings, then its tree's rules. Null: the content decides. */
export function classifyPath(entry: TreeEntry, rules: FileRules): SkipVerdict | null {
  // First, because no other rule may bring the path into the index, or name it in a reason.
  const secret = rules.screensPaths ? secretInPath(entry.path) : null;
  if (secret !== null) return { reason: 'secret', detail: `the path contains a secret: ${secret}` };
  if (entry.mode === SUBMODULE_MODE) return { reason: 'submodule', detail: `at commit ${entry.blobSha}` };
  if (entry.mode === SYMLINK_MODE) return { reason: 'symlink', detail: `mode ${SYMLINK_MODE}` };
  const excludedBy = rules.exclude.find(({ matches }) => matches(entry.path));
  if (excludedBy !== undefined) return { reason: 'excluded', detail: `matches "${excludedBy.glob}"` };
  if (rules.include.length > 0 && !rules.include.some(({ matches }) => matches(entry.path))) {
    return { reason: 'not_included', detail: `matches none of ${rules.include.length} include globs` };
  }
  return rules.tree.classify(entry.path);
}

function compiled(globs: readonly string[], setting: string): CompiledGlob[] {
  return globs.map((glob) => ({ glob, matches: compileGlob(glob, setting) }));
}
