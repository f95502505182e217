import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { askGit } from './process/run-git.js';
import { createScratch } from './process/scratch.js';

/** A bare repository on the scratch disk, of one run or kept between runs. */
export interface ObjectDirectory {
  readonly path: string;
  /** A former run left objects, which the disk may have damaged since. */
  readonly isReused: boolean;
  /** No later run gets these objects. */
  discard(): void;
  /** Ends the use. Never throws, repeating is harmless. */
  release(): Promise<void>;
}

/** Creates a bare repository for objects of one hash, and returns its path. @param idLike has the length of its ids. */
export async function initObjectDirectory(
  scratchRoot: string,
  idLike: string,
  signal: AbortSignal,
): Promise<string> {
  const directory = await createScratch(scratchRoot);
  const format = idLike.length === 64 ? 'sha256' : 'sha1';
  const args = ['init', '--bare', '--quiet', '--template=', `--object-format=${format}`];
  try {
    await askGit({ directory, args, signal });
    return directory;
  } catch (thrown) {
    await removeDirectory(directory);
    throw thrown;
  }
}

/** The directory of one run, which removes it when it ends. */
export async function createRunDirectory(
  scratchRoot: string,
  idLike: string,
  signal: AbortSignal,
): Promise<ObjectDirectory> {
  const path = await initObjectDirectory(scratchRoot, idLike, signal);
  return { path, isReused: false, discard: () => undefined, release: () => removeDirectory(path) };
}

/** Never throws: what cannot be removed is removed at the next start. */
export async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

export interface StoredPacks {
  packs: number;
  bytes: number;
  /** Files of transfers that did not end. */
  unfinished: string[];
}

/** What is stored in a repository. */
export async function listPacks(directory: string): Promise<StoredPacks> {
  const folder = join(directory, 'objects', 'pack');
  const found: StoredPacks = { packs: 0, bytes: 0, unfinished: [] };
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (name.startsWith('tmp_')) found.unfinished.push(path);
    if (name.endsWith('.pack')) found.packs += 1;
    found.bytes += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return found;
}
