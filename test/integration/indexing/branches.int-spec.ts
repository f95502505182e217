import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddingStandIn, startEmbeddingStandIn } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { askOnce, embeddedHashes, testEmbedder } from '../../support/test-embedder.js';

const FILES = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`src/file-${index}.ts`, sourceText(`word${index}`, 60)]),
);
const ONLY_RELEASE = { 'src/release.ts': sourceText('release', 40) };

let embedding: EmbeddingStandIn;
let world: SyncWorld;
let release: string;

beforeEach(async () => {
  embedding = await startEmbeddingStandIn();
  const embedder = testEmbedder({ url: embedding.url, dimensions: 64, batchSize: 16, concurrency: 2 });
  await askOnce(embedder, 400);
  world = await createSyncWorld({ embedder });
  await world.git.writeAll(FILES).commit();
  await world.git.branch('release');
  release = await world.register({ branch: 'release' });
  embedding.resetLog();
});
afterEach(async () => {
  await world.stop();
  await embedding.stop();
});

const textsSent = () => embeddedHashes(embedding).length;
const expectExact = async (revision: string, repositoryId: string) =>
  expect(await findDifferences(world, revision, repositoryId)).toEqual(NO_DIFFERENCES);
const textsOf = async (repositoryId: string) =>
  (await world.wholePoints(repositoryId)).map(({ payload }) => payload.text);

describe('a repository whose branch is changed', () => {
  it('embeds nothing again when the branch was renamed, and only new texts of another branch', async () => {
    await world.sync();
    embedding.resetLog();
    await world.git.branch('trunk');
    await world.repositories.update(world.repositoryId, { branch: 'trunk' });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesProcessed: 0 });
    await world.git.checkout('release');
    world.git.writeAll(ONLY_RELEASE);
    world.git.delete('src/file-3.ts');
    await world.git.commit();
    await world.repositories.softDelete(release);
    await world.repositories.update(world.repositoryId, { branch: 'release' });
    expect(await world.sync()).toMatchObject({ filesAdded: 1, filesDeleted: 1, filesModified: 0 });
    const added = (await world.wholePoints()).filter(({ payload }) => payload.path in ONLY_RELEASE);
    expect(textsSent()).toBe(added.length);
    await expectExact('release', world.repositoryId);
  });
});

describe('two branches of one project', () => {
  it('synced one after the other embed equal chunks once', async () => {
    const first = await world.sync();
    const different = new Set(await textsOf(world.repositoryId)).size;
    expect(textsSent()).toBe(different);
    expect(first.embeddingsRequested).toBe(different);

    const second = await world.sync({ repositoryId: release });
    expect(textsSent()).toBe(different);
    expect(second).toMatchObject({ status: 'completed', embeddingsRequested: 0 });
    expect(second.chunksUpserted).toBe(first.chunksUpserted);
    await expectExact('main', world.repositoryId);
    await expectExact('release', release);
  });

  it('embed only the chunks that differ', async () => {
    await world.sync();
    const texts = textsSent();
    await world.git.checkout('release');
    await world.git.writeAll(ONLY_RELEASE).commit();
    await world.sync({ repositoryId: release });
    const known = new Set(await textsOf(world.repositoryId));
    const added = new Set((await textsOf(release)).filter((text) => !known.has(text)));
    expect(textsSent() - texts).toBe(added.size);
  });

  it('synced at the same time are indexed correctly, and each run embeds a chunk at most once', async () => {
    const runs = await Promise.all([world.sync(), world.sync({ repositoryId: release })]);
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const different = new Set(await textsOf(release)).size;
    expect(textsSent()).toBeGreaterThanOrEqual(different);
    expect(textsSent()).toBeLessThanOrEqual(2 * different);
    for (const { embeddingsRequested } of runs) expect(embeddingsRequested).toBeLessThanOrEqual(different);
    await expectExact('main', world.repositoryId);
    await expectExact('release', release);
  });

  it('are independent: the purge of one keeps the points and rows of the other', async () => {
    await world.sync();
    await world.sync({ repositoryId: release });
    const kept = (await world.points()).length;
    await world.repositories.softDelete(release);
    expect(await world.run('purge', { repositoryId: release })).toMatchObject({
      status: 'completed',
      chunksDeleted: kept,
    });
    expect(await world.points(release)).toEqual([]);
    expect(await world.entries(release)).toEqual([]);
    expect(await world.points()).toHaveLength(kept);
    await expectExact('main', world.repositoryId);
  });
});
