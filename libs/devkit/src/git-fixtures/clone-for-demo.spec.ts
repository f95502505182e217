import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askGit } from '../git/git-command.js';
import { listTree } from '../git/tree.js';
import { cloneForDemo } from './clone-for-demo.js';
import { createGitRepository, type GitRepository } from './git-repository.js';

let folder: string;
let original: GitRepository;
let commits: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-clone-'));
  original = await createGitRepository(join(folder, 'My project'), { branch: 'trunk' });
  commits = [];
  for (const content of ['1', '2', '3']) commits.push(await original.write('src/a', content).commit());
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function expectSameTree(cloned: string, from: string, revision: string): Promise<void> {
  expect(await listTree(cloned, 'HEAD')).toEqual(await listTree(from, revision));
}

describe('cloneForDemo', () => {
  it('copies the checked-out branch and does not change the original', async () => {
    const before = await readdir(original.directory, { recursive: true });
    const clone = await cloneForDemo(original.directory, join(folder, 'demo'));
    expect(clone).toMatchObject({ branch: 'trunk', commit: commits[2], name: 'My-project' });
    await expectSameTree(clone.repository.directory, original.directory, 'HEAD');
    await clone.repository.write('new', 'x').commit();
    await clone.repository.reset(`${commits[2]}~1`);
    expect(await clone.repository.head()).toBe(commits[1]);
    expect(await readdir(original.directory, { recursive: true })).toEqual(before);
    expect(await original.head()).toBe(commits[2]);
  });

  it('copies a detached HEAD as the branch main', async () => {
    await original.detach(commits[1]);
    const clone = await cloneForDemo(original.directory, join(folder, 'demo'));
    expect(clone).toMatchObject({ branch: 'main', commit: commits[1] });
    await expectSameTree(clone.repository.directory, original.directory, commits[1] ?? '');
  });

  it('copies a shallow clone', async () => {
    const shallow = join(folder, 'shallow');
    await askGit(folder, ['clone', '--quiet', '--depth=1', `file://${original.directory}`, shallow]);
    const clone = await cloneForDemo(shallow, join(folder, 'demo'));
    expect(clone.commit).toBe(commits[2]);
    await expectSameTree(clone.repository.directory, original.directory, 'HEAD');
  });

  it('copies the commit of a linked worktree, from any folder in it', async () => {
    const worktree = join(folder, 'linked');
    await original.git('worktree', 'add', '--quiet', '-b', 'side', worktree, `${commits[0]}`);
    const clone = await cloneForDemo(join(worktree, 'src'), join(folder, 'demo'));
    expect(clone).toMatchObject({ branch: 'side', commit: commits[0], name: 'linked' });
    await expectSameTree(clone.repository.directory, original.directory, commits[0] ?? '');
  });

  it('copies a bare repository with a packed history', async () => {
    const bare = join(folder, 'mirror.git');
    await askGit(folder, ['clone', '--quiet', '--bare', original.directory, bare]);
    await askGit(bare, ['gc', '--quiet']);
    const clone = await cloneForDemo(bare, join(folder, 'demo'));
    expect(clone).toMatchObject({ branch: 'trunk', commit: commits[2], name: 'mirror' });
  });

  it('copies a repository without commits', async () => {
    const empty = await createGitRepository(join(folder, 'empty'));
    const clone = await cloneForDemo(empty.directory, join(folder, 'demo'));
    expect(clone).toMatchObject({ branch: 'main', commit: null });
  });

  it('refuses a folder that is not a repository, and names the remedy', async () => {
    const plain = join(folder, 'plain');
    await mkdir(plain);
    await writeFile(join(plain, 'a'), 'a');
    const cloning = cloneForDemo(plain, join(folder, 'demo'));
    await expect(cloning).rejects.toMatchObject({ kind: 'invalid', code: 'not_a_git_repository' });
    await expect(cloneForDemo(join(folder, 'nowhere'), join(folder, 'demo'))).rejects.toMatchObject({
      code: 'not_a_git_repository',
    });
  });
});
