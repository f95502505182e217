// Prints what the scan for secrets finds in the tracked files of this repository, and how fast it looks.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readText, screenText } from '@core/chunking';

const paths = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
let characters = 0;
let milliseconds = 0;
for (const path of paths) {
  if (path === '' || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
  const read = readText(readFileSync(path), { maxFileBytes: 1_048_576 });
  if (read.kind === 'skipped') continue;
  const startedAt = performance.now();
  const { detail } = screenText(read.text, 'redact');
  milliseconds += performance.now() - startedAt;
  characters += read.text.length;
  if (detail !== null) console.log(`${path}: ${detail}`);
}
console.log(`${(characters / 1e6).toFixed(1)} MB at ${(characters / 1e3 / milliseconds).toFixed(0)} MB/s`);
