import { isPlaceholder, type SecretFinding } from './finding.js';
import { isGenerated, isMixed } from './randomness.js';

/** The part of a manifest with the values of a Secret: `data:` in base64, `stringData:` as they are. */
const PART =
  /^(?<indent>[ \t]{0,8})(?<part>data|stringData):[ \t]*\r?\n(?<lines>(?:\k<indent>[ \t]{1,8}[^\n]{1,8000}(?:\n|$)){1,200})/gm;
const LINE =
  /^[ \t]{1,16}["']?[\w.-]{1,253}["']?:[ \t]{1,8}(?:[|>][-+]?[ \t]{0,8}\r?\n[ \t]{1,16})?["']?(?<value>[^\s"'#]{8,8000})["']?[ \t]*\r?$/gm;
const BASE_64 = /^[A-Za-z0-9+/]{8,8000}={0,2}$/;
/** A certificate in base64 is public. */
const CERTIFICATE = /^LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS/;

/** Texts without any of them are not searched. */
export const MANIFEST_HINTS = ['Secret', 'secret'].flatMap((kind) =>
  ['', '"', "'"].map((quote) => `kind: ${quote}${kind}`),
);

/** The values in a manifest of the kind Secret: everything in `data`, and what looks like a secret in `stringData`. */
export function findKubernetesSecrets(text: string): SecretFinding[] {
  // Not of a SecretStore.
  if (!/kind: ["']?secret\b/i.test(text)) return [];
  const found: SecretFinding[] = [];
  for (const { index: partAt, groups = {}, 0: whole } of text.matchAll(PART)) {
    const { part, lines = '' } = groups;
    const linesAt = partAt + whole.length - lines.length;
    for (const { index, groups: line, 0: wholeLine } of lines.matchAll(LINE)) {
      const value = line?.['value'] ?? '';
      if (!(part === 'data' ? isEncodedSecret(value) : isPlainSecret(value))) continue;
      const start = linesAt + index + wholeLine.lastIndexOf(value);
      found.push({ rule: 'kubernetes-secret', start, end: start + value.length });
    }
  }
  return found;
}

function isEncodedSecret(value: string): boolean {
  if (!BASE_64.test(value) || CERTIFICATE.test(value)) return false;
  return !isPlaceholder(Buffer.from(value, 'base64').toString('utf8').trim());
}

function isPlainSecret(value: string): boolean {
  if (/^[$%{<[(&*!|>]/.test(value) || isPlaceholder(value)) return false;
  return isGenerated(value) || (/\d/.test(value) && isMixed(value));
}
