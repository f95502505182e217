import { readFileSync } from 'node:fs';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { type Environment, readText } from './environment.js';
import { variableEntries } from './variables.js';

const SUFFIX = '_FILE';

/**
 * Replaces `<NAME>_FILE` of each secret variable by the content of that file, without the newline at its end, so that
 * secrets may come from a mounted volume.
 * @throws ConfigError for a file that cannot be read or is empty, and when both variables are set.
 */
export function readSecretFiles(env: Environment): Environment {
  const problems: ConfigProblem[] = [];
  const read: Record<string, string | undefined> = {};
  for (const [name, { isSecret }] of variableEntries) {
    const variable = name + SUFFIX;
    const path = isSecret ? readText(env, variable) : undefined;
    if (path === undefined) continue;
    // Removed, so that it does not count as a misspelt variable.
    read[variable] = undefined;
    if (readText(env, name) !== undefined) {
      problems.push({
        variable,
        found: JSON.stringify(path),
        expected: `only one of ${name} and ${variable}`,
      });
      continue;
    }
    const content = contentOf(path);
    if (content.trim() !== '') read[name] = content.replace(/\r?\n$/, '');
    else
      problems.push({ variable, found: JSON.stringify(path), expected: 'a readable file with the secret' });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...env, ...read };
}

/** Empty when it cannot be read. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
