import { findArguments, RARE_HINTS } from './arguments.js';
import { findAssignments } from './assignments.js';
import { findAwsSecretKeys } from './aws-keys.js';
import { Hints } from './hints.js';
import { findKubernetesSecrets, MANIFEST_HINTS } from './kubernetes-secrets.js';
import { isPlaceholder, type SecretFinding } from './finding.js';
import { LibraryRules } from './library-rules.js';
import { findRandomTokens } from './random-tokens.js';
import { findPrivateKeys } from './private-keys.js';
import { TOKEN_RULES, type TokenRule } from './token-rules.js';

const library = new LibraryRules();

/** Most texts contain none of the longer hints: one search shows that, instead of one for each rule. */
const LONG_HINT = 4;
const hasLongHintsOnly = ({ hints }: TokenRule) => hints.every(({ length }) => length >= LONG_HINT);
const SHORT_HINT_RULES: ReadonlySet<TokenRule> = new Set(
  TOKEN_RULES.filter((rule) => !hasLongHintsOnly(rule)),
);
const LONG_HINTS = new Hints([
  ...TOKEN_RULES.filter(hasLongHintsOnly).flatMap(({ hints }) => hints),
  ...[...RARE_HINTS, ...MANIFEST_HINTS],
]);

/**
 * Finds secrets, by position and without overlaps: private keys, tokens of known vendors, values assigned to names such
 * as `password`. Equal texts have equal findings.
 */
export function findSecrets(text: string): SecretFinding[] {
  const present = LONG_HINTS.in(text);
  const rules = TOKEN_RULES.filter((rule) =>
    rule.hints.some((hint) => (SHORT_HINT_RULES.has(rule) ? text.includes(hint) : present.has(hint))),
  );
  // The most specific rules first: when several find the same secret, the first one names it.
  return merge([
    ...findPrivateKeys(text),
    ...findAwsSecretKeys(text),
    ...rules.flatMap((rule) => findTokens(text, rule)),
    ...library.find(text).filter(({ start, end }) => !isPlaceholder(text.slice(start, end))),
    ...findAssignments(text),
    ...findArguments(text, present),
    ...(MANIFEST_HINTS.some((hint) => present.has(hint)) ? findKubernetesSecrets(text) : []),
    ...findRandomTokens(text),
  ]);
}

function findTokens(text: string, { rule, pattern }: TokenRule): SecretFinding[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const secret = match.groups?.['secret'] ?? match[0];
    if (isPlaceholder(secret)) return [];
    const start = match.index + match[0].lastIndexOf(secret);
    return [{ rule, start, end: start + secret.length }];
  });
}

function merge(findings: SecretFinding[]): SecretFinding[] {
  const ranked = findings.map((finding, rank) => ({ ...finding, rank }));
  ranked.sort((left, right) => left.start - right.start || left.rank - right.rank);
  const merged: typeof ranked = [];
  for (const finding of ranked) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    last.end = Math.max(last.end, finding.end);
    if (finding.rank < last.rank) Object.assign(last, { rule: finding.rule, rank: finding.rank });
  }
  return merged.map(({ rule, start, end }) => ({ rule, start, end }));
}
