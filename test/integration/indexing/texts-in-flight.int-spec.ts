import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startEmbeddingStandIn, type EmbeddingStandIn } from '@devkit';
import { createSyncWorld, sourceText, type SyncWorld } from '../../support/sync-world.js';
import { askOnce, testEmbedder } from '../../support/test-embedder.js';

const FILES = 100;
const REQUESTS = 2;

let embeddings: EmbeddingStandIn;
let world: SyncWorld;

beforeEach(async () => {
  embeddings = await startEmbeddingStandIn();
  const { url } = embeddings;
  const embedder = testEmbedder({ url, dimensions: 16, batchSize: 128, concurrency: REQUESTS });
  await askOnce(embedder, 400);
  world = await createSyncWorld({ embedder });
  // Names of equal length, so that all files have equally many chunks.
  for (let number = FILES; number < 2 * FILES; number++)
    world.git.write(`file${number}.ts`, sourceText(`file${number}`, 100));
  await world.git.commit();
  embeddings.resetLog();
});
afterEach(async () => {
  await world.stop();
  await embeddings.stop();
});

it('requests of a first sync of files with many chunks share a hundredth of its texts', async () => {
  expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
  const sizes = embeddings.work.map(({ contentHashes }) => contentHashes.length);
  const texts = sizes.reduce((sum, size) => sum + size, 0);
  expect(texts).toBeGreaterThan(10 * FILES);
  expect(Math.max(...sizes)).toBe(Math.floor(texts / 100 / REQUESTS));
});
