import { findAssignments } from './assignments.js';
import { findAwsSecretKeys } from './aws-keys.js';
import { isChosenPassword } from './chosen-passwords.js';
import { COLUMN_HINTS, findInColumns } from './columns.js';
import { Hints } from './hints.js';
import { findKubernetesSecrets, MANIFEST_HINTS } from './kubernetes-secrets.js';
import { isPlaceholder, type SecretFinding } from './finding.js';
import { LibraryRules } from './library-rules.js';
import { CODE_PLACES } from './places-in-code.js';
import { COMMAND_PLACES } from './places-in-commands.js';
import { FILE_PLACES } from './places-in-files.js';
import { findRandomTokens } from './random-tokens.js';
import { findPrivateKeys } from './private-keys.js';
import { type SecretRule } from './secret-rule.js';
import { findSettings } from './settings-lines.js';
import { TOKEN_RULES } from './token-rules.js';

const library = new LibraryRules();

/** Passwords that follow a command, a directive or columns instead of a name and a sign. */
const PLACES = [...FILE_PLACES, ...COMMAND_PLACES, ...CODE_PLACES];

/** Searched for once in each text, instead of once for each rule; a hint of one character is not worth it. */
const isLong = (hint: string) => hint.length > 1;
const HINTS = new Hints([
  ...[...TOKEN_RULES, ...PLACES].flatMap(({ hints }) => hints.filter(isLong)),
  ...[...MANIFEST_HINTS, ...COLUMN_HINTS],
]);

/**
 * Finds secrets, by position and without overlaps: private keys, tokens of known vendors, values assigned to names such
 * as `password`. Equal texts have equal findings.
 */
export function findSecrets(text: string): SecretFinding[] {
  const present = HINTS.in(text);
  const hasHint = (hint: string) => (isLong(hint) ? present.has(hint) : text.includes(hint));
  const findBy = (rules: readonly SecretRule[], isSecret: (value: string) => boolean) =>
    rules.filter(({ hints }) => hints.some(hasHint)).flatMap((rule) => matchesOf(rule, text, isSecret));
  // The most specific rules first: when several find the same secret, the first one names it.
  return merge([
    ...findPrivateKeys(text),
    ...findAwsSecretKeys(text),
    ...findBy(TOKEN_RULES, (value) => !isPlaceholder(value)),
    ...library.find(text).filter(({ start, end }) => !isPlaceholder(text.slice(start, end))),
    ...findAssignments(text),
    ...findSettings(text),
    ...findBy(PLACES, isChosenPassword),
    ...(MANIFEST_HINTS.some(hasHint) ? findKubernetesSecrets(text) : []),
    ...(COLUMN_HINTS.some(hasHint) ? findInColumns(text) : []),
    ...findRandomTokens(text),
  ]);
}

function matchesOf(
  { rule, pattern }: SecretRule,
  text: string,
  isSecret: (value: string) => boolean,
): SecretFinding[] {
  return [...text.matchAll(pattern)].flatMap(({ index, groups = {}, 0: match }) => {
    const secret = groups['secret'] ?? groups['second'] ?? groups['third'] ?? match;
    if (!isSecret(secret)) return [];
    const start = index + match.lastIndexOf(secret);
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
