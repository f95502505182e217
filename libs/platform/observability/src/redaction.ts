const REDACTED = '[redacted]';

/** A shorter value would also occur by chance, and hiding it would make lines unreadable. */
const SHORTEST_SECRET = 4;

/** `api_key`, `apiKey`, `x-api-key`, `PRIVATE-TOKEN`, `admin_token`, ... but not `max_input_tokens` or `cache_key`. */
const SECRET_KEY =
  '[\\w.-]*(?:token|password|passwd|secret|authorization|cookie|api[-_]?key|private[-_]?key|encryption[-_]?key)';
const JSON_STRING = '"(?:[^"\\\\]|\\\\.)*"';
const SECRET_MEMBER = new RegExp(`("${SECRET_KEY}":)(?:${JSON_STRING}|\\[[^\\]]*\\]|-?\\d[\\w.+-]*)`, 'gi');

/** Each secret as given, and percent-encoded as in a URL. */
const secrets = new Set<string>();

/**
 * Hides these values from now on, wherever they occur in a line of any logger of this process. Safe to repeat. Ignores
 * values under four characters.
 */
export function registerSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length < SHORTEST_SECRET) continue;
    secrets.add(value).add(encodeURIComponent(value));
  }
}

/** For text that is not logged, such as an error on a terminal. */
export function redactText(text: string): string {
  // The longest first, so that a secret that contains another one is hidden completely.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, REDACTED), text);
}

/** Hides secrets at any depth in one serialised log line. The line stays valid JSON. */
export function redactLine(line: string): string {
  const withoutMembers = line.replace(SECRET_MEMBER, `$1"${REDACTED}"`);
  return holdsSecret(withoutMembers) ? redactValues(withoutMembers) : withoutMembers;
}

function holdsSecret(line: string): boolean {
  for (const secret of secrets) {
    if (line.includes(JSON.stringify(secret).slice(1, -1))) return true;
  }
  return false;
}

/** Parses the line, because text replacement would break it where a secret looks like a number. Rarely needed. */
function redactValues(line: string): string {
  return `${JSON.stringify(redactTree(JSON.parse(line)))}\n`;
}

function redactTree(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return secrets.has(String(value)) ? REDACTED : value;
  if (Array.isArray(value)) return value.map(redactTree);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redactText(key), redactTree(member)]),
  );
}
