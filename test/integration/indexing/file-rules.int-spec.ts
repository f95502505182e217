import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

/** A comparison is used always or never: the rules must be right with both strategies. */
const STRATEGIES = [
  ['a comparison', { compareFromFiles: 1 }],
  ['a full listing', { compareFromFiles: 1_000_000 }],
] as const;

let world: SyncWorld;
afterEach(() => world.stop());

async function skipped(): Promise<Record<string, string>> {
  const rows = (await world.entries()).filter((row) => row.skipReason !== null);
  return Object.fromEntries(rows.map((row) => [row.path, `${row.skipReason}: ${row.skipDetail}`]));
}

async function indexed(): Promise<string[]> {
  return (await world.entries()).filter((row) => row.indexedAt !== null).map((row) => row.path);
}

/** Blobs read one by one or in a batch, and archives. */
function contentRequests(): string[] {
  return world.gitlab.requests.map(({ path }) => path).filter((path) => /blobs|archive|graphql/.test(path));
}

async function build(limits: { compareFromFiles: number }): Promise<void> {
  world = await createSyncWorld({ syncLimits: limits });
  for (let folder = 0; folder < 4; folder++) {
    // More than one listing page, so that a comparison is worthwhile.
    for (let file = 0; file < 60; file++)
      world.git.write(`src/m${folder}/f${file}.ts`, `export const a${folder}_${file} = 1;\n`);
  }
  world.git.writeAll({
    'README.md': '# Rules\n',
    'docs/guide.md': sourceText('guide', 3),
    'docs/api/reference.md': sourceText('reference', 3),
    'vendor/lib/lib.go': sourceText('lib', 3),
    'web/dist/app.js': sourceText('app', 3),
    'package-lock.json': '{ "lockfileVersion": 3 }\n',
    'src/schema.gen.ts': sourceText('schema', 3),
    'data/table.dat': sourceText('table', 3),
    '.repotideignore': '# Left out\ndocs/api/\n',
    '.gitattributes': '*.gen.ts linguist-generated\n*.dat binary\n',
  });
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0 });
}

describe.each(STRATEGIES)('file rules of the tree, found by %s', (_name, limits) => {
  it('name the rule that excludes each file', async () => {
    await build(limits);
    expect(await skipped()).toEqual({
      'data/table.dat': 'marked_binary: .gitattributes line 2: "*.dat binary"',
      'docs/api/reference.md': 'ignored: .repotideignore line 2: "docs/api/"',
      'package-lock.json': 'generated: default rule "package-lock.json"',
      'src/schema.gen.ts': 'generated: .gitattributes line 1: "*.gen.ts linguist-generated"',
      'vendor/lib/lib.go': 'vendored: default rule "vendor/"',
      'web/dist/app.js': 'generated: default rule "dist/"',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('need one request while the head is unchanged', async () => {
    await build(limits);
    expect(await world.sync()).toMatchObject({ status: 'completed', sourceRequests: 1, filesProcessed: 0 });
    expect(world.gitlab.requests).toHaveLength(1);
  });

  it('apply to every file when they change, and only newly included files are read', async () => {
    await build(limits);
    const before = await world.points();
    world.git.write('.repotideignore', '!vendor/**\ndocs/guide.md\n');
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
    expect(run.fetchStrategy?.includes('compare')).toBe(limits.compareFromFiles === 1);
    expect(await skipped()).toEqual({
      'data/table.dat': 'marked_binary: .gitattributes line 2: "*.dat binary"',
      'docs/guide.md': 'ignored: .repotideignore line 2: "docs/guide.md"',
      'package-lock.json': 'generated: default rule "package-lock.json"',
      'src/schema.gen.ts': 'generated: .gitattributes line 1: "*.gen.ts linguist-generated"',
      'web/dist/app.js': 'generated: default rule "dist/"',
    });
    expect(await indexed()).toEqual(expect.arrayContaining(['docs/api/reference.md', 'vendor/lib/lib.go']));
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    // The rule files, and .repotideignore, reference.md and lib.go as contents, but none of the 240 other files.
    expect(contentRequests().length).toBeLessThanOrEqual(6);
    expect(run.chunksUpserted).toBeLessThan(20);
    const after = new Set((await world.points()).map(({ id }) => id));
    const removed = before.filter(({ id }) => !after.has(id)).map(({ path }) => path);
    expect(new Set(removed)).toEqual(new Set(['.repotideignore', 'docs/guide.md']));
    expect(await world.sync()).toMatchObject({ sourceRequests: 1, filesProcessed: 0 });
  });

  it('apply to later pushes that do not change the rule files', async () => {
    await build(limits);
    world.git.writeAll({ 'docs/api/more.md': 'More\n', 'lib/new.gen.ts': 'x\n', 'lib/new.ts': 'y\n' });
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesAdded: 1, filesSkipped: 2 });
    expect(await skipped()).toMatchObject({
      'docs/api/more.md': 'ignored: .repotideignore line 2: "docs/api/"',
      'lib/new.gen.ts': 'generated: .gitattributes line 1: "*.gen.ts linguist-generated"',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('end when their file is deleted, and still apply after their folder is renamed', async () => {
    await build(limits);
    world.git.delete('.repotideignore');
    world.git.writeAll({ 'src/m0/.gitattributes': 'f1.ts -diff\n', 'src/m1/.repotideignore': 'f2.ts\n' });
    await world.git.commit();
    await world.sync();
    expect(await skipped()).toMatchObject({
      'src/m0/f1.ts': 'marked_binary: src/m0/.gitattributes line 1: "f1.ts -diff"',
      'src/m1/f2.ts': 'ignored: src/m1/.repotideignore line 1: "f2.ts"',
    });
    expect(await indexed()).toContain('docs/api/reference.md');
    world.git.rename('src/m1', 'lib/m1');
    await world.git.commit();
    await world.sync();
    expect(await skipped()).toMatchObject({
      'lib/m1/f2.ts': 'ignored: lib/m1/.repotideignore line 1: "f2.ts"',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

describe('a rule file that cannot be used', () => {
  it('is a warning of the repository, and the run completes', async () => {
    world = await createSyncWorld({ repository: { maxFileBytes: 100 } });
    world.git.writeAll({
      'a.ts': 'export const a = 1;\n',
      'b.ts': 'export const b = 1;\n',
      '.repotideignore': 'b.ts\n'.repeat(30_000),
      '.gitattributes': `${'*a'.repeat(2000)} -diff\nb.ts -diff\n`,
    });
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 1 });
    expect(await skipped()).toMatchObject({ 'b.ts': 'marked_binary: .gitattributes line 2: "b.ts -diff"' });
    const { warnings } = await world.repository();
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'rule_ignored', path: '.gitattributes', line: 1 }),
      expect.objectContaining({ code: 'rule_file_ignored', path: '.repotideignore', line: null }),
    ]);

    await world.git.delete('.repotideignore').write('.gitattributes', 'b.ts -diff\n').commit();
    await world.sync();
    expect((await world.repository()).warnings).toEqual([]);
  });
});
