import { type SecretFinding } from './finding.js';

const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/;
/** An RSA key of 16,384 bits has 12,700 characters; quotes and indentation may double that. */
const LONGEST_KEY = 30_000;
/** Characters of a key without an end line: base64, whitespace, quotes, escapes, header lines. */
const KEY_LIKE = /^[\w+/=\s"'`,.:;\\>|#*-]*/;
/** A shorter body is text about keys. */
const SHORTEST_BODY = 40;

/** Private keys as PEM (also without an end line, and in source strings), as PuTTY files, and as PEM in base64. */
export function findPrivateKeys(text: string): SecretFinding[] {
  return [...pemKeys(text), ...puttyKeys(text), ...encodedKeys(text)];
}

function pemKeys(text: string): SecretFinding[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const beginnings = [...text.matchAll(BEGIN)];
  return beginnings.flatMap((beginning, index) => {
    const start = beginning.index;
    const bodyStart = start + beginning[0].length;
    // Stops at the next beginning: otherwise a text of beginnings would be read once for each.
    const limit = Math.min(bodyStart + LONGEST_KEY, beginnings[index + 1]?.index ?? text.length);
    const rest = text.slice(bodyStart, limit);
    const ending = END.exec(rest);
    const body = ending === null ? (KEY_LIKE.exec(rest)?.[0] ?? '') : rest.slice(0, ending.index);
    if (!isKeyBody(body)) return [];
    return [{ rule: 'private-key', start, end: bodyStart + body.length + (ending?.[0].length ?? 0) }];
  });
}

function isKeyBody(body: string): boolean {
  const longestRun = Math.max(0, ...[...body.matchAll(/[A-Za-z0-9+/=]{16,}/g)].map(([run]) => run.length));
  return body.length >= SHORTEST_BODY && longestRun >= 16;
}

function puttyKeys(text: string): SecretFinding[] {
  if (!text.includes('PuTTY-User-Key-File-')) return [];
  return [...text.matchAll(/^Private-Lines: ?\d{1,4}\r?\n(?:[A-Za-z0-9+/=]{1,80}\r?\n?)+/gm)].map(
    ({ index, 0: match }) => ({ rule: 'private-key', start: index, end: index + match.length }),
  );
}

/** `-----BEGIN ` in base64, as in Kubernetes secrets and kubeconfig files. */
const ENCODED_BEGIN = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}/g;

function encodedKeys(text: string): SecretFinding[] {
  if (!text.includes('LS0tLS1CRUdJTi')) return [];
  return [...text.matchAll(ENCODED_BEGIN)]
    .filter(([match]) => Buffer.from(match.slice(0, 120), 'base64').includes('PRIVATE KEY'))
    .map(({ index, 0: match }) => ({ rule: 'private-key', start: index, end: index + match.length }));
}
