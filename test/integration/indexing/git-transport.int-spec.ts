import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Execution } from '@core/domain';
import { type SyncLimits } from '@core/indexing';
import { createGitRepository } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const FILES = 600;
const MAX_BYTES = 100_000;
/** One transport for each sync of the history below. */
const WAYS = {
  main: ['rest', 'rest', 'rest', 'rest', 'rest'],
  'over-git': ['git', 'git', 'git', 'git', 'git'],
  switched: ['git', 'rest', 'git', 'rest', 'git'],
} as const;
const BRANCHES = Object.keys(WAYS) as (keyof typeof WAYS)[];

let world: SyncWorld;

async function start(syncLimits: Partial<SyncLimits> = {}, gitCacheBytes = 0): Promise<void> {
  world = await createSyncWorld({ transport: 'git', syncLimits, gitCacheBytes, requestTimeoutMs: 60_000 });
}
async function stop(): Promise<void> {
  expect(world.gitlab.requests.flatMap(({ failure }) => failure ?? [])).toEqual([]);
  expect(await world.scratch()).toEqual([]);
  await world.stop();
}

/** A digest of every row and point of a repository, without what names the repository, its branch and its runs. */
async function indexOf(repositoryId: string): Promise<string[]> {
  const rows = (await world.entries(repositoryId)).map((row) => ({
    ...row,
    indexedAt: row.indexedAt !== null,
    executionId: null,
  }));
  const points = (await world.wholePoints(repositoryId)).map(({ vector, payload }) => ({
    ...payload,
    vector: [...vector],
    repository_id: null,
    branch: null,
    fence: null,
  }));
  return [...rows, ...points].map((item) => `${item.path} ${digestOf(item)}`).sort();
}

function digestOf(item: object): string {
  return createHash('sha256').update(JSON.stringify(item)).digest('hex');
}

describe('an index of many kinds of files', () => {
  // Also the comparison of two commits, which small trees do not need.
  beforeAll(() => start({ compareFromFiles: 20 }));
  afterAll(stop);

  it('is the same through the API, through git, and when the transport changes between the syncs', async () => {
    const { git } = world;
    const history: (() => unknown)[] = [
      () => {
        for (let file = 0; file < 40; file += 1)
          git.write(`src/${file % 7}/file${file}.ts`, sourceText(`f${file}x`, 3));
        git.write('.gitignore', 'ignored.ts\n').write('ignored.ts', 'ignored\n').write('empty.md', '');
        git
          .write('image.png', Buffer.from([137, 80, 78, 71, 0, 1]))
          .write('large.ts', 'x'.repeat(MAX_BYTES + 1));
        git.write('latin1.txt', Buffer.from('Größe\n', 'latin1')).symlink('link', 'empty.md');
        git.write('run.sh', 'echo run\n', { executable: true }).submodule('vendor/other', 'c'.repeat(40));
        git.write('.gitattributes', '*.ts text eol=crlf filter=lfs\n*.md export-ignore\n');
        git.lfsPointer('model.bin', { oid: 'a'.repeat(64), sizeBytes: 1 });
      },
      () =>
        git
          .write('src/0/file0.ts', sourceText('changed', 4))
          .delete('src/1/file1.ts')
          .rename('src/2', 'moved/2'),
      () => git.write('large.ts', 'small now\n').write('src/0/file7.ts', 'y'.repeat(MAX_BYTES + 1)),
      () => git.write('.gitignore', '').write('latin1.txt', 'text\n'),
      () => git.rename('moved', 'src/2').write('src/new.ts', sourceText('added', 5)),
    ];
    const ids = new Map<string, string>([['main', world.repositoryId]]);
    for (const branch of BRANCHES.slice(1)) ids.set(branch, await world.register({ branch }));
    for (const [number, edit] of history.entries()) {
      edit();
      await git.commit();
      for (const branch of BRANCHES) {
        if (branch !== 'main') await git.branch(branch);
        world.setTransport(WAYS[branch][number]!);
        const repositoryId = ids.get(branch)!;
        const run = await world.sync({ repositoryId });
        expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
        expect(run.fetchStrategy).toMatch(WAYS[branch][number] === 'git' ? / \(git\)$/ : /^[^(]*$/);
        expect(await findDifferences(world, 'main', repositoryId)).toEqual(NO_DIFFERENCES);
      }
      const expected = await indexOf(world.repositoryId);
      expect(expected.length).toBeGreaterThan(80);
      for (const id of ids.values()) expect(await indexOf(id)).toEqual(expected);
    }
  });
});

describe(`a repository of ${FILES} files through git, counted in the server's log`, () => {
  const pathOf = (file: number) => `src/${file % 3}/file${file}.ts`;
  const edit = (file: number) => world.git.write(pathOf(file), sourceText(`edited${file}x`, 2));

  beforeAll(async () => {
    await start();
    for (let file = 0; file < FILES; file += 1) world.git.write(pathOf(file), sourceText(`f${file}x`, 2));
    await world.git.commit();
  });
  afterAll(stop);

  it('needs three requests for its first sync: the head, the capabilities, everything', async () => {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesAdded: FILES, sourceRequests: 3 });
    expect(run.fetchStrategy).toBe('head 1, tree 2 (git)');
  });

  it('needs one request while nothing changes', async () => {
    expect(await world.sync()).toMatchObject({
      status: 'completed',
      sourceRequests: 1,
      fetchStrategy: 'head 1',
    });
  });

  it.each([
    ['one file', () => void edit(1), 'tree 1, objects 1'],
    ['ten files', () => void [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(edit), 'tree 1, objects 1'],
    ['the name of a folder', () => void world.git.rename('src/2', 'lib/2'), 'tree 2'],
  ])('needs three requests for a push that changes %s', async (_, change, requests) => {
    change();
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0, sourceRequests: 3 });
    expect(run.fetchStrategy).toBe(`head 1, ${requests} (git)`);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('plans a push through git in a dry run, and verifies', async () => {
    edit(20);
    await world.git.commit();
    const { report } = await world.run('dry_run');
    expect(report).toMatchObject({ fetch_way: 'objects', fetch_requests: 1, fetched: { files: 1 } });
    await world.sync();
    expect(await world.run('verify')).toMatchObject({ status: 'completed' });
  });
});

describe('a repository with rule files through git, with objects that are kept between runs', () => {
  const pathOf = (file: number) => `src/${file % 3}/deep/file${file}.ts`;
  const edit = (file: number) => world.git.write(pathOf(file), sourceText(`edited${file}x`, 2));

  beforeAll(async () => {
    await start({}, 64 * 1024 * 1024);
    for (let file = 0; file < FILES; file += 1) world.git.write(pathOf(file), sourceText(`f${file}x`, 2));
    world.git.writeAll({ '.gitattributes': '*.png binary\n', 'src/2/.repotideignore': 'secret/\n' });
    await world.git.commit();
    await world.sync();
  });
  afterAll(() => world.stop());

  it.each([
    ['one file', () => void edit(1), 3],
    ['ten files', () => void [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(edit), 3],
    ['the name of a folder with a rule file', () => void world.git.rename('src/2', 'lib/2'), 2],
    [
      'the name of a folder and a file in it',
      () => void world.git.rename('lib/2', 'z').write('z/a.ts', 'a\n'),
      3,
    ],
    ['a rule file', () => void world.git.write('.gitattributes', '*.jpg binary\n'), 3],
  ])('needs few requests for a push that changes %s', async (_, change, requests) => {
    change();
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0, sourceRequests: requests });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('makes the same index when the kept objects are gone', async () => {
    for (const name of await world.scratch()) await rm(join(world.scratchRoot, name), { recursive: true });
    edit(30);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0, filesModified: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

describe('a run whose git fails', () => {
  beforeEach(async () => {
    await start();
    world.git.writeAll({ 'a.ts': sourceText('a', 3), 'b.ts': sourceText('b', 3), '.gitignore': '*.log\n' });
    await world.git.commit();
  });
  afterEach(stop);

  async function expectSynced(run: Execution, reason: string): Promise<void> {
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
    expect(run.fetchStrategy).toMatch(new RegExp(` \\(rest: ${reason}\\)$`));
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  }

  it('reads everything through the API when git is not allowed, and says so', async () => {
    world.gitlab.settings.git.isEnabled = false;
    await expectSynced(await world.sync(), 'source_access_denied');
  });

  it('reads the files through the API when git fails after the trees', async () => {
    await world.sync();
    world.git.write('a.ts', sourceText('changed', 3));
    await world.git.commit();
    world.gitlab.faults.add({
      url: /\.git\/git-upload-pack/,
      after: 1,
      effect: { kind: 'cut', afterBytes: 100 },
    });
    await expectSynced(await world.sync(), 'source_unavailable');
  });

  it('ends as cancelled, without a file left, when it is cancelled during a transfer', async () => {
    world.gitlab.faults.add({ url: /\.git\/git-upload-pack/, effect: { kind: 'stall', afterBytes: 100 } });
    const cancel = new AbortController();
    const running = world.sync({ signal: cancel.signal });
    while (!world.gitlab.requests.some(({ path }) => path.endsWith('git-upload-pack')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    cancel.abort();
    await running;
    expect(await world.scratch()).toEqual([]);
  });
});

describe('a repository with SHA-256', () => {
  beforeAll(() => start());
  afterAll(stop);

  it('is indexed through git, with ids of 64 digits', async () => {
    const wide = await createGitRepository(`${world.git.directory}-wide`, {
      bare: true,
      objectFormat: 'sha256',
    });
    const files = { 'a.ts': sourceText('a', 3), 'folder/b.ts': sourceText('b', 3), '.gitignore': '*.log\n' };
    await wide.writeAll(files).commit();
    const project = await world.gitlab.addProject({
      path: 'team/wide',
      gitDir: wide.directory,
      defaultBranch: 'main',
    });
    const repositoryId = await world.register({ projectId: project.id, projectPath: project.path });
    const read = async () => {
      expect(await world.sync({ repositoryId })).toMatchObject({ status: 'completed', filesFailed: 0 });
      return (await world.entries(repositoryId)).map(({ path, blobSha }) => [path, blobSha.length]);
    };
    expect(await read()).toEqual(
      Object.keys(files)
        .sort()
        .map((path) => [path, 64]),
    );
    await wide.write('a.ts', sourceText('changed', 3)).write('c.ts', sourceText('c', 2)).commit();
    expect(await read()).toHaveLength(4);
    world.setTransport('rest');
    await wide.write('b.ts', sourceText('again', 3)).commit();
    expect(await read()).toHaveLength(5);
  });
});
