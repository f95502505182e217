import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createModelRegistry } from '@adapters/postgres';
import { cosineOf, type ModelRegistry, type Point } from '@core/domain';
import { embeddingOf, LENGTH_REFUSALS, startEmbeddingStandIn, type EmbeddingStandIn } from '@devkit';
import { memoryRegistry } from '../../support/model-registry.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { embeddedHashes, testEmbedder } from '../../support/test-embedder.js';

const MODEL = { id: 'house-model', dimensions: 64, canShorten: false };
const FILES = 24;

let embeddings: EmbeddingStandIn;
let registry: ModelRegistry;
let world: SyncWorld;

beforeEach(async () => {
  embeddings = await startEmbeddingStandIn();
  embeddings.settings.models = [MODEL];
  registry = memoryRegistry();
  world = await createSyncWorld({
    embedder: newEmbedder(),
    repository: { chunkSize: 7000, chunkOverlap: 1500 },
  });
});
afterEach(async () => {
  await world.stop();
  await embeddings.stop();
});

/** As after a restart of the service. */
function newEmbedder(maxInputTokens?: number) {
  const limit = maxInputTokens === undefined ? {} : { maxInputTokens };
  const retry = { attempts: 2, firstDelayMs: 1, longestDelayMs: 1 };
  const { id: model, dimensions } = MODEL;
  return testEmbedder({ url: embeddings.url, model, dimensions, batchSize: 8, registry, retry, ...limit });
}

function writeFiles(lines: number): Promise<string> {
  for (let number = 0; number < FILES; number++)
    world.git.write(`src/file${number}.ts`, sourceText(`file${number}`, lines));
  return world.git.commit();
}

/** Points whose vector is not the embedding of the whole text that they hold. */
async function dishonest(weights = MODEL.id): Promise<string[]> {
  const isWhole = ({ vector, payload }: Point) =>
    cosineOf(vector, embeddingOf(weights, payload.text, MODEL.dimensions)) >= 0.9999;
  return (await world.wholePoints()).filter((point) => !isWhole(point)).map(({ payload }) => payload.path);
}

async function expectExact(): Promise<void> {
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  expect(await dishonest()).toEqual([]);
}

/** Every line of every file is in a chunk, at the line that the chunk names. */
async function expectTrueLines(lines: number): Promise<void> {
  for (const { payload } of await world.wholePoints()) {
    const name = /file\d+/.exec(payload.path)![0];
    const file = sourceText(name, lines).split('\n');
    const named = file.slice(payload.start_line - 1, payload.end_line);
    expect(named.join('\n')).toContain(payload.text);
    expect(payload.text.split('\n')).toHaveLength(named.length);
  }
}

describe('an embedding server that answers a quarter NaN, a quarter short and a quarter 500', () => {
  it('leaves no wrong vector in any run, and none is missing when it is healthy again', async () => {
    await writeFiles(60);
    embeddings.faults.add({ share: 1 / 4, effect: { kind: 'not_a_number', as: 'NaN' } });
    embeddings.faults.add({ share: 1 / 3, effect: { kind: 'wrong_count' } });
    embeddings.faults.add({ share: 1 / 2, effect: { kind: 'status', status: 500 } });
    for (let run = 0; run < 8; run++) {
      const { id, status } = await world.sync();
      expect(await dishonest()).toEqual([]);
      if (status === 'queued') await world.executions.requestCancel(id);
    }
    expect(embeddings.requests.some(({ fault }) => fault !== null)).toBe(true);
    embeddings.faults.clear();
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    await expectExact();
    expect(await world.points()).toHaveLength(FILES);
  });
});

describe('a model that takes 512 tokens', () => {
  const LINES = 300;

  it.each(['embedded', 'sent', 'none'] as const)(
    'and a server that cuts without an error: smaller chunks are embedded whole (usage: %s)',
    async (usage) => {
      Object.assign(embeddings.settings, { maxInputTokens: 512, longTexts: 'cut', usage });
      await writeFiles(LINES);
      expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0 });
      await expectExact();
      await expectTrueLines(LINES);
      const [first] = await world.wholePoints();
      expect(first!.payload.text.length).toBeGreaterThan(1000);
    },
  );

  it.each([
    ['states its limit', 'OpenAI'],
    ['states no limit', 'Ollama'],
  ] as const)(
    'and a server that refuses and %s: smaller chunks are embedded whole',
    async (_does, server) => {
      Object.assign(embeddings.settings, { maxInputTokens: 512, longTexts: LENGTH_REFUSALS[server] });
      await writeFiles(LINES);
      // More tokens per character than the estimate allows for.
      embeddings.settings.charactersPerToken = 2;
      expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0 });
      await expectExact();
      await expectTrueLines(LINES);
    },
  );

  it('gets longer chunks when it is replaced by one that takes more', async () => {
    await writeFiles(LINES);
    world.setEmbedders(newEmbedder(512));
    const short = await world.sync();
    world.setEmbedders(newEmbedder(8192));
    const long = await world.sync();
    expect(long).toMatchObject({ status: 'completed', filesProcessed: FILES });
    expect(long.chunksUpserted).toBeLessThan(short.chunksUpserted / 3);
    await expectExact();
  });
});

describe('another model under the same name', () => {
  it('never mixes its vectors with the former ones: the index is built anew beside them', async () => {
    await writeFiles(60);
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    const former = await world.collection();
    embeddings.settings.models = [{ ...MODEL, weights: 'newer' }];
    world.git.write('src/file0.ts', sourceText('edited', 60));
    await world.git.commit();
    embeddings.resetLog();
    const noticed = await world.sync();
    expect(noticed).toMatchObject({ status: 'queued', errorCode: 'embedding_model_changed' });
    expect(noticed.errorMessage).toContain('house-model@64#2');
    expect(embeddedHashes(embeddings)).toEqual([]);
    expect(await dishonest()).toEqual([]);

    expect(await world.runQueued(noticed.id)).toMatchObject({ status: 'completed' });
    expect(await world.collection()).not.toBe(former);
    expect(await dishonest('newer')).toEqual([]);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect((await world.generations.list()).map(({ modelId, status }) => [modelId, status])).toEqual([
      ['house-model@64#2', 'active'],
      ['house-model@64', 'retired'],
    ]);
  });

  it('is noticed after a restart too', async () => {
    await writeFiles(4);
    await world.sync();
    embeddings.settings.models = [{ ...MODEL, weights: 'newer' }];
    world.setEmbedders(newEmbedder());
    expect(await world.sync()).toMatchObject({ status: 'completed', filesProcessed: FILES });
    expect(await dishonest('newer')).toEqual([]);
  });
});

describe('what is known of embedding models', () => {
  it.each(['in memory', 'in Postgres'] as const)('is kept %s', async (where) => {
    const models = where === 'in memory' ? memoryRegistry() : createModelRegistry(world.database);
    const limits = { 7000: { characters: 1536, provenTokens: null, cutTokens: 512 } };
    const canary = embeddingOf('a', 'b', 4);
    const first = { id: 'm@4', name: 'm', dimensions: 4, server: 'http://one/v1', canary, limits };
    const second = { ...first, id: 'm@4#2', server: 'http://two/v1', limits: {} };
    expect(await models.add(first)).toBe(true);
    expect(await models.add({ ...second, id: 'm@4' })).toBe(false);
    await models.add(second);
    await models.add({ ...first, id: 'other@4', name: 'other' });
    expect(await models.list('m')).toEqual([second, first]);
    await models.update('m@4', { server: 'http://three/v1' });
    expect(await models.list('m')).toEqual([{ ...first, server: 'http://three/v1' }, second]);
    await models.update('m@4#2', { limits });
    expect(await models.list('m')).toEqual([
      { ...second, limits },
      { ...first, server: 'http://three/v1' },
    ]);
  });
});
