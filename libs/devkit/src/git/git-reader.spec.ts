import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGitRepository, type GitRepository } from '../git-fixtures/git-repository.js';
import { askGit } from './git-command.js';
import { GitReader } from './git-reader.js';
import { isSafeRevision } from './revision.js';

let folder: string;
let repository: GitRepository;
let commits: string[];
let reader: GitReader;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-reader-'));
  repository = await createGitRepository(join(folder, 'work'));
  commits = [];
  for (const content of ['1', '2', '3']) commits.push(await repository.write('src/ä', content).commit());
  reader = await GitReader.open(repository.directory);
});

afterEach(async () => {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

/** Expectations for every kind of repository. */
async function expectReadable(
  other: GitReader,
  branch: string,
  commit: string,
  content: string,
): Promise<void> {
  try {
    const branches = await other.branches();
    expect(branches.find(({ name }) => name === branch)).toMatchObject({ commit });
    expect(await other.commitOf(branch)).toBe(commit);
    const entry = (await other.tree(commit)).find('src/ä');
    expect((await other.blob(entry?.sha ?? ''))?.content.toString()).toBe(content);
    const archive = other.archive(commit, { format: 'tar', topFolder: 'top', path: '', excludedPaths: [] });
    expect(await text(archive)).toContain('top/src/');
  } finally {
    await other.close();
  }
}

describe('GitReader', () => {
  it('reads a bare repository', async () => {
    const bare = join(folder, 'bare.git');
    await askGit(folder, ['clone', '--quiet', '--bare', repository.directory, bare]);
    await expectReadable(await GitReader.open(bare), 'main', commits[2] ?? '', '3');
  });

  it('reads from a folder inside a working tree, and from its .git', async () => {
    await expectReadable(
      await GitReader.open(join(repository.directory, 'src')),
      'main',
      commits[2] ?? '',
      '3',
    );
    await expectReadable(
      await GitReader.open(join(repository.directory, '.git')),
      'main',
      commits[2] ?? '',
      '3',
    );
  });

  it('reads the HEAD of a linked worktree', async () => {
    const linked = join(folder, 'linked');
    await repository.git('worktree', 'add', '--quiet', '-b', 'side', linked, `${commits[0]}`);
    const other = await GitReader.open(linked);
    expect(await other.headBranch()).toBe('side');
    await expectReadable(other, 'side', commits[0] ?? '', '1');
  });

  it('reads a shallow clone, and finds no commits beyond its depth', async () => {
    const shallow = join(folder, 'shallow');
    await askGit(folder, ['clone', '--quiet', '--depth=1', `file://${repository.directory}`, shallow]);
    const other = await GitReader.open(shallow);
    expect(await other.commitOf(commits[0] ?? '')).toBeNull();
    await expectReadable(other, 'main', commits[2] ?? '', '3');
  });

  it('sees a push at once, and no longer finds commits that a force-push removed', async () => {
    expect(await reader.branchCommit('main')).toBe(commits[2]);
    const dropped = (await reader.tree(commits[2] ?? '')).find('src/ä')?.sha ?? '';
    expect(await reader.blob(dropped)).not.toBeNull();
    await repository.reset(`${commits[2]}~1`);
    const pushed = await repository.write('src/ä', 'other').commit();
    expect(await reader.branchCommit('main')).toBe(pushed);
    await repository.dropUnreachable();
    expect(await reader.commitOf(commits[2] ?? '')).toBeNull();
    expect(await reader.blob(dropped)).toBeNull();
    expect((await reader.commit(pushed))?.message).toBe('Change files');
    expect(await reader.commitOf('main')).toBe(pushed);
  });

  it('answers a thousand concurrent requests, each with the right object', async () => {
    for (let index = 0; index < 1000; index += 1) repository.write(`many/${index}`, `${index}`.repeat(index));
    const listing = await reader.tree(await repository.commit());
    const sizes = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const sha = listing.find(`many/${index}`)?.sha ?? '';
        const [object, header] = await Promise.all([reader.blob(sha), reader.blobHeader(sha)]);
        return [
          object?.content.toString() === `${index}`.repeat(index),
          header?.sizeBytes === object?.sizeBytes,
        ];
      }),
    );
    expect(sizes.flat()).not.toContain(false);
  });

  it('accepts no revision that git could read as an option or an expression', async () => {
    await repository.branch('--output=x');
    for (const revision of [
      '--output=x',
      '--all',
      'HEAD~1',
      'a..b',
      'a\nb',
      '@{-1}',
      'main:src',
      '',
      ' main',
      ':/Change',
      '^main',
    ]) {
      expect(isSafeRevision(revision)).toBe(false);
      expect(await reader.commitOf(revision)).toBeNull();
    }
    for (const revision of ['main', 'feature/x-1', 'v1.2.3', 'ünï', commits[0] ?? '']) {
      expect(isSafeRevision(revision)).toBe(true);
    }
  });

  it('ends all its processes on close, also during a read', async () => {
    await reader.blob((await reader.tree(commits[0] ?? '')).find('src/ä')?.sha ?? '');
    await reader.commitOf('main');
    const archive = reader.archive(commits[0] ?? '', {
      format: 'tar',
      topFolder: 'top',
      path: '',
      excludedPaths: [],
    });
    archive.on('error', () => undefined);
    const open = reader.diff(commits[0] ?? '', commits[2] ?? '').catch(() => 'ended');
    expect(gitChildren()).not.toHaveLength(0);
    await reader.close();
    expect(gitChildren()).toHaveLength(0);
    await open;
    await expect(reader.blob(commits[0] ?? '')).rejects.toMatchObject({ code: 'git_stopped' });
  });

  it('refuses a folder that is not a repository', async () => {
    await expect(GitReader.open(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'git_failed' });
  });
});

function gitChildren(): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,comm='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => new RegExp(`^\\s*${process.pid} .*git`).test(line));
}
