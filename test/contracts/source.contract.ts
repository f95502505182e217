import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BlobContent, type Source, type TreeEntry, type TreeReader } from '@core/domain';
import {
  createGitRepository,
  type GitLabStandIn,
  type GitRepository,
  listTree,
  startGitLabStandIn,
} from '@devkit';
import { failureOf } from '../integration/gitlab/open-source.js';

/** A source over the project `team/app` of a GitLab, or over the same repository, whose files will be read. */
export type OpenContractSource = (gitlab: GitLabStandIn, git: GitRepository) => Promise<Source>;

const FOLDER_MODE = '040000';
const MAX_BYTES = 1000;
const BINARY = Buffer.from([0, 255, 10, 13, 0, 128]);
const { signal } = new AbortController();

/** What every source must do, whatever way it reads a host. */
export function describeSource(
  name: string,
  open: OpenContractSource,
  webPath: string | null = '/team/app',
): void {
  describe(`${name} as a source`, () => {
    let directory: string;
    let git: GitRepository;
    let gitlab: GitLabStandIn;
    let source: Source;
    let commit: string;
    let files: TreeEntry[];

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'repotide-source-'));
      git = await createGitRepository(join(directory, 'git'), { bare: true });
      git.writeAll({ 'README.md': 'read me\n', 'src/a.ts': 'a\n', 'src/deep/b.ts': 'b\n', 'src/empty': '' });
      git
        .write('binary', BINARY)
        .write('large', 'x'.repeat(MAX_BYTES + 1))
        .write('src-a', 'after the folder');
      git.write('bin/run', '#!/bin/sh\n', { executable: true }).symlink('link', 'README.md');
      git.submodule('vendor/other', 'c0ffee'.padEnd(40, '0')).write('ünï cödé/☃ "q".md', 'snow\n');
      commit = await git.commit();
      files = (await listTree(git.directory, commit)).map(({ path, mode, sha }) => ({
        path,
        mode,
        blobSha: sha,
      }));
      gitlab = await startGitLabStandIn();
      await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
      source = await open(gitlab, git);
    });

    afterAll(async () => {
      await source.close();
      await gitlab.stop();
      await rm(directory, { recursive: true, force: true });
    });

    it('finds the commit of a branch', async () => {
      expect(await source.headOf(1, 'main', signal)).toEqual({ commit, webPath });
    });

    it('lists every file, symlink and submodule of a commit with its mode and SHA', async () => {
      expect(byPath(await listed(source, commit))).toEqual(byPath(files));
    });

    it('lists a folder with its subfolders, before and after the whole tree', async () => {
      const deep = await git.git('rev-parse', `${commit}:src/deep`);
      const found = await source.listFolder(1, commit, 'src', signal);
      expect(byPath(found)).toEqual(
        byPath([
          ...files.filter(({ path }) => /^src\/[^/]+$/.test(path)),
          { path: 'src/deep', mode: '040000', blobSha: deep },
        ]),
      );
      expect(await source.listFolder(1, commit, '', signal)).toHaveLength(9);
    });

    it('sends trees by id, or none at all', async () => {
      const trees = await source.openTrees(1, commit, null, signal);
      expect(trees !== null).toBe(source.transport()?.name === 'git');
      if (trees === null) return;
      expect(trees.rootId).toBe(await git.git('rev-parse', `${commit}^{tree}`));
      const deep = await git.git('rev-parse', `${commit}:src/deep`);
      const found = await trees.read([deep, 'e'.repeat(40)], signal);
      const { mode, blobSha } = fileAt('src/deep/b.ts');
      expect([...found!]).toEqual([[deep, [{ path: 'b.ts', mode, blobSha }]]]);
    });

    it('refuses to list a folder that does not exist', async () => {
      expect(await failureOf(source.listFolder(1, commit, 'nowhere', signal))).toMatchObject({
        kind: 'not_found',
        code: 'folder_not_found',
      });
    });

    it('finds files by path, and no folders', async () => {
      const project = { projectId: 1, projectPath: 'team/app' };
      const found = await source.findBlobs(project, commit, ['src/a.ts', 'src', 'nowhere'], signal);
      const { mode, blobSha } = fileAt('src/a.ts');
      expect([...found]).toEqual([['src/a.ts', { mode, blobSha }]]);
    });

    it('reads one blob of any bytes, and stops at the limit', async () => {
      const read = (path: string) => source.readBlob(1, fileAt(path).blobSha, MAX_BYTES, signal);
      expect(contentOf(await read('binary'))).toEqual(BINARY);
      expect(await read('large')).toEqual({ kind: 'too_large', sizeBytes: MAX_BYTES + 1 });
    });

    it('returns blobs of a commit by SHA, or leaves them out', async () => {
      const wanted = ['binary', 'src/empty', 'ünï cödé/☃ "q".md'].map((path) => fileAt(path).blobSha);
      const found = await objects(source, commit, wanted);
      for (const [blobSha, content] of found) {
        const bytes = await source.readBlob(1, blobSha, MAX_BYTES, signal);
        expect(contentOf(content)).toEqual(contentOf(bytes));
      }
      expect(found.size).toBe(source.transport()?.name === 'git' ? wanted.length : 0);
    });

    it('says that a commit does not exist', async () => {
      const failure = await failureOf(listed(source, 'd'.repeat(40)));
      expect(failure).toMatchObject({ kind: 'not_found', code: 'commit_not_found' });
    });

    it('stops when its signal fires', async () => {
      const cancelled = AbortSignal.abort(new Error('stopped by the test'));
      await expect(listed(source, commit, cancelled)).rejects.toThrow('stopped by the test');
    });

    function fileAt(path: string): TreeEntry {
      return files.find((file) => file.path === path)!;
    }
  });
}

/** Every file of a commit, as a run reads it: by its trees where the source sends them, otherwise as a list. */
export async function listed(source: Source, commit: string, until = signal): Promise<TreeEntry[]> {
  const trees = await source.openTrees(1, commit, null, until);
  const files = trees && (await walked(trees, until));
  if (files) return files;
  const entries: TreeEntry[] = [];
  for await (const page of source.listTree(1, commit, until)) entries.push(...page);
  return entries;
}

async function walked(trees: TreeReader, until: AbortSignal): Promise<TreeEntry[] | null> {
  const files: TreeEntry[] = [];
  let folders = [{ path: '', id: trees.rootId }];
  while (folders.length > 0) {
    const found = await trees.read([...new Set(folders.map(({ id }) => id))], until);
    if (found === null) return null;
    const inside = folders.flatMap(({ path, id }) =>
      (found.get(id) ?? []).map((entry) => ({ ...entry, path: path + entry.path })),
    );
    files.push(...inside.filter(({ mode }) => mode !== FOLDER_MODE));
    const subfolders = inside.filter(({ mode }) => mode === FOLDER_MODE);
    folders = [
      ...folders.filter(({ id }) => !found.has(id)),
      ...subfolders.map(({ path, blobSha }) => ({ path: `${path}/`, id: blobSha })),
    ];
  }
  return files;
}

export async function objects(
  source: Source,
  commit: string,
  blobShas: readonly string[],
  maxBytes = MAX_BYTES,
): Promise<Map<string, BlobContent>> {
  const found = new Map<string, BlobContent>();
  for await (const { blobSha, content } of source.readObjects(1, commit, blobShas, maxBytes, signal))
    found.set(blobSha, content);
  return found;
}

function contentOf(content: BlobContent): Buffer {
  if (content.kind === 'bytes') return Buffer.from(content.bytes);
  throw new Error('the blob was too large');
}

function byPath(entries: readonly TreeEntry[]): TreeEntry[] {
  return [...entries].sort((left, right) => (left.path < right.path ? -1 : 1));
}
