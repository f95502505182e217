import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTree } from '../git/tree.js';
import { createGitRepository, openGitRepository } from './git-repository.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-workshop-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const SUBMODULE_COMMIT = '1234567890123456789012345678901234567890';

describe('createGitRepository', () => {
  it('commits files, symlinks, submodules and LFS pointers as git itself lists them', async () => {
    const repository = await createGitRepository(join(folder, 'a'));
    await repository
      .writeAll({ 'README.md': 'hello\n', 'src/ä ö/日本語.ts': 'export {};\n', 'odd/"quoted"\nname\\': 'x' })
      .write('bin/run', '#!/bin/sh\n', { executable: true })
      .symlink('link', 'README.md')
      .submodule('vendor/lib', SUBMODULE_COMMIT)
      .lfsPointer('big.bin', { oid: 'a'.repeat(64), sizeBytes: 42 })
      .commit();
    const tree = await listTree(repository.directory, 'main');
    const modes = Object.fromEntries(tree.map(({ path, mode }) => [path, mode]));
    expect(modes).toEqual({
      'README.md': '100644',
      'src/ä ö/日本語.ts': '100644',
      'odd/"quoted"\nname\\': '100644',
      'bin/run': '100755',
      link: '120000',
      'vendor/lib': '160000',
      'big.bin': '100644',
    });
    expect(tree.find(({ path }) => path === 'vendor/lib')).toMatchObject({
      type: 'commit',
      sha: SUBMODULE_COMMIT,
    });
    expect(await readFile(join(repository.directory, 'odd/"quoted"\nname\\'), 'utf8')).toBe('x');
    expect(await readlink(join(repository.directory, 'link'))).toBe('README.md');
    execFileSync('git', ['fsck', '--strict'], { cwd: repository.directory, stdio: 'ignore' });
  });

  it('renames and deletes files and folders', async () => {
    const repository = await createGitRepository(join(folder, 'a'), { bare: true });
    await repository.writeAll({ 'a/1': '1', 'a/2': '2', 'b/3': '3', c: '4' }).commit();
    await repository.rename('a', 'z').delete('b').rename('c', 'd').commit();
    const paths = (await listTree(repository.directory, 'HEAD')).map(({ path }) => path);
    expect(paths).toEqual(['d', 'z/1', 'z/2']);
  });

  it('gives equal histories equal SHAs, independent of the user’s configuration', async () => {
    const build = async (name: string) => {
      const repository = await createGitRepository(join(folder, name));
      await repository.write('a', '1').commit('First');
      return repository.write('a', '2').commit('Second');
    };
    expect(await build('one')).toBe(await build('two'));
  });

  it('moves a branch back and to another history, as a force-push does', async () => {
    const repository = await createGitRepository(join(folder, 'a'));
    const first = await repository.write('a', '1').commit();
    const second = await repository.write('a', '2').commit();
    await repository.reset(first);
    const other = await repository.write('a', '3').commit();
    expect(await repository.git('rev-parse', 'HEAD~1')).toBe(first);
    expect(await repository.git('cat-file', '-t', second)).toBe('commit');
    await repository.dropUnreachable();
    await expect(repository.git('cat-file', '-t', second)).rejects.toMatchObject({ code: 'git_failed' });
    expect(await repository.head()).toBe(other);
  });

  it('keeps branches separate and throws when HEAD is detached', async () => {
    const repository = await createGitRepository(join(folder, 'a'));
    await expect(repository.head()).rejects.toMatchObject({ code: 'revision_not_found' });
    const main = await repository.write('a', '1').commit();
    await repository.branch('feature/x');
    await repository.checkout('feature/x');
    const feature = await repository.write('b', '2').commit();
    expect(await repository.git('rev-parse', 'refs/heads/main')).toBe(main);
    await repository.checkout('orphan');
    await repository.write('only', '3').commit();
    expect(await repository.git('rev-list', '--count', 'HEAD')).toBe('1');
    await repository.detach('feature/x');
    expect(await repository.head()).toBe(feature);
    await expect(repository.commit()).rejects.toMatchObject({ code: 'head_detached' });
  });

  it('opens a repository that another process created', async () => {
    const made = await createGitRepository(join(folder, 'a'));
    const first = await made.write('a', '1').commit();
    const opened = await openGitRepository(made.directory);
    await opened.write('b', '2').commit();
    expect(await opened.git('rev-parse', 'HEAD~1')).toBe(first);
  });
});
