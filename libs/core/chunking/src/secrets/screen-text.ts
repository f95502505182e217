import { DEFAULT_RULES_VERSION } from '../rules/default-rules.js';
import { countLineBreaks } from '../split/chunker.js';
import { shortHash } from '../hash.js';
import { findSecrets } from './find-secrets.js';
import { type SecretFinding } from './finding.js';
import { LIBRARY_VERSION } from './library-rules.js';
import { OWN_RULES_VERSION } from './token-rules.js';

/** `redact` replaces secrets by `[redacted:<rule>]`, `skip` does not index the file, `off` does not search for them. */
export type SecretsPolicy = 'redact' | 'skip' | 'off';

export interface ScreenedText {
  /** Without the secrets; every line keeps its number. */
  text: string;
  secretsFound: number;
  /** Rules and lines, never the secret itself; null for none. */
  detail: string | null;
}

const MAX_DESCRIBED = 20;

/**
 * Removes the secrets of a text. A second call finds nothing.
 * @param fileLines the line of the file for each line of the text; null when they are the same.
 */
export function screenText(
  text: string,
  policy: SecretsPolicy,
  fileLines: readonly number[] | null = null,
): ScreenedText {
  const findings = policy === 'off' ? [] : findSecrets(text);
  if (findings.length === 0) return { text, secretsFound: 0, detail: null };
  const detail = describe(text, findings, (line) => fileLines?.[line - 1] ?? line);
  return { text: redact(text, findings), secretsFound: findings.length, detail };
}

/** Fingerprint of everything that decides how secrets are removed. */
export function secretsFingerprint(policy: SecretsPolicy): string {
  if (policy === 'off') return 'secrets off';
  const parts = [policy, OWN_RULES_VERSION, LIBRARY_VERSION, DEFAULT_RULES_VERSION];
  return shortHash(parts.join('\0'));
}

function redact(text: string, findings: readonly SecretFinding[]): string {
  let redacted = '';
  let position = 0;
  for (const { rule, start, end } of findings) {
    const lineBreaks = '\n'.repeat(countLineBreaks(text, start, end));
    redacted += `${text.slice(position, start)}[redacted:${rule}]${lineBreaks}`;
    position = end;
  }
  return redacted + text.slice(position);
}

function describe(
  text: string,
  findings: readonly SecretFinding[],
  fileLineOf: (line: number) => number,
): string {
  let line = 1;
  let position = 0;
  const described = findings.slice(0, MAX_DESCRIBED).map(({ rule, start, end }) => {
    line += countLineBreaks(text, position, start);
    position = start;
    const first = fileLineOf(line);
    const last = fileLineOf(line + countLineBreaks(text, start, end));
    return `${rule} ${last === first ? `line ${first}` : `lines ${first}-${last}`}`;
  });
  const more = findings.length - described.length;
  return `${described.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Every secret in a path is at least this long; most paths have no such run with a digit, and are not searched. */
const LONG_RUN = /[^/\s]{12,}/;

/** The rule that finds a secret in a path, e.g. a token in a file name; null for none. */
export function secretInPath(path: string): string | null {
  if (!LONG_RUN.test(path) || !/\d/.test(path)) return null;
  return findSecrets(path)[0]?.rule ?? null;
}

/** A path as it may be shown: secrets in it are replaced. */
export function shownPath(path: string): string {
  return secretInPath(path) === null ? path : screenText(path, 'redact').text;
}
