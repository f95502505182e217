import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Tells whether the files changed. A ConfigMap that is mounted changes while the pod runs. Empty: they cannot be read. */
export async function digestOfFiles(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const names = (await stat(path)).isDirectory() ? (await readdir(path, { recursive: true })).sort() : [''];
    for (const name of names.filter((each) => each === '' || /\.ya?ml$/.test(each)))
      hash
        .update(name)
        .update('\0')
        .update(await readFile(join(path, name)));
  } catch {
    return '';
  }
  return hash.digest('hex');
}
