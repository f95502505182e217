import { redactText } from '@platform/observability';

const MASK = '[masked]';
/** Matches field names: `token`, `api_key`, `oauth_refresh_token`, `webhook_secret`, ... but not `max_input_tokens`. */
const SECRET_NAME = /(^|_)(token|secret|password|passwd|passphrase|key|credential|authorization|cookie)$/i;
const LONGEST_TEXT = 500;
const MOST_MEMBERS = 50;
const DEEPEST = 4;

/** A request's body as the audit log stores it: bounded in size, with secrets masked. */
export function recordedChanges(body: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const changes = recordedMembers(body, 0);
  return Object.keys(changes).length === 0 ? null : changes;
}

function recordedMembers(object: object, depth: number): Record<string, unknown> {
  const members = Object.entries(object).slice(0, MOST_MEMBERS);
  return Object.fromEntries(
    members.map(([name, value]: [string, unknown]) => [
      recordedText(name),
      SECRET_NAME.test(name) && value !== null ? MASK : recorded(value, depth + 1),
    ]),
  );
}

function recorded(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return recordedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map((each) => recorded(each, depth + 1));
  return recordedMembers(value, depth);
}

function recordedText(text: string): string {
  const withoutUser = text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, `$1${MASK}@`);
  // Postgres' `jsonb` refuses NUL and lone surrogates.
  return redactText(withoutUser)
    .slice(0, LONGEST_TEXT)
    .replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}');
}
