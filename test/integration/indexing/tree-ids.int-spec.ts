import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MANIFEST_TABLES, countRows } from '../../support/row-counts.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const FOLDERS = 12;
const FILES_PER_FOLDER = 6;
const pathOf = (folder: number, file: number) => `src/part${folder}/deep/file${file}.ts`;

describe.each(['git', 'rest'] as const)('the tree ids of folders, read through %s', (transport) => {
  let world: SyncWorld;

  beforeEach(async () => {
    // Small trees are compared too, so that the API's runs do not list everything.
    world = await createSyncWorld({ transport, syncLimits: { compareFromFiles: 0 } });
    for (let folder = 0; folder < FOLDERS; folder += 1)
      for (let file = 0; file < FILES_PER_FOLDER; file += 1)
        world.git.write(pathOf(folder, file), sourceText(`f${folder}n${file}x`, 2));
    await push();
    expect(await world.sync()).toMatchObject({ status: 'completed' });
  });
  afterEach(() => world.stop());

  const push = () => world.git.commit();
  const edit = (folder: number, file = 0) => world.git.write(pathOf(folder, file), sourceText('edited', 3));
  const treeOf = async (path: string) => world.git.git('rev-parse', `HEAD:${path}`);
  const knownIds = async () => {
    const rows = await world.database.query<{ path: string; treeId: string | null }>(
      'SELECT path, tree_id FROM repository_folders ORDER BY path',
    );
    return new Map(rows.map(({ path, treeId }) => [path, treeId]));
  };
  async function expectExact(run: { status: string }, status = 'completed'): Promise<void> {
    expect(run.status).toBe(status);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    for (const [path, id] of await knownIds()) expect([path, id]).toEqual([path, await treeOf(path)]);
  }

  it('are those of git after a first sync and after each push', async () => {
    await expectExact({ status: 'completed' });
    edit(1);
    world.git
      .delete(pathOf(2, 0))
      .rename('src/part3', 'moved/part3')
      .write('new/file.ts', sourceText('new', 2));
    await push();
    await expectExact(await world.sync());
    await world.git.reset('HEAD~1');
    await expectExact(await world.sync());
  });

  it('lead a run only to the rows of changed folders', async () => {
    await world.database.query('ANALYZE');
    edit(1);
    await push();
    const before = await countRows(world.database, MANIFEST_TABLES);
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1 });
    const after = await countRows(world.database, MANIFEST_TABLES);
    // The file, and the four folders above it: their sums, then their ids.
    expect(after.written - before.written).toBe(1 + 2 * 4);
    await expectExact({ status: 'completed' });
  });

  describe('hide no file', () => {
    it('that failed, also when nothing else changed', async () => {
      edit(1);
      await push();
      world.gitlab.faults.add({
        url: /upload-pack|graphql|repository\/blobs/,
        after: 1,
        effect: { kind: 'corrupt' },
      });
      expect(await world.sync()).toMatchObject({ status: 'partial', filesFailed: 1 });
      const ids = await knownIds();
      expect([ids.get(''), ids.get('src/part1/deep')]).toEqual([null, null]);
      expect(ids.get('src/part2')).toBe(await treeOf('src/part2'));
      world.gitlab.faults.clear();
      const again = await world.sync();
      expect(again).toMatchObject({ filesProcessed: 1 });
      await expectExact(again);
    });

    it('whose row was changed or removed by other means', async () => {
      await world.database.query(`DELETE FROM repository_files WHERE path = '${pathOf(1, 0)}'`);
      await world.database.query(
        `UPDATE repository_files SET blob_sha = repeat('0', 40) WHERE path = '${pathOf(2, 0)}'`,
      );
      edit(3);
      await push();
      await expectExact(await world.sync());
    });

    it('of an interrupted run', async () => {
      for (let folder = 0; folder < FOLDERS; folder += 1) edit(folder);
      await push();
      world.setLimits({ compareFromFiles: 0, batchFiles: 2, batchFromFiles: 1 });
      const stop = new AbortController();
      const sync = world.sync({ signal: stop.signal });
      while ((await knownIds()).get('') !== null) await new Promise((resolve) => setTimeout(resolve, 5));
      stop.abort();
      await sync;
      await expectExact(await world.sync());
    });

    it('when settings changed at the same commit, and back', async () => {
      await world.repositories.update(world.repositoryId, { excludeGlobs: ['src/part4/**'] });
      expect(await world.sync()).toMatchObject({ status: 'completed', filesSkipped: FILES_PER_FOLDER });
      await world.repositories.update(world.repositoryId, { excludeGlobs: [] });
      expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: FILES_PER_FOLDER });
      expect((await world.entries()).filter(({ indexedAt }) => indexedAt === null)).toEqual([]);
      await expectExact({ status: 'completed' });
    });

    it.each([
      ['.repotideignore', '*1.ts\n'],
      ['.gitattributes', '*1.ts linguist-generated\n'],
    ])('whose verdict a %s in another folder changed', async (name, rule) => {
      world.git.write(`src/${name}`, rule);
      await push();
      const run = await world.sync();
      expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
      const skipped = (await world.entries()).filter(({ skipReason }) => skipReason !== null);
      expect(skipped.filter(({ path }) => path.endsWith('file1.ts'))).toHaveLength(FOLDERS);
      await expectExact(run);
      world.git.delete(`src/${name}`);
      await push();
      expect(await world.sync()).toMatchObject({ status: 'completed' });
      expect((await world.entries()).filter(({ skipReason }) => skipReason !== null)).toEqual([]);
    });

    it('whose points the store lost, beside a push to another folder', async () => {
      const lost = (await world.points()).filter(({ path }) => path.startsWith('src/part5/'));
      await world.vectorStore.deletePoints(
        await world.collection(),
        lost.map(({ id }) => id),
        new AbortController().signal,
      );
      edit(6);
      await push();
      const run = await world.sync();
      expect(run).toMatchObject({ errorCode: 'index_repaired' });
      await expectExact(run);
    });

    it('in a full sync', async () => {
      edit(7);
      await push();
      const run = await world.sync({ fullSync: true });
      expect(run.filesProcessed).toBe(FOLDERS * FILES_PER_FOLDER);
      await expectExact(run);
    });
  });
});
