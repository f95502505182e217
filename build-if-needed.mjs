// Builds, unless dist/ is newer than everything that it is made of: for the npm scripts that run what was built.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'apps',
  'libs',
  'clients/typescript',
  'nest-cli.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** Made after a build that succeeded, with the time at which it began: what was edited meanwhile is newer. */
const STAMP = 'dist/.built';

function changedAt(path) {
  // A folder's own time tells of files that were removed.
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

function isBuilt() {
  const stamp = statSync(STAMP, { throwIfNoEntry: false });
  return stamp !== undefined && SOURCES.every((source) => changedAt(source) < stamp.mtimeMs);
}

if (!isBuilt()) {
  const begun = new Date();
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begun, begun);
}
