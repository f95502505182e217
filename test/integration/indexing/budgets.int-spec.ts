import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock, type Embedder } from '@core/domain';
import { createLexicalEmbedder } from '@adapters/embedding';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

/** More than a run has in progress at once, so that a time limit leaves some. */
const FILES = 64;
/** For {@link sourceText} with 20 lines, in chunks of 400 characters with 50 of overlap: about 400 tokens. */
const textOf = (number: number): string => sourceText(`file${number}x`, 20);

let world: SyncWorld;
afterEach(() => world.stop());

/** One blob per request and low concurrency, so that a stopped run has unread files. */
const BLOB_BY_BLOB = {
  fetchConcurrency: 1,
  syncLimits: { batchFiles: 4, batchFromFiles: Infinity, archivePrice: Infinity },
};

/** All texts sent for embedding, in order. */
function recordingEmbedder(): Embedder & { texts: string[] } {
  const lexical = createLexicalEmbedder();
  const texts: string[] = [];
  const embed: Embedder['embed'] = (batch, purpose, signal) => {
    texts.push(...batch);
    return lexical.embed(batch, purpose, signal);
  };
  return Object.assign(createLexicalEmbedder(), { texts, embed });
}

async function writeFiles(): Promise<void> {
  for (let number = 0; number < FILES; number++) world.git.write(`src/file${number}.ts`, textOf(number));
  await world.git.commit();
}

async function storedPaths(): Promise<string[]> {
  return (await world.entries()).map(({ path }) => path);
}

describe('a time budget', () => {
  /** A clock that exceeds any time budget as soon as the run has stored a batch. */
  const hastyClock = { now: () => systemClock.now(), monotonicMs: () => (ticks += 10_000) };
  let ticks = 0;

  it('stops a run cleanly, and later runs complete the index without reading or embedding anything twice', async () => {
    const embedder = recordingEmbedder();
    world = await createSyncWorld({
      embedder,
      clock: hastyClock,
      timeBudgetSeconds: 1,
      ...BLOB_BY_BLOB,
    });
    await writeFiles();
    const readBlobs: string[] = [];
    const runs = [];
    let stored = 0;
    for (let tick = 0; tick < FILES; tick++) {
      const run = await world.sync();
      runs.push(run);
      const requests = world.gitlab.requests.map(({ path }) => path);
      readBlobs.push(...requests.filter((path) => path.includes('/repository/blobs/')));
      if (run.status === 'completed') break;
      expect(run).toMatchObject({ status: 'partial', errorCode: 'time_budget_reached', toCommit: null });
      expect(run.errorMessage).toMatch(/time budget of 1 s with \d+ file\(s\) left/);
      expect((await world.repository()).lastSyncedCommit).toBeNull();
      const paths = await storedPaths();
      expect(paths.length).toBeGreaterThan(stored);
      stored = paths.length;
    }
    // How many files a run reads before its first batch is stored depends on the machine's speed.
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.at(-1)).toMatchObject({ status: 'completed', toCommit: await world.git.head() });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(readBlobs).toHaveLength(FILES);
    expect(new Set(readBlobs).size).toBe(FILES);
    expect(new Set(embedder.texts).size).toBe(embedder.texts.length);
    expect(runs.reduce((sum, run) => sum + run.filesAdded, 0)).toBe(FILES);
  });

  it('prevents all deletions until a run completes', async () => {
    world = await createSyncWorld({ clock: hastyClock, ...BLOB_BY_BLOB });
    await writeFiles();
    await world.sync({ fullSync: true });
    world.setTimeBudget(1);
    world.git.delete('src/file0.ts');
    for (let number = 1; number < FILES; number++)
      world.git.write(`src/file${number}.ts`, `${textOf(number)}// edited\n`);
    await world.git.commit();
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'partial', errorCode: 'time_budget_reached', filesDeleted: 0 });
    expect(await storedPaths()).toContain('src/file0.ts');
    let run = first;
    for (let tick = 0; tick < FILES && run.status === 'partial'; tick++) run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesDeleted: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('does not apply to a full sync, which would start over every time', async () => {
    world = await createSyncWorld({ clock: hastyClock, timeBudgetSeconds: 1, ...BLOB_BY_BLOB });
    await writeFiles();
    expect(await world.sync({ fullSync: true })).toMatchObject({ status: 'completed', filesAdded: FILES });
  });

  it('does not cause a check of all points: the next run only continues', async () => {
    world = await createSyncWorld({ clock: hastyClock, timeBudgetSeconds: 1, ...BLOB_BY_BLOB });
    await writeFiles();
    expect(await world.sync()).toMatchObject({ errorCode: 'time_budget_reached' });
    expect(await world.repository()).toMatchObject({ indexDirty: true });
    expect(await world.repositories.listSuspect()).toEqual([]);
  });
});

describe('an embedding budget', () => {
  it('is never exceeded; stored files stay, and each run continues from there', async () => {
    const embedder = recordingEmbedder();
    world = await createSyncWorld({ embedder, syncLimits: { batchFiles: 4 } });
    await writeFiles();
    const maxEmbeddingTokens = 3_000;
    const spent: number[] = [];
    for (let tick = 0; tick < FILES; tick++) {
      const before = embedder.texts.length;
      const run = await world.sync({ maxEmbeddingTokens });
      const sent = embedder.texts.slice(before);
      const tokens = sent.reduce((sum, text) => sum + Math.ceil(text.length / 3), 0);
      expect(run.embeddingTokens).toBe(tokens);
      expect(tokens).toBeLessThanOrEqual(maxEmbeddingTokens);
      spent.push(tokens);
      if (run.status === 'completed') break;
      expect(run).toMatchObject({ status: 'partial', errorCode: 'budget_reached', toCommit: null });
      expect(run.errorMessage).toContain(`of ${maxEmbeddingTokens} estimated tokens (max_embedding_tokens)`);
      expect(tokens).toBeGreaterThan(0);
    }
    expect(spent.length).toBeGreaterThan(2);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(new Set(embedder.texts).size).toBe(embedder.texts.length);
  });

  it('names a file that exceeds the whole budget and the setting, and indexes all others', async () => {
    world = await createSyncWorld({ syncLimits: { batchFiles: 4 } });
    await writeFiles();
    world.git.write('src/a-large-one.ts', sourceText('large', 400));
    await world.git.commit();
    let run = await world.sync({ maxEmbeddingTokens: 3_000 });
    for (let tick = 0; tick < FILES && (await storedPaths()).length <= FILES; tick++) {
      run = await world.sync({ maxEmbeddingTokens: 3_000 });
    }
    expect(run).toMatchObject({ status: 'partial', errorCode: 'budget_reached' });
    expect(run.errorMessage).toMatch(
      /"src\/a-large-one\.ts" alone needs \d+ tokens.*raise max_embedding_tokens,/,
    );
    expect(await storedPaths()).toHaveLength(FILES + 1);
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('does not keep removed files in the index when it is too small for a file', async () => {
    world = await createSyncWorld();
    world.git.write('src/a-large-one.ts', sourceText('large', 20));
    await writeFiles();
    await world.sync();
    world.git.write('src/a-large-one.ts', sourceText('larger', 400));
    world.git.delete('src/file3.ts');
    world.git.write('src/file4.ts', sourceText('edited', 20));
    const head = await world.git.commit();
    const run = await world.sync({ maxEmbeddingTokens: 3_000 });
    expect(run).toMatchObject({ status: 'partial', errorCode: 'budget_reached', toCommit: head });
    expect(run).toMatchObject({ filesFailed: 1, filesModified: 1, filesDeleted: 1 });
    const failed = (await world.entries()).filter(({ lastError }) => lastError !== null);
    expect(failed).toMatchObject([
      { path: 'src/a-large-one.ts', lastError: expect.stringMatching(/^embedding_budget: .*raise/) as never },
    ]);
    expect(await world.repository()).toMatchObject({ lastSyncedCommit: head, indexDirty: false });
    // Its former version stays; all other files equal the tree.
    const { wrongPoints, strayPoints, listedTooMuch } = await findDifferences(world);
    expect({ wrongPoints, strayPoints, listedTooMuch }).toEqual({
      wrongPoints: [],
      strayPoints: [],
      listedTooMuch: [],
    });
    expect((await world.points()).some(({ path }) => path === 'src/a-large-one.ts')).toBe(true);
    expect(await world.sync({ maxEmbeddingTokens: 3_000 })).toMatchObject({
      status: 'partial',
      errorCode: 'budget_reached',
      filesProcessed: 1,
    });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('does not count as a host failure when it is too small for every file', async () => {
    world = await createSyncWorld();
    await writeFiles();
    const run = await world.sync({ maxEmbeddingTokens: 1 });
    expect(run).toMatchObject({ status: 'partial', errorCode: 'budget_reached', filesFailed: FILES });
  });

  it('is not spent on texts that are in the cache', async () => {
    world = await createSyncWorld();
    await writeFiles();
    await world.sync();
    await world.manifest.flagSuspect(world.repositoryId);
    const run = await world.sync({ fullSync: true, maxEmbeddingTokens: 1 });
    expect(run).toMatchObject({ status: 'completed', embeddingTokens: 0, embeddingsRequested: 0 });
    world.git.rename('src', 'moved');
    await world.git.commit();
    expect(await world.sync({ maxEmbeddingTokens: 1 })).toMatchObject({
      status: 'completed',
      filesRenamed: FILES,
    });
  });
});
