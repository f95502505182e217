import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { VECTOR_STORES } from '../../support/vector-stores.js';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(async () => {
  await world.stop();
});

async function firstSync(): Promise<void> {
  world.git.writeAll({
    'README.md': '# App\n\nWords about the app.\n',
    'src/alpha.ts': sourceText('alpha', 40),
    'src/beta.ts': sourceText('beta', 40),
    'src/deep/gamma.ts': sourceText('gamma', 10),
  });
  await world.git.commit();
  const run = await world.sync();
  expect(run).toMatchObject({ status: 'completed', filesAdded: 4, filesFailed: 0 });
}

describe('a first run', () => {
  it('makes the index equal the tree and advances the pointer last', async () => {
    await firstSync();
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    const repository = await world.repository();
    expect(repository).toMatchObject({ lastSyncedCommit: await world.git.head(), indexDirty: false });
    expect(repository.lastSyncAt).not.toBeNull();
    const folders = await world.manifest.listFolder(world.repositoryId, '', { limit: 10, offset: 0 });
    expect(folders?.items.map((folder) => [folder.path, folder.fileCount])).toEqual([['src', 3]]);
  });

  it('records every file that it does not index, with the reason', async () => {
    world.git.writeAll({
      'empty.txt': '',
      'blank.txt': '  \n\n',
      'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 1]),
      'huge.ts': sourceText('huge', 5_000),
      'bundle.js': `var a=${'x'.repeat(60_000)};`,
      'latin.txt': Buffer.from('Größe und Maß der Straße\n', 'latin1'),
      'utf16.txt': Buffer.from('\ufeffWide characters all the way down\n', 'utf16le'),
      'keep.ts': sourceText('keep', 3),
    });
    world.git.lfsPointer('model.bin', { oid: 'a'.repeat(64), sizeBytes: 12345 });
    world.git.symlink('link.ts', 'keep.ts');
    world.git.submodule('vendor/lib', 'b'.repeat(40));
    await world.git.commit();
    const run = await world.sync();
    const reasons = Object.fromEntries(
      (await world.entries()).map((entry) => [entry.path, entry.skipReason]),
    );
    expect(reasons).toEqual({
      'empty.txt': 'empty',
      'blank.txt': 'empty',
      'image.png': 'binary',
      'huge.ts': 'too_large',
      'bundle.js': 'minified',
      'latin.txt': null,
      'utf16.txt': null,
      'keep.ts': null,
      'model.bin': 'lfs_pointer',
      'link.ts': 'symlink',
      'vendor/lib': 'submodule',
    });
    expect(run).toMatchObject({ status: 'completed', filesAdded: 3, filesSkipped: 8, filesFailed: 0 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('fails with a specific error for an empty repository or a missing branch, and stores nothing', async () => {
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'repository_empty' });
    world.git.write('a.ts', 'x');
    await world.git.commit();
    await world.git.branch('other');
    await world.git.checkout('other');
    await world.git.deleteBranch('main');
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'branch_not_found' });
    expect(await world.entries()).toEqual([]);
  });
});

describe('a later run', () => {
  beforeEach(firstSync);

  it('needs one request and writes nothing when nothing has changed', async () => {
    const before = await world.points();
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      sourceRequests: 1,
      filesProcessed: 0,
      chunksUpserted: 0,
      chunksDeleted: 0,
      embeddingsRequested: 0,
      embeddingsReused: 0,
    });
    expect(world.gitlab.requests).toHaveLength(1);
    expect(await world.points()).toEqual(before);
  });

  it('updates only edited, renamed and deleted files, and embeds nothing for the rename', async () => {
    world.git.write('src/alpha.ts', `${sourceText('alpha', 40)}// one more line\n`);
    world.git.rename('src/beta.ts', 'src/moved/beta.ts');
    world.git.delete('src/deep/gamma.ts');
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      filesProcessed: 3,
      filesModified: 1,
      filesRenamed: 1,
      filesDeleted: 1,
      filesAdded: 0,
      embeddingsRequested: 1,
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(world.gitlab.requests.filter((request) => request.path.includes('/blobs/'))).toHaveLength(1);
  });

  it('copies the points of a copied file', async () => {
    world.git.write('src/alpha-again.ts', sourceText('alpha', 40));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ filesAdded: 1, filesRenamed: 0, embeddingsRequested: 0 });
    expect(world.gitlab.requests.filter((request) => request.path.includes('/blobs/'))).toHaveLength(0);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('reads a file again that was renamed to another language', async () => {
    world.git.rename('src/alpha.ts', 'src/alpha.md');
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 1, filesDeleted: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('removes the points of a file that became a symlink, binary or empty', async () => {
    world.git.symlink('src/alpha.ts', 'beta.ts');
    world.git.write('src/beta.ts', Buffer.from([0, 1, 2, 3, 0]));
    world.git.write('src/deep/gamma.ts', '');
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesSkipped: 3 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('makes the index equal the tree after a force-push to an unrelated history', async () => {
    await world.git.checkout('fresh');
    world.git.writeAll({ 'only.ts': sourceText('only', 5) });
    await world.git.commit();
    await world.git.branch('main', 'fresh');
    await world.git.checkout('main');
    await world.git.dropUnreachable();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesDeleted: 4, filesAdded: 1 });
    expect(await findDifferences(world, 'main')).toEqual(NO_DIFFERENCES);
  });

  it('applies changed globs without reading unchanged files again', async () => {
    await world.repositories.update(world.repositoryId, { excludeGlobs: ['src/deep/**'] });
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      filesSkipped: 1,
      filesProcessed: 1,
      embeddingsRequested: 0,
    });
    expect(world.gitlab.requests.filter((request) => request.path.includes('/blobs/'))).toHaveLength(0);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    await world.repositories.update(world.repositoryId, { excludeGlobs: [] });
    expect(await world.sync()).toMatchObject({ status: 'completed', embeddingsRequested: 0 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('chunks every file again after a change of the chunk size', async () => {
    await world.repositories.update(world.repositoryId, { chunkSize: 200, chunkOverlap: 20 });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 4 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('stores everything again with full: true', async () => {
    expect(await world.sync({ fullSync: true })).toMatchObject({ status: 'completed', filesModified: 4 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('deletes nothing when the listing fails', async () => {
    world.git.delete('src/alpha.ts');
    await world.git.commit();
    const before = await world.points();
    world.gitlab.faults.add({ url: /repository\/tree/, effect: { kind: 'status', status: 500 } });
    expect(await world.sync()).toMatchObject({
      status: 'queued',
      errorCode: 'source_unavailable',
      attempt: 2,
    });
    expect(await world.points()).toEqual(before);
  });

  it('records a file that cannot be read, keeps its points, and retries it', async () => {
    const head = world.git;
    head.write('src/alpha.ts', sourceText('changed', 40));
    head.write('src/new.ts', sourceText('new', 3));
    await head.commit();
    const former = (await world.points()).filter((point) => point.path === 'src/alpha.ts');
    const restore = world.gitlab.faults.add({ url: /\/blobs\//, effect: { kind: 'corrupt' } });
    world.gitlab.faults.add({ url: /graphql/, effect: { kind: 'status', status: 403 } });
    const partial = await world.sync();
    expect(partial).toMatchObject({ status: 'partial', filesFailed: 2, errorCode: 'files_failed' });
    expect((await world.points()).filter((point) => point.path === 'src/alpha.ts')).toEqual(former);
    const failed = await world.manifest.listFiles(
      world.repositoryId,
      { status: 'failed' },
      { limit: 10, offset: 0 },
    );
    expect(failed.items.map((entry) => [entry.path, entry.lastError?.split(':')[0]])).toEqual([
      ['src/alpha.ts', 'blob_sha_mismatch'],
      ['src/new.ts', 'blob_sha_mismatch'],
    ]);
    restore();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0, filesProcessed: 2 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('fails without a retry when the token is rejected, and recovers with a valid one', async () => {
    world.gitlab.endToken('default', 'revoked');
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'source_token_rejected' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

describe.each(VECTOR_STORES)('a rename in the store %s', (vectors) => {
  const FOLDERS = ['first', 'second', 'third'];
  const files = FOLDERS.flatMap((folder) =>
    Array.from({ length: 5 }, (_, index) => [
      `${folder}/file${index}.ts`,
      sourceText(`${folder}${index}`, 20),
    ]),
  );
  const vectorsByText = async (): Promise<string[]> =>
    (await world.wholePoints()).map(({ vector, payload }) => `${payload.text} ${vector.join()}`).sort();

  it('embeds nothing and reads nothing when folders move into each other, even with an empty cache', async () => {
    await world.stop();
    world = await createSyncWorld({ vectors, syncLimits: { batchFiles: 2 } });
    world.git.writeAll(Object.fromEntries(files) as Record<string, string>);
    await world.git.commit();
    await world.sync();
    const before = await vectorsByText();
    for (const [from, to] of [
      ['third', 'fourth'],
      ['second', 'third'],
      ['first', 'second'],
    ] as const)
      world.git.rename(from, to);
    world.git.write('copies/file0.ts', sourceText('first0', 20));
    await world.git.commit();
    await world.database.query('DELETE FROM embedding_cache');
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      embeddingsRequested: 0,
      fetchStrategy: 'head 1, tree 2',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    const copied = new Set(await vectorsByText());
    expect([...copied]).toEqual([...new Set(before)]);
  });
});
