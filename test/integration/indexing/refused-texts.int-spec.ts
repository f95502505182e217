import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startEmbeddingStandIn, type EmbeddingStandIn } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { testEmbedder } from '../../support/test-embedder.js';

let embeddings: EmbeddingStandIn;
let world: SyncWorld;

beforeEach(async () => {
  embeddings = await startEmbeddingStandIn();
  const embedder = testEmbedder({ url: embeddings.url, dimensions: 32, batchSize: 8, concurrency: 2 });
  world = await createSyncWorld({ embedder });
  for (const name of ['one', 'two', 'three']) world.git.write(`${name}.ts`, sourceText(name, 20));
  world.git.write('bad.ts', `${sourceText('bad', 20)}// forbidden words\n`);
  await world.git.commit();
});
afterEach(async () => {
  await world.stop();
  await embeddings.stop();
});

describe('an embedding server that refuses', () => {
  it('one text fails only the file with that text', async () => {
    embeddings.settings.refusedTexts = /forbidden/;
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'partial', filesAdded: 3, filesFailed: 1 });
    const errors = (await world.entries()).map(({ path, lastError }) => [path, lastError?.split(':')[0]]);
    expect(errors.filter(([, error]) => error !== undefined)).toEqual([['bad.ts', 'embedding_text_refused']]);
    expect((await world.points()).map(({ path }) => path)).not.toContain('bad.ts');
    embeddings.settings.refusedTexts = null;
    expect(await world.sync()).toMatchObject({ status: 'completed', filesProcessed: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it.each(['status 500', 'zeros'] as const)(
    'to embed one text (%s) fails only the file with that text',
    async (as) => {
      embeddings.settings.poisonedTexts = { pattern: /forbidden/, as };
      const run = await world.sync();
      expect(run).toMatchObject({ status: 'partial', filesAdded: 3, filesFailed: 1 });
      embeddings.settings.poisonedTexts = null;
      expect(await world.sync()).toMatchObject({ status: 'completed', filesProcessed: 1 });
      expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    },
  );

  it('every text fails the run, and nothing is stored', async () => {
    embeddings.settings.refusedTexts = /./;
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'embedding_request_refused' });
    expect(await world.points()).toEqual([]);
  });
});
