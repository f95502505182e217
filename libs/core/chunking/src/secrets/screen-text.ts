import { createHash } from 'node:crypto';
import { DEFAULT_RULES_VERSION } from '../rules/default-rules.js';
import { findSecrets } from './find-secrets.js';
import { type SecretFinding } from './finding.js';
import { LIBRARY_VERSION } from './library-rules.js';
import { OWN_RULES_VERSION } from './token-rules.js';

/**
 * What becomes of a text with secrets: `redact` puts `[redacted:<rule>]` in their place, `skip` keeps the file out of
 * the index, `off` does not look.
 */
export type SecretsPolicy = 'redact' | 'skip' | 'off';

/** A text without its secrets. */
export interface ScreenedText {
  /** With as many lines as before, each where it was. */
  text: string;
  secretsFound: number;
  /** Rules and lines, never what was found; null when nothing was. */
  detail: string | null;
}

/** More would make the row long and tell nothing new. */
const MOST_TOLD = 20;

/** Takes the secrets out of a text. Doing it again finds nothing. */
export function screenText(text: string, policy: SecretsPolicy): ScreenedText {
  const findings = policy === 'off' ? [] : findSecrets(text);
  if (findings.length === 0) return { text, secretsFound: 0, detail: null };
  return { text: redact(text, findings), secretsFound: findings.length, detail: describe(text, findings) };
}

/** Names what decides the text that is indexed of a file with secrets. */
export function secretsFingerprint(policy: SecretsPolicy): string {
  if (policy === 'off') return 'secrets off';
  const parts = [policy, OWN_RULES_VERSION, LIBRARY_VERSION, DEFAULT_RULES_VERSION];
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
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

function describe(text: string, findings: readonly SecretFinding[]): string {
  let line = 1;
  let position = 0;
  const told = findings.slice(0, MOST_TOLD).map(({ rule, start, end }) => {
    line += countLineBreaks(text, position, start);
    position = start;
    const last = line + countLineBreaks(text, start, end);
    return `${rule} ${last === line ? `line ${line}` : `lines ${line}-${last}`}`;
  });
  const more = findings.length - told.length;
  return `${told.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function countLineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (text.charCodeAt(index) === 10) count += 1;
  }
  return count;
}
