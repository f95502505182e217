import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { type GitCommit, parseCommit } from './commit.js';
import { diffCommits, type GitChange } from './diff.js';
import { askGit, endOf, spawnGit } from './git-command.js';
import { type GitObject, ObjectReader } from './object-reader.js';
import { isFullSha, isSafeRevision } from './revision.js';
import { readTree, type TreeListing } from './tree.js';

export interface GitBranch {
  name: string;
  commit: string;
}

/** Trees kept in memory: enough to page through a few commits at once, independent of the length of the history. */
const CACHED_TREES = 8;

/**
 * Reads one local repository: bare, with a working tree, a linked worktree, or shallow. Two `git cat-file` processes run as
 * long as the reader; {@link close} ends them and all other git processes.
 */
export class GitReader {
  private readonly contents: ObjectReader;
  private readonly headers: ObjectReader;
  private readonly trees = new Map<string, Promise<TreeListing>>();
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  private constructor(readonly gitDirectory: string) {
    this.contents = new ObjectReader(gitDirectory, '--batch');
    this.headers = new ObjectReader(gitDirectory, '--batch-check');
  }

  /** @throws invalid `git_failed` when the directory is not inside a repository. */
  static async open(directory: string): Promise<GitReader> {
    return new GitReader(await askGit(directory, ['rev-parse', '--absolute-git-dir']));
  }

  /** Local branches by name. */
  async branches(): Promise<GitBranch[]> {
    const format = '%(objectname) %(refname:lstrip=2)';
    const lines = await this.ask(['for-each-ref', `--format=${format}`, 'refs/heads']);
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '))
      .map(([commit = '', name = '']) => ({ commit, name }));
  }

  /** The commit of a SHA, branch or tag, or null. */
  async commitOf(revision: string): Promise<string | null> {
    if (!isSafeRevision(revision)) return null;
    return (await this.headers.read(`${revision}^{commit}`))?.sha ?? null;
  }

  async branchCommit(branch: string): Promise<string | null> {
    return isSafeRevision(branch) ? this.commitOf(`refs/heads/${branch}`) : null;
  }

  /** The branch of HEAD, which may have no commit yet; null when HEAD is detached. */
  async headBranch(): Promise<string | null> {
    // Reads the file instead of running git, because every request for a branch needs it.
    const head = await readFile(join(this.gitDirectory, 'HEAD'), 'utf8');
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null;
  }

  async blob(sha: string): Promise<GitObject | null> {
    return ofType('blob', isFullSha(sha) ? await this.contents.read(sha) : null);
  }

  async blobHeader(sha: string): Promise<GitObject | null> {
    return ofType('blob', isFullSha(sha) ? await this.headers.read(sha) : null);
  }

  async commit(sha: string): Promise<GitCommit | null> {
    const object = ofType('commit', isFullSha(sha) ? await this.contents.read(sha) : null);
    return object === null ? null : parseCommit(sha, object.content);
  }

  /** @param commit a full SHA. */
  tree(commit: string): Promise<TreeListing> {
    const known = this.trees.get(commit);
    if (known !== undefined) return known;
    const listing = this.track(readTree(this.gitDirectory, commit, this.closing.signal));
    this.trees.set(commit, listing);
    listing.catch(() => this.trees.delete(commit));
    const [oldest] = this.trees.keys();
    if (this.trees.size > CACHED_TREES && oldest !== undefined) this.trees.delete(oldest);
    return listing;
  }

  /** The newest commit that changed the path. */
  lastCommitOf(commit: string, path: string): Promise<string> {
    return this.ask(['--literal-pathspecs', 'log', '-1', '--format=%H', commit, '--', path]);
  }

  /** Null when the histories have no common commit. */
  async mergeBase(one: string, other: string): Promise<string | null> {
    return this.ask(['merge-base', one, other]).catch(() => null);
  }

  /** SHAs reachable from `to` and not from `from`, oldest first. */
  async commitsBetween(from: string, to: string): Promise<string[]> {
    const lines = await this.ask(['rev-list', '--reverse', `${from}..${to}`, '--']);
    return lines.split('\n').filter((line) => line !== '');
  }

  diff(from: string, to: string): Promise<GitChange[]> {
    return this.track(diffCommits(this.gitDirectory, from, to, this.closing.signal));
  }

  /** Lines added and deleted by a commit. */
  async lineCounts(commit: string): Promise<{ additions: number; deletions: number }> {
    const line = await this.ask([
      'diff-tree',
      '--root',
      '--shortstat',
      '-M',
      '--diff-merges=first-parent',
      '--no-commit-id',
      commit,
      '--',
    ]);
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
    return { additions: count('insertion'), deletions: count('deletion') };
  }

  /** Streams `git archive`. Destroying the stream ends the process; a failure of git destroys the stream. */
  archive(commit: string, options: ArchiveOptions): Readable {
    const pathspecs = [
      ...(options.path === '' ? [] : [`:(literal)${options.path}`]),
      ...options.excludedPaths.map((path) => `:(exclude,literal)${path}`),
    ];
    const child = spawnGit(
      this.gitDirectory,
      ['archive', `--format=${options.format}`, `--prefix=${options.topFolder}/`, commit, '--', ...pathspecs],
      { signal: this.closing.signal },
    );
    child.stdin.end();
    child.stderr.resume();
    const end = endOf(child);
    child.once('exit', (code) => {
      if (code !== 0) child.stdout.destroy(new Error(`git archive ended with ${code}`));
    });
    void this.track(end);
    return child.stdout;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.contents.close(), this.headers.close(), Promise.allSettled(this.running)]);
  }

  private ask(args: readonly string[]): Promise<string> {
    return this.track(askGit(this.gitDirectory, args, { signal: this.closing.signal }));
  }

  private track<T>(work: Promise<T>): Promise<T> {
    const untrack = () => void this.running.delete(work);
    this.running.add(work);
    work.then(untrack, untrack);
    return work;
  }
}

export interface ArchiveOptions {
  format: 'tar' | 'tar.gz';
  topFolder: string;
  /** Empty for the whole tree. */
  path: string;
  excludedPaths: readonly string[];
}

function ofType(type: string, object: GitObject | null): GitObject | null {
  return object?.type === type ? object : null;
}
