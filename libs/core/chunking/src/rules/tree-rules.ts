import { createHash } from 'node:crypto';
import { type SkipReason } from '@core/domain';
import { DEFAULT_RULES, SECRET_FILES } from './default-rules.js';
import { GitAttributes } from './git-attributes.js';
import { IgnoreList, ignoreListOf, type IgnoreVerdict } from './ignore-list.js';
import { ATTRIBUTES_FILE, IGNORE_FILE, nameOf, type RuleFile } from './rule-file.js';

/** Why a file stays out of the index; `detail` gives the facts behind the reason. */
export interface SkipVerdict {
  reason: SkipReason;
  detail: string;
}

const LINGUIST = [
  { attribute: 'linguist-generated', reason: 'generated' },
  { attribute: 'linguist-vendored', reason: 'vendored' },
] as const;

/**
 * The rules that a tree brings with it, over those that hold for every tree. In the order of their weight:
 * `.repotideignore` (which may also keep a file in spite of all that follows), `.gitattributes`, the default rules.
 */
export class TreeRules {
  private readonly ignored: IgnoreList;
  private readonly attributes: GitAttributes;

  constructor(
    files: readonly RuleFile[],
    private readonly defaults: readonly DefaultRules[],
  ) {
    this.ignored = ignoreListOf(files.filter(({ path }) => nameOf(path) === IGNORE_FILE));
    this.attributes = new GitAttributes(files.filter(({ path }) => nameOf(path) === ATTRIBUTES_FILE));
  }

  /** Null: no rule keeps the file out. */
  classify(path: string): SkipVerdict | null {
    const verdict = this.ignored.verdictOn(path);
    if (verdict.kind === 'ignored') return { reason: 'ignored', detail: verdict.rule };
    if (verdict.kind === 'kept') return null;
    return this.byAttributes(path) ?? this.byDefaults(path);
  }

  private byAttributes(path: string): SkipVerdict | null {
    for (const { attribute, reason } of LINGUIST) {
      const verdict = this.attributes.verdictOn(path, attribute);
      if (verdict && isYes(verdict.value)) return { reason, detail: verdict.rule };
    }
    // Git itself takes what has no diff for binary. `-text` alone only keeps line ends as they are.
    const diff = this.attributes.verdictOn(path, 'diff');
    return diff?.value === false ? { reason: 'marked_binary', detail: diff.rule } : null;
  }

  private byDefaults(path: string): SkipVerdict | null {
    for (const { reason, list } of this.defaults) {
      const verdict: IgnoreVerdict = list.verdictOn(path);
      if (verdict.kind !== 'ignored' || this.isDenied(path, reason)) continue;
      return { reason, detail: verdict.rule };
    }
    return null;
  }

  /** `-linguist-vendored` says that a path which looks vendored is not. */
  private isDenied(path: string, reason: SkipReason): boolean {
    const linguist = LINGUIST.find((entry) => entry.reason === reason);
    const verdict = linguist && this.attributes.verdictOn(path, linguist.attribute);
    return verdict !== undefined && verdict.value !== null && !isYes(verdict.value);
  }
}

/** `linguist-generated` and `linguist-generated=true` are both in use; so is `=false`. */
function isYes(value: boolean | string | null): boolean {
  return value === true || value === 'true';
}

interface DefaultRules {
  reason: SkipReason;
  list: IgnoreList;
}

/** @param skipSecretFiles whether files that are secrets by their name stay out. */
export function defaultRules(skipSecretFiles: boolean): readonly DefaultRules[] {
  const groups = skipSecretFiles ? [...SECRET_FILES, ...DEFAULT_RULES] : DEFAULT_RULES;
  return groups.map(({ reason, patterns }) => {
    const list = new IgnoreList();
    for (const pattern of patterns) list.add(pattern, `default rule "${pattern}"`);
    return { reason, list };
  });
}

/** Names the rules that a tree brings: equal for equal rule files at equal paths. */
export function ruleFilesFingerprint(files: readonly Pick<RuleFile, 'path' | 'blobSha'>[]): string {
  if (files.length === 0) return 'none';
  const parts = files.map(({ path, blobSha }) => `${path}\0${blobSha}`).sort();
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}
