import { mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitSourceFactory } from '@adapters/git';
import {
  createGitRepository,
  type GitLabStandIn,
  type GitRepository,
  listTree,
  startGitLabStandIn,
} from '@devkit';
import { listed, objects } from '../../contracts/source.contract.js';
import { gitSources, openGitSource } from './open-git-source.js';

const PACKS = /\.git\/git-upload-pack$/;
const MEBIBYTE = 1024 * 1024;

describe('Git objects that are kept between runs', () => {
  let directory: string;
  let gitlab: GitLabStandIn;
  let scratchRoot: string;
  let git: GitRepository;
  let factory: GitSourceFactory;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-kept-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  beforeEach(async () => {
    scratchRoot = await mkdtemp(join(directory, 'scratch-'));
    gitlab = await startGitLabStandIn();
    git = await addProject('team/app');
    factory = sources(64 * MEBIBYTE);
  });
  afterEach(async () => {
    expect(gitlab.requests.flatMap(({ failure }) => failure ?? [])).toEqual([]);
    await gitlab.stop();
  });

  const sources = (maxBytes: number, removed: string[] = []) => {
    const observer = {
      opened: () => undefined,
      sized: () => undefined,
      removed: (reason: string) => void removed.push(reason),
    };
    return gitSources(gitlab, { scratchRoot, cache: { maxBytes, observer } });
  };

  async function addProject(path: string): Promise<GitRepository> {
    const repository = await createGitRepository(await mkdtemp(join(directory, 'git-')), { bare: true });
    for (let file = 0; file < 60; file += 1)
      repository.write(`src/${file % 6}/file-${file}.ts`, `${path} ${file}\n`.repeat(40));
    await repository.commit();
    await gitlab.addProject({ path, gitDir: repository.directory, defaultBranch: 'main' });
    return repository;
  }

  /** Reads a whole commit through git, and returns the number of packs that it needed. */
  async function read(
    repository: GitRepository,
    reading: { projectPath?: string; credentialId?: string } = {},
  ) {
    gitlab.resetLog();
    const { credentialId = null, ...plan } = reading;
    const source = await openGitSource(gitlab, factory, { maxFileBytes: 10_000, ...plan }, credentialId);
    const commit = await repository.head();
    const files = await listed(source, commit);
    const shas = new Set(files.map(({ blobSha }) => blobSha));
    const contents = await objects(source, commit, [...shas]);
    const transport = source.transport();
    await source.close();
    const tree = await listTree(repository.directory, commit);
    expect(files.map(({ path, blobSha }) => `${blobSha} ${path}`).sort()).toEqual(
      tree.map(({ path, sha }) => `${sha} ${path}`).sort(),
    );
    expect(contents.size).toBe(shas.size);
    expect(transport).toEqual({ name: 'git', reason: null });
    return gitlab.requests.filter(({ path }) => PACKS.test(path)).length;
  }

  const kept = () => readdir(scratchRoot);

  it('are not transferred again: the same commit needs no pack, a renamed folder only the commit', async () => {
    expect(await read(git)).toBe(2);
    expect(await read(git)).toBe(0);
    await git.rename('src/1', 'moved/1').commit();
    expect(await read(git)).toBe(1);
    await git.write('src/2/new.ts', 'new\n').commit();
    expect(await read(git)).toBe(2);
    await factory.close();
    expect(await kept()).toEqual([]);
  });

  it('are of one credential: another one transfers its own', async () => {
    const tokenFor = async () => ({ token: gitlab.token, baseUrl: gitlab.url });
    factory = gitSources(gitlab, { scratchRoot, tokenFor, cache: { maxBytes: MEBIBYTE } });
    await read(git, { credentialId: 'first' });
    expect(await read(git, { credentialId: 'second' })).toBe(2);
    expect(await read(git, { credentialId: 'first' })).toBe(0);
    expect(await kept()).toHaveLength(2);
  });

  it('serve several runs at once', async () => {
    await Promise.all([read(git), read(git), read(git)]);
    expect(await read(git)).toBe(0);
    expect(await kept()).toHaveLength(1);
  });

  it('have a limit, and those of the least recently used project are removed first', async () => {
    const other = await addProject('team/other');
    const third = await addProject('team/third');
    await read(git);
    const bytes = await sizeOf(scratchRoot);
    const removed: string[] = [];
    factory = sources(bytes * 2.5, removed);
    await read(git);
    await read(other, { projectPath: 'team/other' });
    expect(await read(git)).toBe(0);
    await read(third, { projectPath: 'team/third' });
    expect(removed).toEqual(['evicted']);
    expect(await read(git)).toBe(0);
    expect(await read(other, { projectPath: 'team/other' })).toBe(2);
  });

  it('are not kept when those of one run are above the limit', async () => {
    factory = sources(100);
    await read(git);
    expect(await kept()).toEqual([]);
  });

  const damages: [string, (pack: string) => Promise<unknown>][] = [
    ['has other bytes', flipBytes],
    ['is cut short', async (pack) => truncate(pack, Math.floor((await stat(pack)).size / 2))],
    ['is empty', (pack) => truncate(pack, 0)],
    ['is gone', (pack) => rm(pack)],
    ['is gone with its index', (pack) => rm(pack.slice(0, pack.lastIndexOf('/')), { recursive: true })],
  ];
  it.each(damages)('are transferred again when a pack %s', async (_, damage) => {
    await read(git);
    await git.write('src/3/pushed.ts', 'pushed\n').commit();
    for (const name of await kept()) {
      const folder = join(scratchRoot, name, 'objects', 'pack');
      for (const file of await readdir(folder).catch(() => []))
        if (file.endsWith('.pack')) await damage(join(folder, file)).catch(() => undefined);
    }
    await read(git);
    expect(await read(git)).toBe(0);
  });

  it('are transferred again when the directory is gone', async () => {
    await read(git);
    for (const name of await kept()) await rm(join(scratchRoot, name), { recursive: true });
    await git.write('src/3/pushed.ts', 'pushed\n').commit();
    await read(git);
    await read(git);
    expect(await read(git)).toBe(0);
  });
});

async function flipBytes(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  // Behind the header; every object is hit.
  for (let at = 20; at < size; at += 16) await file.write(Buffer.from([at % 251]), 0, 1, at);
  await file.close();
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (/\.(pack|idx|rev)$/.test(entry.name)) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
