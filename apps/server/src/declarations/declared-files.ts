import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Tells whether the files changed. A ConfigMap that is mounted changes while the pod runs. Empty: they cannot be read. */
export async function digestOfFiles(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const { name, content } of filesIn(path)) hash.update(name).update('\0').update(content);
  } catch {
    return '';
  }
  return hash.digest('hex');
}

/**
 * The variables of `env` that the files may mean by `token_env`: those whose names stand in a file that uses it. The files
 * are not parsed, because large ones would delay the runs and requests of this process. Empty: they cannot be read.
 */
export async function variablesNamedIn(path: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const words = new Set<string>();
  try {
    for await (const { content } of filesIn(path)) {
      const text = content.toString('utf8');
      if (text.includes('token_env')) for (const [word] of text.matchAll(/[\w.-]+/g)) words.add(word);
    }
  } catch {
    return {};
  }
  return Object.fromEntries(Object.entries(env).filter(([name]) => words.has(name)));
}

async function* filesIn(path: string): AsyncGenerator<{ name: string; content: Buffer }> {
  const names = (await stat(path)).isDirectory() ? (await readdir(path, { recursive: true })).sort() : [''];
  for (const name of names)
    if (name === '' || /\.ya?ml$/.test(name)) yield { name, content: await readFile(join(path, name)) };
}
