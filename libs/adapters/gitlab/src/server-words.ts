/** Long enough for every message that GitLab writes, too short for a page. */
const LONGEST_QUOTE = 200;

/**
 * What an error answer says for itself, as one short line: GitLab's `message`, `error_description` or `error`, which
 * may be text, list or object; or a short plain text. Null for pages and for nothing.
 * @param secret is blotted out, should the server echo it.
 */
export function quoteServer(bodyText: string, secret: string | null): string | null {
  const words = wordsOf(bodyText)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (words === '' || words.startsWith('<')) return null;
  const safe = secret === null ? words : words.replaceAll(secret, '[hidden]');
  return safe.length > LONGEST_QUOTE ? `${safe.slice(0, LONGEST_QUOTE)}...` : safe;
}

/** GitLab marks a token without the right scope by this `error` (the body has no `message` then). */
export function saysInsufficientScope(bodyText: string): boolean {
  const body = parse(bodyText);
  return isRecord(body) && body['error'] === 'insufficient_scope';
}

function wordsOf(bodyText: string): string {
  const body = parse(bodyText);
  if (body === undefined) return bodyText.length <= LONGEST_QUOTE ? bodyText : '';
  if (!isRecord(body)) return '';
  return flatten(body['message'] ?? body['error_description'] ?? body['error']);
}

function flatten(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(flatten).join(', ');
  if (!isRecord(value)) return '';
  return Object.entries(value)
    .map(([field, words]) => `${field}: ${flatten(words)}`)
    .join('; ');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
