import { type ConfigProblem } from './config-error.js';
import { type Values, variableEntries } from './variables.js';

/** Shape of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The text of a variable, or undefined when it counts as unset: empty, or put there by Kubernetes, which announces a
 * Service named `redis` to its neighbours as `REDIS_PORT=tcp://10.0.0.1:6379`.
 */
export function readText(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  if (value === undefined || value === '') return undefined;
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value) ? undefined : value;
}

/** Each variable by itself: typed values, defaults filled in, and what could not be read. */
export function readValues(env: Environment): { values: Values; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of variableEntries) {
    const found = readText(env, name);
    values[name] = variable.default;
    if (found === undefined) continue;
    const parsed = variable.schema.safeParse(found);
    if (parsed.success) values[name] = parsed.data;
    else
      problems.push({
        variable: name,
        found: showFound(found, variable.isSecret),
        expected: variable.expected,
      });
  }
  return { values: values as Values, problems };
}

function showFound(found: string, isSecret: boolean): string {
  if (isSecret) return '(set)';
  // A credential may stand in a URL that should hold none: in its user part or its query.
  const shown = found.replace(/\/\/[^/@]*@/, '//***@').replace(/\?.*$/, '?***');
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 80)}...` : shown);
}

/**
 * Every secret in the environment, for the log's redaction: the values of secret variables, and the passwords within
 * connection URLs both as written and decoded.
 */
export function secretValues(env: Environment): string[] {
  const secrets = new Set<string>();
  for (const [name, { isSecret }] of variableEntries) {
    const found = isSecret ? readText(env, name) : undefined;
    if (found === undefined) continue;
    // The encoded form is what stands in a URL that a password was put into.
    if (!found.includes('://')) secrets.add(found).add(encodeURIComponent(found));
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
  try {
    secrets.add(decodeURIComponent(url.password));
  } catch {
    // A stray '%' makes it undecodable; then it can only appear as written.
  }
}
