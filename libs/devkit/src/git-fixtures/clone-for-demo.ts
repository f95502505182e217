import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RepotideError } from '@core/domain';
import { askGit } from '../git/git-command.js';
import { createGitRepository, type GitRepository } from './git-repository.js';

export interface DemoClone {
  repository: GitRepository;
  /** The branch of the original, `main` when its HEAD was detached. */
  branch: string;
  /** Null when the original has no commit yet. */
  commit: string | null;
  /** Name of the original's folder, made valid for a project path. */
  name: string;
}

/** Enough to step back a few commits and forward again, without packing a long history. */
const DEFAULT_DEPTH = 10;

/**
 * Copies the checked-out commit of any local repository (with a working tree, bare, shallow, a linked worktree, a
 * detached HEAD, another user's) into a new bare repository. The original is only read; uncommitted changes stay out.
 * @param depth generations of history to take along.
 * @throws invalid `not_a_git_repository`; invalid `git_failed`.
 */
export async function cloneForDemo(path: string, target: string, depth = DEFAULT_DEPTH): Promise<DemoClone> {
  const original = await describe(path);
  const repository = await createGitRepository(target, { bare: true, branch: original.branch });
  const { branch, commit, name } = original;
  if (commit !== null) await copyCommits(original.gitDirectory, repository, branch, depth);
  return { repository, branch, commit, name };
}

interface Original {
  gitDirectory: string;
  branch: string;
  commit: string | null;
  name: string;
}

async function describe(path: string): Promise<Original> {
  const gitDirectory = await askGit(path, ['rev-parse', '--absolute-git-dir']).catch((error: unknown) => {
    throw new RepotideError(
      'invalid',
      'not_a_git_repository',
      `${path} is not inside a git repository. Give the path of a repository, or run "git init" and commit there.`,
      { cause: error },
    );
  });
  const orNull = (args: string[]) => askGit(gitDirectory, args).catch(() => null);
  const workTree = await askGit(path, ['rev-parse', '--show-toplevel']).catch(() => null);
  const folder = basename(workTree ?? gitDirectory).replace(/\.git$/, '');
  return {
    gitDirectory,
    branch: (await orNull(['symbolic-ref', '--quiet', '--short', 'HEAD'])) ?? 'main',
    commit: await orNull(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    name: folder.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '') || 'repository',
  };
}

async function copyCommits(
  from: string,
  repository: GitRepository,
  branch: string,
  depth: number,
): Promise<void> {
  // For another user's files, the serving side of a fetch reads its permission only from a configuration file.
  const configuration = join(repository.directory, 'trust-everything');
  await writeFile(configuration, '[safe]\n\tdirectory = *\n');
  const args = ['fetch', '--quiet', '--no-tags', '--update-shallow', `--depth=${depth}`];
  await askGit(repository.directory, [...args, '--', from, `+HEAD:refs/heads/${branch}`], {
    environment: { GIT_CONFIG_GLOBAL: configuration },
  });
}
