import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startEmbeddingStandIn, type EmbeddingStandIn } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  type SyncWorld,
} from '../../support/sync-world.js';
import { askOnce, embeddedHashes, testEmbedder } from '../../support/test-embedder.js';

const FILES = 10_000;
const FILES_PER_FOLDER = 1_000;
const pathOf = (number: number) => `src/part${Math.floor(number / FILES_PER_FOLDER)}/file${number}.ts`;
/** Two chunks of 400 characters. */
function textOf(number: number, last = 'end'): string {
  const line = (word: string) => `export const ${word}${number} = '${word} of file ${number}';\n`;
  return [...Array.from({ length: 9 }, (_, index) => line(`value${index}`)), line(last)].join('');
}

let embeddings: EmbeddingStandIn;
let world: SyncWorld;

async function start(): Promise<void> {
  embeddings = await startEmbeddingStandIn();
  const embedder = testEmbedder({ url: embeddings.url, dimensions: 16, batchSize: 128, concurrency: 2 });
  await askOnce(embedder, 400);
  world = await createSyncWorld({ embedder });
}
async function stop(): Promise<void> {
  await world.stop();
  await embeddings.stop();
}

/** SHA-256 of the texts sent to the embedding server since the last reset. */
const sentHashes = () => embeddedHashes(embeddings).sort();
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function textsOf(path: string): Promise<string[]> {
  const { blobSha, fingerprint } = (await world.entries()).find((row) => row.path === path)!;
  const version = `${blobSha}.${fingerprint.split('.')[0]}`;
  const file = { repositoryId: world.repositoryId, path };
  const { signal } = new AbortController();
  const points = await world.vectorStore.readFile(await world.collection(), file, version, signal);
  return points.map(({ payload }) => payload.text);
}

describe(`a repository of ${FILES} files, counted in the servers' logs`, () => {
  beforeAll(async () => {
    await start();
    for (let number = 0; number < FILES; number++) world.git.write(pathOf(number), textOf(number));
    await world.git.commit();
  });
  beforeEach(() => embeddings.resetLog());
  afterAll(stop);

  it('needs at most 120 requests for its first sync', async () => {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesAdded: FILES, filesFailed: 0 });
    expect(run.fetchStrategy).toBe('head 1, tree 102, archive 1');
    expect(world.gitlab.requests).toHaveLength(104);
    expect(run.sourceRequests).toBe(104);
    const hashes = sentHashes();
    expect(hashes).toHaveLength(2 * FILES);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('needs one request, and no embedding request, while nothing changes', async () => {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', sourceRequests: 1, embeddingsRequested: 0 });
    expect(world.gitlab.requests.map(({ path }) => path)).toEqual([
      `/api/v4/projects/${world.project.id}/repository/branches/main`,
    ]);
    expect(embeddings.requests).toEqual([]);
  });

  it('needs at most 15 requests and embeds only the changed chunks when 10 files are edited', async () => {
    const edited = Array.from({ length: 10 }, (_, index) => index * FILES_PER_FOLDER + index);
    for (const number of edited) world.git.write(pathOf(number), textOf(number, 'changed'));
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesProcessed: 10, filesModified: 10 });
    expect(run.fetchStrategy).toBe('head 1, compare 1, graphql 2, tree 1');
    expect(world.gitlab.requests).toHaveLength(5);
    // The last chunk of each file; the chunk before it is unchanged.
    const lastChunks = await Promise.all(
      edited.map(async (number) => (await textsOf(pathOf(number))).at(-1)!),
    );
    expect(lastChunks.every((text) => text.includes("'changed of file"))).toBe(true);
    expect(sentHashes()).toEqual(lastChunks.map(hashOf).sort());
    expect(run).toMatchObject({ embeddingsRequested: 10, embeddingsReused: 10 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('embeds nothing when a folder of 1,000 files is renamed', async () => {
    world.git.rename('src/part3', 'src/renamed/part3');
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      filesRenamed: FILES_PER_FOLDER,
      filesDeleted: 0,
      embeddingsRequested: 0,
    });
    expect(run.fetchStrategy).toBe('head 1, compare 1, graphql 10, tree 1');
    expect(embeddings.requests).toEqual([]);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

describe('a long file', () => {
  const PATH = 'src/long.ts';
  const lines = Array.from({ length: 400 }, (_, index) => `export const value${index} = ${index * 7};\n`);
  beforeAll(start);
  afterAll(stop);

  it.each<[string, (before: readonly string[]) => string[]]>([
    ['changed', (before) => before.with(200, 'export const value200 = 1401;\n')],
    ['inserted', (before) => before.toSpliced(200, 0, 'export const inserted = 1;\n')],
    ['removed', (before) => before.toSpliced(200, 1)],
  ])('of which one line is %s embeds only the chunks whose text changed', async (_, edit) => {
    world.git.write(PATH, lines.join(''));
    await world.git.commit();
    await world.sync({ fullSync: true });
    const before = new Set(await textsOf(PATH));
    expect(before.size).toBeGreaterThan(30);
    embeddings.resetLog();
    world.git.write(PATH, edit(lines).join(''));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1 });
    const fresh = (await textsOf(PATH)).filter((text) => !before.has(text));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.length).toBeLessThan(before.size);
    expect(sentHashes()).toEqual(fresh.map(hashOf).sort());
  });
});
