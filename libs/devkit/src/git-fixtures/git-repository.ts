import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RepotideError } from '@core/domain';
import { askGit } from '../git/git-command.js';
import { isSafeRevision } from '../git/revision.js';
import { importCommit, type TreeEdit } from './fast-import.js';

/** Commits are a minute apart from this time on, so that equal histories have equal SHAs. 2024-01-01T00:00:00Z. */
const FIRST_COMMIT_SECONDS = 1_704_067_200;
const SECONDS_BETWEEN_COMMITS = 60;

/**
 * A real git repository for tests. Edits are collected until {@link commit} writes them. The user's git configuration has no
 * effect. Not safe for concurrent calls.
 */
export class GitRepository {
  private edits: TreeEdit[] = [];

  constructor(
    readonly directory: string,
    private readonly hasWorkTree: boolean,
  ) {}

  write(path: string, content: string | Uint8Array, options: { executable?: boolean } = {}): this {
    return this.edit({ kind: 'put', path, content, mode: options.executable === true ? '100755' : '100644' });
  }

  writeAll(files: Readonly<Record<string, string | Uint8Array>>): this {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    return this;
  }

  /** A file or a whole folder. */
  rename(from: string, to: string): this {
    return this.edit({ kind: 'rename', from, to });
  }

  /** A file or a whole folder. */
  delete(path: string): this {
    return this.edit({ kind: 'delete', path });
  }

  symlink(path: string, target: string): this {
    return this.edit({ kind: 'put', path, content: target, mode: '120000' });
  }

  /** @param commit SHA in another repository; this repository need not contain it. */
  submodule(path: string, commit: string): this {
    return this.edit({ kind: 'submodule', path, commit });
  }

  lfsPointer(path: string, object: { oid: string; sizeBytes: number }): this {
    const lines = [
      'version https://git-lfs.github.com/spec/v1',
      `oid sha256:${object.oid}`,
      `size ${object.sizeBytes}`,
    ];
    return this.write(path, `${lines.join('\n')}\n`);
  }

  /** Writes the collected edits on the current branch and returns the new commit's SHA. */
  async commit(message = 'Change files'): Promise<string> {
    const edits = this.edits;
    this.edits = [];
    return this.commitEdits(edits, message);
  }

  /** Like {@link commit}, for edits that together would not fit into memory. */
  async commitEdits(edits: Iterable<TreeEdit>, message: string): Promise<string> {
    const tip = await this.currentTip();
    const branch = tip?.branch ?? (await this.currentBranch());
    const parent = tip?.commit ?? null;
    const atSeconds = tip === null ? FIRST_COMMIT_SECONDS : tip.atSeconds + SECONDS_BETWEEN_COMMITS;
    const commit = await importCommit(this.directory, { branch, parent, message, atSeconds, edits });
    if (this.hasWorkTree) await this.git('reset', '--hard', '--quiet');
    return commit;
  }

  /** The SHA of HEAD. @throws not_found `revision_not_found` before the first commit. */
  async head(): Promise<string> {
    const commit = await this.resolve('HEAD');
    if (commit === null) throw noSuchRevision(this.directory, 'HEAD');
    return commit;
  }

  /** @throws conflict `head_detached` after {@link detach}. */
  async currentBranch(): Promise<string> {
    const branch = await askGit(this.directory, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(
      () => null,
    );
    if (branch !== null) return branch;
    throw new RepotideError('conflict', 'head_detached', `HEAD of ${this.directory} is on no branch.`);
  }

  /** Creates a branch, or moves it from any commit. */
  async branch(name: string, revision = 'HEAD'): Promise<void> {
    await this.git('update-ref', `refs/heads/${name}`, await this.commitOf(revision));
  }

  async deleteBranch(name: string): Promise<void> {
    await this.git('update-ref', '-d', `refs/heads/${name}`);
  }

  async tag(name: string, revision = 'HEAD'): Promise<void> {
    await this.git('update-ref', `refs/tags/${name}`, await this.commitOf(revision));
  }

  /** Makes the branch current. A new branch starts a new history with the next commit. */
  async checkout(branch: string): Promise<void> {
    await this.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
    await this.refreshWorkTree();
  }

  async detach(revision = 'HEAD'): Promise<void> {
    await this.git('update-ref', '--no-deref', 'HEAD', await this.commitOf(revision));
    await this.refreshWorkTree();
  }

  /** Moves the current branch to any commit, as a force-push does. */
  async reset(revision: string): Promise<void> {
    await this.branch(await this.currentBranch(), revision);
    await this.refreshWorkTree();
  }

  /** Deletes unreachable objects: after it, a SHA from before a force-push is unknown. */
  async dropUnreachable(): Promise<void> {
    await this.git('reflog', 'expire', '--expire=now', '--all');
    await this.git('-c', 'gc.auto=0', 'repack', '-a', '-d', '-q');
    await this.git('prune', '--expire=now');
  }

  /** Any other git command; returns its standard output, trimmed. @throws invalid `git_failed`. */
  git(...args: string[]): Promise<string> {
    return askGit(this.directory, args);
  }

  private edit(edit: TreeEdit): this {
    this.edits.push(edit);
    return this;
  }

  private async commitOf(revision: string): Promise<string> {
    const commit = isSafeRevision(revision.replace(/[~^\d]+$/, '')) ? await this.resolve(revision) : null;
    if (commit === null) throw noSuchRevision(this.directory, revision);
    return commit;
  }

  private resolve(revision: string): Promise<string | null> {
    return this.git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).catch(() => null);
  }

  /** Null on a branch without a commit, and without a branch. Uses one process instead of three. */
  private async currentTip(): Promise<{ branch: string; commit: string; atSeconds: number } | null> {
    const format = '%(HEAD) %(objectname) %(committerdate:unix) %(refname:lstrip=2)';
    const lines = (await this.git('for-each-ref', `--format=${format}`, 'refs/heads')).split('\n');
    const [, commit, atSeconds, branch] = lines.find((line) => line.startsWith('* '))?.split(' ') ?? [];
    if (branch === undefined || commit === undefined) return null;
    return { branch, commit, atSeconds: Number(atSeconds) };
  }

  private async refreshWorkTree(): Promise<void> {
    if (this.hasWorkTree && (await this.resolve('HEAD')) !== null)
      await this.git('reset', '--hard', '--quiet');
  }
}

/** Creates an empty repository on the branch `main`. @throws invalid `git_failed`. */
export async function createGitRepository(
  directory: string,
  options: { bare?: boolean; branch?: string; objectFormat?: 'sha1' | 'sha256' } = {},
): Promise<GitRepository> {
  await mkdir(directory, { recursive: true });
  const isBare = options.bare ?? false;
  const branch = options.branch ?? 'main';
  const kind = [`--object-format=${options.objectFormat ?? 'sha1'}`, ...(isBare ? ['--bare'] : [])];
  await askGit(directory, ['init', '--quiet', '--template=', `--initial-branch=${branch}`, ...kind]);
  return new GitRepository(resolve(directory), !isBare);
}

/** Opens a repository to add commits to it. @throws invalid `git_failed` when there is none. */
export async function openGitRepository(directory: string): Promise<GitRepository> {
  const isBare = (await askGit(directory, ['rev-parse', '--is-bare-repository'])) === 'true';
  return new GitRepository(resolve(directory), !isBare);
}

function noSuchRevision(directory: string, revision: string): RepotideError {
  return new RepotideError(
    'not_found',
    'revision_not_found',
    `${directory} has no commit called ${revision}.`,
  );
}
