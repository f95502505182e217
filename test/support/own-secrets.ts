import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readText, screenText } from '@core/chunking';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface OwnSecrets {
  /** Findings of the scan that are not secrets, by path. */
  findings: { path: string; detail: string }[];
  characters: number;
  milliseconds: number;
}

/** The findings of the secret scan in the tracked files of this project. */
export function findOwnSecrets(): OwnSecrets {
  const found: OwnSecrets = { findings: [], characters: 0, milliseconds: 0 };
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const path of listed.split('\0')) {
    const file = `${ROOT}/${path}`;
    if (path === '' || !statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const read = readText(readFileSync(file), { path, maxFileBytes: 1_048_576 });
    if (read.kind === 'skipped') continue;
    const startedAt = performance.now();
    const { detail } = screenText(read.text, 'redact');
    found.milliseconds += performance.now() - startedAt;
    found.characters += read.text.length;
    if (detail !== null) found.findings.push({ path, detail });
  }
  return found;
}
