import { createGitRepository, type GitRepository, type TreeEdit } from '@devkit';

const FILES_PER_FOLDER = 1000;
const MEBIBYTE = 1024 * 1024;

/** A repository of many small source files, one chunk each, all different. */
export async function manySmallFiles(directory: string, files: number): Promise<GitRepository> {
  return filled(directory, smallFiles(files));
}

/**
 * A repository that is large by a few files: they are mostly holes, so that git packs them to almost nothing, and as
 * long as any other to whoever reads them. One in four is text of one line over and over, the others are zeros.
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
      // Among the small files by name, so that whoever reads in order meets them on the way.
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
