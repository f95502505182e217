import { type RuleWarning, type SkipReason } from '@core/domain';
import { shortHash } from '../hash.js';
import { DEFAULT_RULES, SECRET_FILES } from './default-rules.js';
import { GitAttributes, type AttributeVerdict } from './git-attributes.js';
import { IgnoreList, ignoreListOf } from './ignore-list.js';
import { ruleLinesOf, type RuleFile } from './rule-file.js';

/** Why a file is not indexed; `detail` has the facts. */
export interface SkipVerdict {
  reason: SkipReason;
  detail: string;
}

const LINGUIST = [
  { attribute: 'linguist-generated', reason: 'generated' },
  { attribute: 'linguist-vendored', reason: 'vendored' },
] as const;

/** Git treats files without diff as binary. `-text` alone only keeps line endings. */
const DIFF = 'diff';
const READ_ATTRIBUTES = [...LINGUIST.map(({ attribute }) => attribute), DIFF];

type Attributes = ReadonlyMap<string, AttributeVerdict>;

/**
 * The rules of a tree and the default rules. The first that decides wins: `.repotideignore` (which may also include a
 * file), `.gitattributes`, the default rules.
 */
export class TreeRules {
  /** What has no effect in the rule files. */
  readonly warnings: readonly RuleWarning[];
  private readonly ignored: IgnoreList;
  private readonly attributes: GitAttributes;

  constructor(
    files: readonly RuleFile[],
    private readonly defaults: readonly DefaultRules[],
  ) {
    const { ignores, attributes, warnings } = ruleLinesOf(files);
    this.ignored = ignoreListOf(ignores);
    this.attributes = new GitAttributes(attributes, READ_ATTRIBUTES);
    this.warnings = [...warnings, ...this.attributes.warnings];
  }

  /** Null: no rule excludes the file. */
  classify(path: string): SkipVerdict | null {
    const verdict = this.ignored.verdictOn(path);
    if (verdict.kind === 'ignored') return { reason: 'ignored', detail: verdict.rule };
    if (verdict.kind === 'kept') return null;
    const attributes = this.attributes.verdictsOn(path);
    return byAttributes(attributes) ?? this.byDefaults(path, attributes);
  }

  private byDefaults(path: string, attributes: Attributes): SkipVerdict | null {
    for (const { reason, list } of this.defaults) {
      // Windows and macOS write `.ENV` and `Server.PEM`.
      const verdict = list.verdictOn(reason === 'secret' ? path.toLowerCase() : path);
      if (verdict.kind !== 'ignored' || isDenied(attributes, reason)) continue;
      return { reason, detail: verdict.rule };
    }
    return null;
  }
}

function byAttributes(attributes: Attributes): SkipVerdict | null {
  for (const { attribute, reason } of LINGUIST) {
    const verdict = attributes.get(attribute);
    if (verdict && isYes(verdict.value)) return { reason, detail: verdict.rule };
  }
  const diff = attributes.get(DIFF);
  return diff?.value === false ? { reason: 'marked_binary', detail: diff.rule } : null;
}

/** `-linguist-vendored`: a path that looks vendored is not. */
function isDenied(attributes: Attributes, reason: SkipReason): boolean {
  const linguist = LINGUIST.find((entry) => entry.reason === reason);
  const verdict = linguist && attributes.get(linguist.attribute);
  return verdict !== undefined && verdict.value !== null && !isYes(verdict.value);
}

/** Both `linguist-generated` and `linguist-generated=true` are in use. */
function isYes(value: boolean | string | null): boolean {
  return value === true || value === 'true';
}

interface DefaultRules {
  reason: SkipReason;
  list: IgnoreList;
}

/** @param skipSecretFiles whether to exclude files whose name shows that they are secrets. */
export function defaultRules(skipSecretFiles: boolean): readonly DefaultRules[] {
  const groups = skipSecretFiles ? [...SECRET_FILES, ...DEFAULT_RULES] : DEFAULT_RULES;
  return groups.map(({ reason, patterns }) => {
    const list = new IgnoreList();
    for (const pattern of patterns) list.add(pattern, `default rule "${pattern}"`);
    return { reason, list };
  });
}

/** Equal for equal rule files at equal paths. */
export function ruleFilesFingerprint(files: readonly Pick<RuleFile, 'path' | 'blobSha'>[]): string {
  if (files.length === 0) return 'none';
  const parts = files.map(({ path, blobSha }) => `${path}\0${blobSha}`).sort();
  return shortHash(parts.join('\0'));
}
