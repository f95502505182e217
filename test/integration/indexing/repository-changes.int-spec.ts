import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

let world: SyncWorld;

const FILES = {
  'README.md': '# App\n\nWords about the app.\n',
  'src/alpha.ts': sourceText('alpha', 30),
  'src/beta.ts': sourceText('beta', 30),
  'src/deep/gamma.py': sourceText('gamma', 30),
  'tools/run.sh': 'echo run\n',
};

async function expectExact(revision = 'main', repositoryId = world.repositoryId): Promise<void> {
  expect(await findDifferences(world, revision, repositoryId)).toEqual(NO_DIFFERENCES);
}

const payloadOf = async (path: string) => {
  const point = (await world.points()).find((each) => each.path === path)!;
  const file = { repositoryId: world.repositoryId, path };
  const signal = new AbortController().signal;
  return (await world.vectorStore.readFile(await world.collection(), file, point.file_version, signal))[0]!
    .payload;
};

// Both strategies to find the changes: the comparison with its proof, and the full listing.
describe.each([
  ['compared', { compareFromFiles: 0 }],
  ['fully listed', { compareFromFiles: 1000 }],
])('a repository that is %s', (_, syncLimits) => {
  beforeEach(async () => {
    world = await createSyncWorld({ syncLimits });
    world.git.writeAll(FILES);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 5 });
  });
  afterEach(() => world.stop());

  it('and force-pushed back to an older commit is indexed correctly, whether or not the server has the newer one', async () => {
    const older = await world.git.head();
    for (const isDropped of [false, true]) {
      world.git.writeAll({ 'src/alpha.ts': sourceText('later', 20), 'src/new.ts': sourceText('new', 5) });
      world.git.delete('src/beta.ts');
      await world.git.commit();
      expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 1 });
      await world.git.reset(older);
      if (isDropped) await world.git.dropUnreachable();
      const run = await world.sync();
      expect(run).toMatchObject({ status: 'completed', filesDeleted: 1, embeddingsRequested: 0 });
      await expectExact();
    }
  });

  it('updates modes and types: executable, file to symlink and back, file to submodule, file to folder', async () => {
    world.git.write('tools/run.sh', 'echo run\n', { executable: true });
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesProcessed: 0 });
    expect((await world.entries()).find(({ path }) => path === 'tools/run.sh')?.mode).toBe('100755');
    await expectExact();

    world.git.symlink('src/alpha.ts', 'beta.ts').submodule('src/deep', 'b'.repeat(40));
    world.git.delete('README.md').write('README.md/inside.md', '# A folder now\n');
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesSkipped: 2, filesDeleted: 2 });
    const reasons = (await world.entries()).flatMap(({ path, skipReason }) =>
      skipReason ? [[path, skipReason]] : [],
    );
    expect(reasons).toEqual([
      ['src/alpha.ts', 'symlink'],
      ['src/deep', 'submodule'],
    ]);
    await expectExact();

    world.git.submodule('src/deep', 'c'.repeat(40)).write('src/alpha.ts', FILES['src/alpha.ts']);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', embeddingsRequested: 0 });
    await expectExact();
  });

  it('that was moved keeps its index, and its new path is stored', async () => {
    world.gitlab.moveProject(world.project.id, 'elsewhere/renamed');
    const unchanged = await world.sync();
    expect(unchanged).toMatchObject({
      status: 'completed',
      fetchStrategy: 'head 1, project 1',
      chunksUpserted: 0,
    });
    expect((await world.repository()).projectPath).toBe('elsewhere/renamed');
    expect(await world.sync()).toMatchObject({ sourceRequests: 1 });

    world.git.writeAll({ 'src/alpha.ts': sourceText('moved', 30), 'src/more.ts': sourceText('more', 30) });
    world.git.rename('src/beta.ts', 'src/beta2.ts');
    await world.git.commit();
    // The batches use the new path.
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesRenamed: 1 });
    expect(run.fetchStrategy).toContain('graphql');
    expect(run.fetchStrategy).not.toContain('blobs');
    for (const path of ['src/alpha.ts', 'src/beta2.ts'])
      expect(await payloadOf(path)).toMatchObject({ project_path: 'elsewhere/renamed' });
    await expectExact();
  });

  it('whose group moved into another group is recognized as moved, although its path ends the same', async () => {
    world.gitlab.moveProject(world.project.id, `company/${world.project.path}`);
    expect(await world.sync()).toMatchObject({ fetchStrategy: 'head 1, project 1' });
    expect((await world.repository()).projectPath).toBe('company/team/app');
    expect(await world.sync()).toMatchObject({ sourceRequests: 1 });
  });

  it('that was moved and changed is indexed correctly by one run', async () => {
    world.gitlab.moveProject(world.project.id, 'elsewhere/renamed');
    world.git.writeAll({ 'src/alpha.ts': sourceText('moved', 30), 'src/more.ts': sourceText('more', 30) });
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1, filesAdded: 1 });
    expect((await world.repository()).projectPath).toBe('elsewhere/renamed');
    await expectExact();
  });

  it('that is archived is indexed like any other', async () => {
    world.project.archived = true;
    expect(await world.sync()).toMatchObject({ status: 'completed', sourceRequests: 1 });
    world.git.write('src/last.ts', sourceText('last', 5));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 1 });
    await expectExact();
  });

  it('whose default branch is renamed keeps its index, reports the new branch, and embeds nothing twice', async () => {
    await world.git.branch('trunk');
    await world.git.checkout('trunk');
    await world.git.deleteBranch('main');
    world.project.defaultBranch = 'trunk';
    const before = await world.points();
    const lost = await world.sync();
    expect(lost).toMatchObject({ status: 'failed', errorCode: 'branch_not_found' });
    expect(lost.errorMessage).toContain('"trunk"');
    expect(await world.points()).toEqual(before);

    const repositoryId = await world.register({ branch: 'trunk' });
    const run = await world.sync({ repositoryId });
    expect(run).toMatchObject({ status: 'completed', filesAdded: 5, embeddingsRequested: 0 });
    await expectExact('trunk', repositoryId);
    expect(await world.points()).toEqual(before);
  });

  it('that loses all files and gets new ones is indexed correctly both times', async () => {
    for (const path of Object.keys(FILES)) world.git.delete(path);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesDeleted: 5 });
    expect(await world.points()).toEqual([]);
    world.git.writeAll(FILES);
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 5, embeddingsRequested: 0 });
    await expectExact();
  });

  it('that is deleted and created again under the same path is a new project: the old index is kept', async () => {
    world.project.hidden = true;
    const before = await world.points();
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'project_not_found' });
    expect(await world.points()).toEqual(before);
    const again = await world.gitlab.addProject({ path: 'team/app', gitDir: world.git.directory });
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'project_not_found' });
    expect(await world.points()).toEqual(before);

    const repositoryId = await world.register({ projectId: again.id });
    expect(await world.sync({ repositoryId })).toMatchObject({ status: 'completed', filesAdded: 5 });
    await expectExact('main', repositoryId);
    await world.repositories.softDelete(world.repositoryId);
    expect(await world.run('purge')).toMatchObject({ status: 'completed' });
    expect(await world.points()).toEqual([]);
    await expectExact('main', repositoryId);
  });

  it('that is deleted and registered again starts with an empty index, even during the purge', async () => {
    await world.repositories.softDelete(world.repositoryId);
    const repositoryId = await world.register();
    world.git.write('src/alpha.ts', sourceText('again', 30));
    await world.git.commit();
    expect(await world.sync({ repositoryId })).toMatchObject({ status: 'completed', filesAdded: 5 });
    expect(await world.run('purge')).toMatchObject({ status: 'completed' });
    expect(await world.points()).toEqual([]);
    await expectExact('main', repositoryId);
  });
});

describe('a tree with names that are not UTF-8', () => {
  beforeEach(async () => {
    world = await createSyncWorld();
    world.git.writeAll(FILES);
  });
  afterEach(() => world.stop());

  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

  /** Commits the tree of a commit with further files in its root, whose names are bytes, and a folder without a file. */
  async function commitNames(parent: string, files: readonly [name: Buffer, text: string][]): Promise<void> {
    const cwd = world.git.directory;
    const runGit = (args: readonly string[], input: Buffer): string =>
      execFileSync('git', args, { cwd, input, encoding: 'utf8' }).trim();
    const lines = (await world.git.git('ls-tree', '-z', parent)).split('\0').map((line) => Buffer.from(line));
    lines.push(Buffer.from(`040000 tree ${runGit(['mktree'], Buffer.alloc(0))}\tnothing`));
    for (const [name, text] of files) {
      const blob = runGit(['hash-object', '-w', '--stdin'], Buffer.from(text));
      lines.push(Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name]));
    }
    const input = Buffer.concat(lines.flatMap((line) => (line.length > 0 ? [line, Buffer.from([0])] : [])));
    const tree = runGit(['mktree', '-z'], input);
    const identity = ['-c', 'user.name=Devkit', '-c', 'user.email=devkit@example.com'];
    const commit = await world.git.git(...identity, 'commit-tree', tree, '-p', parent, '-m', 'Odd');
    await world.git.reset(commit);
  }

  /** The indexed files with odd names, by the first word of their texts. */
  const oddFiles = async (): Promise<Record<string, string>> => {
    const known = new Set(Object.keys(FILES));
    const paths = (await world.entries()).filter(({ chunkCount }) => chunkCount > 0).map(({ path }) => path);
    const odd = paths.filter((path) => !known.has(path));
    const words = odd.map(async (path) => [/\w+Value/.exec((await payloadOf(path)).text)![0], path]);
    return Object.fromEntries(await Promise.all(words)) as Record<string, string>;
  };

  const ODD: [Buffer, string][] = [
    [latin1('odd.ts'), sourceText('plain', 5)],
    [latin1('odd\xfe.ts'), sourceText('fe', 5)],
    [latin1('odd\xff.ts'), sourceText('ff', 5)],
    // This name is text that reads like an escaped byte.
    [latin1('odd\\xFF.ts'), sourceText('text', 5)],
  ];
  const PATHS_BY_GIT = {
    plainValue: 'odd.ts',
    feValue: 'odd\\xFE.ts',
    ffValue: 'odd\\xFF.ts',
    textValue: 'odd\\x5CxFF.ts',
  };

  it('is indexed whole through git: each path shows the bytes, and edits, renames and deletions are found', async () => {
    world.setTransport('git');
    const first = await world.git.commit();
    await commitNames(first, ODD);
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 9 });
    expect(await oddFiles()).toEqual(PATHS_BY_GIT);
    await expectExact();

    const [plain, fe, ff] = ODD as [[Buffer, string], [Buffer, string], [Buffer, string]];
    await commitNames(first, [plain, [fe[0], sourceText('edited', 5)], [latin1('new\xff.ts'), ff[1]]]);
    const edited = { filesModified: 1, filesRenamed: 1, filesDeleted: 1, embeddingsRequested: 1 };
    expect(await world.sync()).toMatchObject({ status: 'completed', ...edited });
    const { plainValue, feValue } = PATHS_BY_GIT;
    expect(await oddFiles()).toEqual({ plainValue, editedValue: feValue, ffValue: 'new\\xFF.ts' });
    await expectExact();
    const verify = await world.run('verify');
    expect(verify).toMatchObject({ status: 'completed', errorCode: null });
  });

  it.each([
    ['every file of it is indexed', null, 'head 1, tree 3'],
    [
      'every file of it is indexed when folders cannot be requested by name',
      404,
      'head 1, tree 3, graphql 1',
    ],
  ])('through the API, which shows several names as one: %s', async (_name, status, strategies) => {
    if (status !== null)
      world.gitlab.faults.add({ url: /tree.*[?&]path=/, effect: { kind: 'status', status } });
    const first = await world.git.commit();
    // The API shows the last one without a name.
    await commitNames(first, [...ODD, [latin1('\xff'), sourceText('nameless', 5)]]);
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 10, filesFailed: 0 });
    const made = {
      feValue: /^odd \(\w{12}\)\.ts$/,
      ffValue: /^odd \(\w{12}\)\.ts$/,
      namelessValue: /^\(\w{12}\)$/,
    };
    const { plainValue, textValue } = PATHS_BY_GIT;
    const paths = await oddFiles();
    expect(paths).toMatchObject({ plainValue, textValue });
    for (const [word, pattern] of Object.entries(made)) expect(paths[word]).toMatch(pattern);
    const { warnings } = await world.repository();
    expect(warnings.map(({ code, path }) => [code, path]).sort()).toEqual(
      Object.keys(made)
        .map((word) => ['name_unclear', paths[word]])
        .sort(),
    );

    await commitNames(first, ODD.slice(0, 2));
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesDeleted: 3, embeddingsRequested: 0 });
    expect(run.fetchStrategy).toBe(strategies);
    expect(Object.keys(await oddFiles()).sort()).toEqual(['feValue', 'plainValue']);
  });

  it('that the API shows otherwise than git is the same index again after a run through git, and embeds nothing', async () => {
    const first = await world.git.commit();
    await commitNames(first, ODD);
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 9 });
    world.setTransport('git');
    await world.git.reset(first);
    world.git.write('src/beta.ts', sourceText('changed', 3));
    await commitNames(await world.git.commit(), ODD);
    expect(await world.sync()).toMatchObject({
      status: 'completed',
      filesRenamed: 2,
      embeddingsRequested: 1,
    });
    expect(await oddFiles()).toEqual(PATHS_BY_GIT);
    expect((await world.repository()).warnings).toEqual([]);
    await expectExact();
  });
});

describe('an archive that the attributes of the repository change', () => {
  beforeEach(async () => {
    world = await createSyncWorld({ syncLimits: { archivePrice: -1000 } });
  });
  afterEach(() => world.stop());

  it('provides the files whose ids match; excluded and rewritten files are read as blobs', async () => {
    world.git.writeAll({
      ...FILES,
      '.gitattributes': 'src/deep export-ignore\nversion.ts export-subst\n',
      'version.ts': `export const version = '$Format:%H$';\n${sourceText('version', 5)}`,
      'src/deep/other.py': sourceText('other', 10),
      'large.ts': sourceText('large', 5_000),
      'latin1.txt': Buffer.from('Größe und Maß der Straße\n', 'latin1'),
      'copy-of-alpha.ts': FILES['src/alpha.ts'],
    });
    world.git.lfsPointer('model.bin', { oid: 'a'.repeat(64), sizeBytes: 12 });
    world.git.submodule('vendor', 'b'.repeat(40)).symlink('link.ts', 'src/alpha.ts');
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
    expect(run.fetchStrategy).toMatch(/archive 1, graphql 1$/);
    await expectExact();
    const { text } = await payloadOf('version.ts');
    expect(text).toContain('$Format:%H$');
    // Verified by its hash when it was read, and never fetched again.
    const large = (await world.entries()).find(({ path }) => path === 'large.ts');
    expect(large).toMatchObject({ skipReason: 'too_large', sizeBytes: sourceText('large', 5_000).length });
  });
});
