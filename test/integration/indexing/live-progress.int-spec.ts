import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Execution, type ProgressTask, type VectorStore } from '@core/domain';
import { shutdownReason } from '@core/executions';
import { startEmbeddingStandIn, type EmbeddingStandIn } from '@devkit';
import { eventually } from '../../support/eventually.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { askOnce, testEmbedder } from '../../support/test-embedder.js';

const FILES = 12;
/** Texts per request, so that a batch of the run needs many requests. */
const TEXTS = 4;

let embeddings: EmbeddingStandIn;
let world: SyncWorld;
/** The vector store accepts writes when this promise resolves. */
let hold: Promise<void>;

beforeEach(async () => {
  embeddings = await startEmbeddingStandIn();
  const embedder = testEmbedder({ url: embeddings.url, dimensions: 32, batchSize: TEXTS, concurrency: 1 });
  await askOnce(embedder, 400);
  // All files fit into one batch: nothing is stored before the last vector has arrived.
  const syncLimits = { batchChunks: 10_000, batchFiles: 10_000 };
  hold = Promise.resolve();
  const wrapVectorStore = (store: VectorStore): VectorStore =>
    Object.assign(Object.create(store) as VectorStore, {
      upsert: async (...points: Parameters<VectorStore['upsert']>) => {
        await hold;
        return store.upsert(...points);
      },
    });
  world = await createSyncWorld({ embedder, syncLimits, wrapVectorStore });
  for (let number = 0; number < FILES; number++)
    world.git.write(`src/file-${number}.ts`, sourceText(`file${number}`, 20));
  await world.git.commit();
});
afterEach(async () => {
  await world.stop();
  await embeddings.stop();
});

function enqueue(): Promise<Execution> {
  const { repositoryId } = world;
  return world.executions.enqueue({ repositoryId, trigger: 'manual', requestedBy: null, fullSync: false });
}

/** The embedding server answers this many requests, and delays the next until the faults are cleared. */
function holdAfter(requests: number): void {
  embeddings.faults.clear();
  embeddings.resetLog();
  embeddings.faults.add({ method: 'POST', after: requests, effect: { kind: 'stall' } });
}

function chunksOf({ message }: ProgressTask): { read: number; embedded: number; stored: number } {
  const [, read, embedded, stored] = /(\d+) chunks read, (\d+) embedded, (\d+) stored/.exec(message) ?? [];
  return { read: Number(read), embedded: Number(embedded), stored: Number(stored) };
}

describe('progress inside a batch', () => {
  it('shows the files read and the chunks embedded while the server delays a response', async () => {
    const { id } = await enqueue();
    const stopping = new AbortController();
    // One more: the question which model the server runs.
    holdAfter(4);
    const running = world.runQueued(id, {}, stopping.signal);
    let shown: ProgressTask | null = null;
    await eventually(async () => {
      shown = await world.progressStore.find(id);
      return shown !== null && chunksOf(shown).embedded === 3 * TEXTS;
    });
    const chunks = chunksOf(shown!);
    expect(shown).toMatchObject({ totalFiles: FILES, processedFiles: 0, failedFiles: 0 });
    expect(shown!.currentFile).toMatch(/^src\/file-\d+\.ts$/);
    expect(chunks).toEqual({ read: chunks.read, embedded: 3 * TEXTS, stored: 0 });
    expect(chunks.read).toBeGreaterThan(6 * TEXTS);
    // Reading is one fifth of the work, embedding three fifths: their common range is 15 to 90.
    const share = 0.2 + (0.6 * chunks.embedded) / chunks.read;
    expect(shown!.progress).toBe(Math.round(15 + 75 * share));
    expect(await world.points()).toEqual([]);

    stopping.abort(shutdownReason());
    await running;
    embeddings.faults.clear();
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed', chunksUpserted: chunks.read });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);

    const events = (await world.progressStore.eventsAfter(id, null)).map(({ task }) => task);
    const progress = events.map((task) => task.progress);
    expect(progress).toEqual(progress.toSorted((left, right) => left - right));
    expect(events.at(-1)).toMatchObject({ status: 'completed', progress: 100, processedFiles: FILES });
  });

  it('counts each text of a refused request once, and shows it before it is stored', async () => {
    world.git.write('bad.ts', `${sourceText('bad', 20)}// forbidden words\n`);
    await world.git.commit();
    embeddings.settings.refusedTexts = /forbidden/;
    let store = (): void => undefined;
    hold = new Promise((resolve) => (store = resolve));
    const { id } = await enqueue();
    const running = world.runQueued(id);
    let shown: ProgressTask | null = null;
    await eventually(async () => {
      shown = await world.progressStore.find(id);
      return shown !== null && chunksOf(shown).embedded >= chunksOf(shown).read;
    });
    const { read, embedded, stored } = chunksOf(shown!);
    expect({ embedded, stored }).toEqual({ embedded: read, stored: 0 });
    expect(shown).toMatchObject({ processedFiles: 0, progress: Math.round(15 + 75 * 0.8) });
    store();
    expect(await running).toMatchObject({ status: 'partial', filesFailed: 1, filesAdded: FILES });
    expect(await world.progressStore.find(id)).toMatchObject({
      progress: 100,
      failedFiles: 1,
      processedFiles: FILES + 1,
    });
  });
});
