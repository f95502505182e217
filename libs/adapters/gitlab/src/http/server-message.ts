import { parseJson } from './response-body.js';

/** Longer than GitLab's messages, shorter than an HTML page. */
const LONGEST_QUOTE = 200;

/**
 * The message of an error response as one short line: GitLab's `message`, `error_description` or `error`, which may be
 * text, list or object; or a short plain text. Null for an HTML page and for an empty body.
 * @param secret is replaced by `[hidden]` if the server repeats it.
 */
export function quoteErrorMessage(bodyText: string, secret: string | null): string | null {
  const message = messageOf(bodyText)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (message === '' || message.startsWith('<')) return null;
  const safe = secret === null ? message : message.replaceAll(secret, '[hidden]');
  return safe.length > LONGEST_QUOTE ? `${safe.slice(0, LONGEST_QUOTE)}...` : safe;
}

/** GitLab marks a token without the right scope by this `error`; the body then has no `message`. */
export function isInsufficientScope(bodyText: string): boolean {
  const body = parseJson(bodyText);
  return isRecord(body) && body['error'] === 'insufficient_scope';
}

function messageOf(bodyText: string): string {
  const body = parseJson(bodyText);
  if (body === undefined) return bodyText.length <= LONGEST_QUOTE ? bodyText : '';
  if (!isRecord(body)) return '';
  return flatten(body['message'] ?? body['error_description'] ?? body['error']);
}

function flatten(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(flatten).join(', ');
  if (!isRecord(value)) return '';
  const fields = Object.entries(value);
  return fields.map(([field, message]) => `${field}: ${flatten(message)}`).join('; ');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
