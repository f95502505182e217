import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pathOf, type TreeEntry } from '@core/domain';
import { createGitRepository, type GitRepository, listTree } from '@devkit';
import { comparePaths, TreeIds } from './git-trees.js';

/** Names that sort differently by characters, by bytes, and as folders; `\u{1f30a}` is beyond U+FFFF. */
const NAMES = ['a', 'a-b', 'a.c', 'a0', 'ab', 'A', 'b', '\u{1f30a}', '\uff5e', 'é', ' ', '~', '#'];

describe('TreeIds', () => {
  let git: GitRepository;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-tree-'));
    git = await createGitRepository(directory, { bare: true });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function rootByGit(): Promise<TreeEntry[]> {
    const listed = (await git.git('ls-tree', '-z', 'HEAD')).split('\0').filter((line) => line !== '');
    return listed.map((line) => {
      const [mode = '', , blobSha = ''] = line.slice(0, line.indexOf('\t')).split(' ');
      return { path: line.slice(line.indexOf('\t') + 1), mode, blobSha };
    });
  }

  async function rootByUs(): Promise<readonly TreeEntry[]> {
    const ids = new TreeIds();
    const files = (await listTree(directory, 'HEAD')).map(({ path, mode, sha }) => ({
      path,
      mode,
      blobSha: sha,
    }));
    for (const file of files.sort((left, right) => comparePaths(left.path, right.path))) ids.add(file);
    return ids.rootEntries();
  }

  it('computes the same ids as git, whatever the names', async () => {
    for (const name of NAMES) {
      git.write(`files/${name}`, name);
      for (const inner of NAMES) git.write(`folders/${name}/${inner}/file`, `${name} ${inner}`);
    }
    for (const name of ['x', 'x-', 'x.', 'x0']) git.write(`${name}/deep/${name}`, name);
    git.write('x.txt', 'a file between folders');
    git.write('tools/run', 'echo', { executable: true });
    git.symlink('tools/link', 'run');
    git.submodule('tools/other', 'c'.repeat(40));
    await git.commit();
    expect(await rootByUs()).toEqual(await rootByGit());
  });

  it('computes another id for a folder with any difference', async () => {
    const before = await rootByUs();
    git.write('folders/a/a/file', 'changed');
    git.write('tools/run', 'echo');
    git.delete('files/#');
    await git.commit();
    const after = await rootByUs();
    expect(after).toEqual(await rootByGit());
    const changed = after.filter((entry) => !before.some(({ blobSha }) => blobSha === entry.blobSha));
    expect(changed.map(({ path }) => path)).toEqual(['files', 'folders', 'tools']);
  });

  it('computes the same ids as git when names are not UTF-8', () => {
    const run = (args: string[], input: Buffer): string =>
      execFileSync('git', args, { cwd: directory, input, encoding: 'utf8' }).trim();
    const blob = run(['hash-object', '-w', '--stdin'], Buffer.from('x'));
    const names = [
      'a',
      'a\\b',
      'a\xff',
      'a\xffb',
      '\xe4',
      '\xc3\xa4',
      '\\xE4',
      '\\xA',
      'z\xfe',
      'z',
      'z.c',
      ']',
    ];
    const makeTree = (mode: string, type: string, id: string): string => {
      const lines = names.map((name) => Buffer.from(`${mode} ${type} ${id}\t${name}\0`, 'latin1'));
      return run(['mktree', '-z'], Buffer.concat(lines));
    };
    const files = makeTree('100644', 'blob', blob);
    const folders = makeTree('040000', 'tree', files);
    const paths = names.map((name) => pathOf(Buffer.from(name, 'latin1')));
    const all = paths.flatMap((folder) => paths.map((path) => `${folder}/${path}`));
    const ids = new TreeIds();
    for (const path of all.sort(comparePaths)) ids.add({ path, mode: '100644', blobSha: blob });
    expect(ids.rootId()).toBe(folders);
  });

  it('is empty without files', () => {
    expect(new TreeIds().rootEntries()).toEqual([]);
  });
});

describe('comparePaths', () => {
  it('orders like the bytes of the paths', () => {
    const path = fc.string({
      unit: fc.constantFrom(...NAMES, '/', '\u{10ffff}', '\ud7ff', '\ue000', '\uffff'),
    });
    fc.assert(
      fc.property(path, path, (left, right) => {
        const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
        expect(Math.sign(comparePaths(left, right))).toBe(expected);
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });
});
