import { hostname } from 'node:os';
import { arrange, type Config, type Machine, type Mode } from './arrange.js';
import { ConfigError } from './config-error.js';
import { type Environment, readText, readValues } from './environment.js';
import { findMisspellings } from './misspelling.js';
import { checkTogether, findIneffective } from './rules.js';
import { type Values, variableEntries } from './variables.js';

/**
 * Reads the environment. Pure except for the default of `machine`.
 * @throws ConfigError with every problem at once and without secrets.
 */
export function loadConfig(env: Environment, machine: Machine = thisMachine()): Config {
  const { values, problems } = readValues(env);
  // Depends on the presence of a value, not its validity: an invalid REDIS_URL must not select standalone mode.
  const isDistributed = ['REDIS_URL', 'REDIS_HOST'].some((name) => readText(env, name) !== undefined);
  const mode: Mode = isDistributed ? 'distributed' : 'standalone';
  problems.push(...checkTogether(values, mode, new Set(problems.map(({ variable }) => variable))));
  if (problems.length > 0) throw new ConfigError(problems);
  return freezeDeep({
    ...arrange(values, mode, machine),
    warnings: [...findMisspellings(env), ...findIneffective(values)],
    description: describe(values, mode),
  });
}

/** For one log line at start: the mode and each variable's value, secrets as `(set)` or `(unset)`. */
export function describeConfig(config: Config): Readonly<Record<string, string>> {
  return config.description;
}

function thisMachine(): Machine {
  return {
    hostname: hostname(),
    isTerminal: process.stdout.isTTY,
    workingDirectory: process.cwd(),
  };
}

function describe(values: Values, mode: Mode): Record<string, string> {
  const description: Record<string, string> = { mode };
  for (const [name, { isSecret }] of variableEntries) {
    const value = values[name];
    if (isSecret) description[name] = value === undefined ? '(unset)' : '(set)';
    else if (value !== undefined) description[name] = String(value);
  }
  return description;
}

function freezeDeep<T extends object>(value: T): T {
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null) freezeDeep(member);
  }
  return Object.freeze(value);
}
