import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RepotideError } from '@core/domain';

const NAME = /^repotide-git-(\d+)-([0-9a-f]+)-/;
/** Tells this process from one before it that had the same id, as the first process of a container always has. */
const LIFE = randomBytes(4).toString('hex');

/** Creates a directory that only this process uses. @throws invalid `git_scratch_unavailable`. */
export async function createScratch(root: string): Promise<string> {
  try {
    return await mkdtemp(join(root, `repotide-git-${process.pid}-${LIFE}-`));
  } catch (cause) {
    const message = `The temporary directory ${root} is not writable. Set TMPDIR to one that is, or SOURCE_TRANSPORT=rest.`;
    throw new RepotideError('invalid', 'git_scratch_unavailable', message, { cause });
  }
}

/** Removes what killed processes left. Never throws. */
export async function removeStaleScratch(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const stale = names.filter(isStale);
  await Promise.allSettled(stale.map((name) => rm(join(root, name), { recursive: true, force: true })));
}

function isStale(name: string): boolean {
  const [, pid, life] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  return Number(pid) === process.pid ? life !== LIFE : !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
