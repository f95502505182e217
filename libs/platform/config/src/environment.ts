import { type ConfigProblem } from './config-error.js';
import { type Values, variableEntries } from './variables.js';

/** Shape of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The text of a variable; undefined when it counts as unset: empty, or set by Kubernetes for a Service. For a Service
 * named `redis`, Kubernetes sets `REDIS_PORT=tcp://10.0.0.1:6379` in every pod of the namespace.
 */
export function readText(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  if (value === undefined || value === '') return undefined;
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value) ? undefined : value;
}

/** Parses each variable separately: typed values with defaults, and the problems of invalid ones. */
export function readValues(env: Environment): { values: Values; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of variableEntries) {
    const found = readText(env, name);
    values[name] = variable.default;
    if (found === undefined) continue;
    const parsed = variable.schema.safeParse(found);
    if (parsed.success) {
      values[name] = parsed.data;
      continue;
    }
    const [issue] = parsed.error.issues;
    const detail: unknown = issue?.code === 'custom' ? issue.params?.['detail'] : undefined;
    const shown = showFound(found, variable.isSecret);
    problems.push({
      variable: name,
      found: typeof detail === 'string' ? `${shown} (${detail})` : shown,
      expected: variable.expected,
    });
  }
  return { values: values as Values, problems };
}

function showFound(found: string, isSecret: boolean): string {
  if (isSecret) return '(set)';
  // A URL may contain a credential in its user part or its query, where none is expected.
  const shown = found.replace(/\/\/[^/@]*@/, '//***@').replace(/\?.*$/, '?***');
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 80)}...` : shown);
}

/**
 * Every secret in the environment, for the redaction of logs: values of secret variables, and passwords in connection
 * URLs, both raw and decoded.
 */
export function secretValues(env: Environment): string[] {
  const secrets = new Set<string>();
  for (const [name, { isSecret }] of variableEntries) {
    const found = isSecret ? readText(env, name) : undefined;
    if (found === undefined) continue;
    // A URL with this password contains the encoded form.
    if (!found.includes('://')) secrets.add(found).add(encodeURIComponent(found));
    const ofSentinels = /[?&]sentinel_password=([^&#]+)/.exec(found)?.[1];
    if (ofSentinels !== undefined) secrets.add(ofSentinels).add(decodedOr(ofSentinels));
    for (const member of found.split(',').map((part) => part.trim())) {
      if (name === 'REPOTIDE_ENCRYPTION_KEY') secrets.add(member);
      addPassword(secrets, member);
    }
  }
  return [...secrets];
}

function addPassword(secrets: Set<string>, value: string): void {
  if (!URL.canParse(value)) return;
  const url = new URL(value);
  if (url.password === '') return;
  secrets.add(url.password);
  secrets.add(value);
  secrets.add(decodedOr(url.password));
}

/** A stray '%' makes it undecodable; then only the raw form can appear. */
function decodedOr(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
