import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version in `package.json`; works in the sources and in the build output. */
export function packageVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'));
    if (found !== null) return found;
    if (folder === dirname(folder)) return 'unknown';
  }
}

function versionIn(file: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
    return name === 'repotide' && version !== undefined ? version : null;
  } catch {
    return null;
  }
}
