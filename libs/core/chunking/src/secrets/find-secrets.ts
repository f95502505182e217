import { findArguments, PLACE_HINTS } from './arguments.js';
import { findAssignments } from './assignments.js';
import { findAwsSecretKeys } from './aws-keys.js';
import { COLUMN_HINTS, findInColumns } from './columns.js';
import { Hints } from './hints.js';
import { findKubernetesSecrets, MANIFEST_HINTS } from './kubernetes-secrets.js';
import { isPlaceholder, type SecretFinding } from './finding.js';
import { LibraryRules } from './library-rules.js';
import { findRandomTokens } from './random-tokens.js';
import { findPrivateKeys } from './private-keys.js';
import { findSettings } from './settings-lines.js';
import { TOKEN_RULES, type TokenRule } from './token-rules.js';

const library = new LibraryRules();

/** Searched for once in each text, instead of once for each rule; a hint of one character is not worth it. */
const isLong = (hint: string) => hint.length > 1;
const HINTS = new Hints([
  ...TOKEN_RULES.flatMap(({ hints }) => hints.filter(isLong)),
  ...[...PLACE_HINTS, ...MANIFEST_HINTS, ...COLUMN_HINTS],
]);

/**
 * Finds secrets, by position and without overlaps: private keys, tokens of known vendors, values assigned to names such
 * as `password`. Equal texts have equal findings.
 */
export function findSecrets(text: string): SecretFinding[] {
  const present = HINTS.in(text);
  const rules = TOKEN_RULES.filter(({ hints }) =>
    hints.some((hint) => (isLong(hint) ? present.has(hint) : text.includes(hint))),
  );
  // The most specific rules first: when several find the same secret, the first one names it.
  return merge([
    ...findPrivateKeys(text),
    ...findAwsSecretKeys(text),
    ...rules.flatMap((rule) => findTokens(text, rule)),
    ...library.find(text).filter(({ start, end }) => !isPlaceholder(text.slice(start, end))),
    ...findAssignments(text),
    ...findSettings(text),
    ...findArguments(text, present),
    ...(MANIFEST_HINTS.some((hint) => present.has(hint)) ? findKubernetesSecrets(text) : []),
    ...(COLUMN_HINTS.some((hint) => present.has(hint)) ? findInColumns(text) : []),
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
