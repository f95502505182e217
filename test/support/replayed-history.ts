import { join } from 'node:path';
import { cloneForDemo, createGitRepository, type GitRepository } from '@devkit';

export interface ReplayedHistory {
  /** A bare repository; its branch `main` is reset to one commit after the other. */
  repository: GitRepository;
  /** The oldest first, each the parent of the next. */
  commits: string[];
  /** What was replayed, as text. */
  origin: string;
}

/** The last commits of the repository in REPLAYED_REPOSITORY, or of this project; generated ones where it has fewer. */
export async function replayedHistory(directory: string, count: number): Promise<ReplayedHistory> {
  const path = process.env['REPLAYED_REPOSITORY'];
  const found = await copiedHistory(path ?? '.', join(directory, 'copied'), count);
  if (found === null && path !== undefined)
    throw new Error(`REPLAYED_REPOSITORY=${path} is no repository with ${count} commits on its branch.`);
  return found ?? generatedHistory(join(directory, 'generated'), count);
}

/** Null in a shallow clone or outside of a repository. */
async function copiedHistory(path: string, target: string, count: number): Promise<ReplayedHistory | null> {
  try {
    const { repository, branch, name } = await cloneForDemo(path, target, count + 1);
    const listed = await repository.git('rev-list', '--first-parent', '--reverse', branch);
    const commits = listed.split('\n').slice(-count);
    if (commits.length < count) return null;
    if (branch !== 'main') await repository.branch('main', branch);
    await repository.checkout('main');
    return {
      repository,
      commits,
      origin: `the last ${count} commits of ${path === '.' ? 'this project' : name}`,
    };
  } catch {
    return null;
  }
}

async function generatedHistory(target: string, count: number): Promise<ReplayedHistory> {
  const repository = await createGitRepository(target, { bare: true });
  const commits: string[] = [];
  for (let number = 0; number < count; number += 1) {
    for (let file = 0; file < 5; file += 1) {
      const path = `libs/core/part${(number * file) % 7}/file${file}.ts`;
      repository.write(path, `export const value = ${number};\n`);
    }
    if (number % 4 === 3) repository.rename('libs/core/part0', `libs/core/moved${number}`);
    commits.push(await repository.commit());
  }
  return { repository, commits, origin: `${count} generated commits` };
}
