const REDACTED = '[redacted]';

/** Below this a value would also occur by chance, and hiding it would only spoil lines. */
const SHORTEST_SECRET = 4;

/** `api_key`, `apiKey`, `x-api-key`, `PRIVATE-TOKEN`, `admin_token`, ... but not `max_input_tokens` or `cache_key`. */
const SECRET_KEY =
  '[\\w.-]*(?:token|password|passwd|secret|authorization|cookie|api[-_]?key|private[-_]?key|encryption[-_]?key)';
const JSON_STRING = '"(?:[^"\\\\]|\\\\.)*"';
const SECRET_MEMBER = new RegExp(`("${SECRET_KEY}":)(?:${JSON_STRING}|\\[[^\\]]*\\]|-?\\d[\\w.+-]*)`, 'gi');

/** As it may stand in text: as given, and percent-encoded as in a URL. */
const secrets = new Set<string>();

/**
 * Hides these values from now on, wherever they occur in a line of any logger of this process. Repeating is harmless;
 * values under four characters are left out.
 */
export function registerSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length < SHORTEST_SECRET) continue;
    secrets.add(value).add(encodeURIComponent(value));
  }
}

/** For text that reaches people by another way than the log, such as an error on a terminal. */
export function redactText(text: string): string {
  // The longest first, so that a secret that holds another one leaves no rest.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, REDACTED), text);
}

/** Hides secrets in one serialised log line, whatever depth they stand at. The line stays valid JSON. */
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

/** Rare, so it may cost a parse; text replacement alone would break the line where a secret looks like a number. */
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
