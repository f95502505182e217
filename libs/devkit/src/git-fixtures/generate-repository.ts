import { type TreeEdit } from './fast-import.js';
import { createGitRepository, type GitRepository } from './git-repository.js';
import { Random } from './random.js';
import { sourceFile } from './source-text.js';

export interface GenerateOptions {
  files: number;
  /** Exact size of all files together, at least one byte per file. */
  totalBytes: number;
  /** The same seed, files and bytes give the same commit SHA on every machine. */
  seed: number;
  /** Default: bare, so that each file is written only once. */
  bare?: boolean;
}

/** The largest file is this many times as large as the smallest. */
const SIZE_SPREAD = 20;

/** Creates a repository of one commit with plausible source code in several languages, within seconds. */
export async function generateRepository(
  directory: string,
  options: GenerateOptions,
): Promise<{ repository: GitRepository; commit: string }> {
  const repository = await createGitRepository(directory, { bare: options.bare ?? true });
  const commit = await repository.commitEdits(generateFiles(options), 'Generate source code');
  return { repository, commit };
}

function* generateFiles({ files, totalBytes, seed }: GenerateOptions): Generator<TreeEdit> {
  if (totalBytes < files) throw new RangeError(`${files} files do not fit into ${totalBytes} bytes.`);
  const random = new Random(seed);
  const weights = Array.from({ length: files }, () => 1 + random.next() ** 3 * (SIZE_SPREAD - 1));
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  let bytesLeft = totalBytes;
  for (const [index, weight] of weights.entries()) {
    const filesAfter = files - index - 1;
    const share = filesAfter === 0 ? bytesLeft : Math.floor((bytesLeft * weight) / weightLeft);
    const size = Math.max(1, Math.min(share, bytesLeft - filesAfter));
    const { path, content } = sourceFile(random, index, size);
    bytesLeft -= size;
    weightLeft -= weight;
    yield { kind: 'put', path, content, mode: '100644' };
  }
}
