import { createGitRepository, type GitRepository, type TreeEdit } from '@devkit';

const FILES_PER_FOLDER = 1000;
const MEBIBYTE = 1024 * 1024;

/** Creates a repository of many small source files, one chunk each, all different. */
export async function manySmallFiles(directory: string, files: number): Promise<GitRepository> {
  return filled(directory, smallFiles(files));
}

/**
 * Creates a repository whose size comes from a few large files. They are mostly zeros, so that git compresses them to almost
 * nothing, while readers get their full length. One in four is text of one repeated line, the others are zeros.
 */
export async function sparseRepository(
  directory: string,
  {
    smallFiles: small,
    largeFiles,
    mebibytesEach,
  }: { smallFiles: number; largeFiles: number; mebibytesEach: number },
): Promise<GitRepository> {
  function* edits(): Generator<TreeEdit> {
    yield* smallFiles(small);
    for (let number = 0; number < largeFiles; number++) {
      const filler = number % 4 === 0 ? 'the same line, over and over\n' : '\0';
      const content = Buffer.alloc(mebibytesEach * MEBIBYTE, filler);
      content.write(`file ${number}\n`);
      // Their names sort among the small files, so that a reader in order meets them on the way.
      yield { kind: 'put', path: `src/part${number}/large${number}.dat`, mode: '100644', content };
    }
  }
  return filled(directory, edits());
}

function* smallFiles(files: number): Generator<TreeEdit> {
  for (let number = 0; number < files; number++) {
    const path = `src/part${Math.floor(number / FILES_PER_FOLDER)}/file${number}.ts`;
    yield { kind: 'put', path, mode: '100644', content: smallText(number) };
  }
}

function smallText(number: number): string {
  return `/** Doubles what file ${number} is given. */\nexport function double${number}(value: number): number {\n  return value * 2;\n}\n`;
}

async function filled(directory: string, edits: Iterable<TreeEdit>): Promise<GitRepository> {
  const git = await createGitRepository(directory, { bare: true });
  await git.commitEdits(edits, 'Fill the repository');
  return git;
}
