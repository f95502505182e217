import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLexicalEmbedder } from '@adapters/embedding';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  type SyncWorld,
} from '../../../support/sync-world.js';
import { type History, HistoryPlayer, historyOf, type Step } from './history.js';
import { limitsOf, setUp } from './server-moods.js';
import { Truth } from './truth.js';

/** `npm run test:histories` plays many; every test run plays a few, always the same. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 6);
const STEPS = Number(process.env['HISTORY_STEPS'] ?? 6);
const SEED = Number(process.env['HISTORIES_SEED'] ?? 20_261_121);
const SECONDS_PER_STEP = 10;

const ways = new Map<string, number>();

async function playHistory({ server, steps }: History): Promise<void> {
  const embedder = createLexicalEmbedder();
  const world = await createSyncWorld({ syncLimits: limitsOf(server) });
  try {
    const player = new HistoryPlayer(world.git);
    const truth = new Truth(world, embedder);
    for (const step of steps) {
      await player.play(step);
      if (step.excludeGlobs)
        await world.repositories.update(world.repositoryId, { excludeGlobs: step.excludeGlobs });
      setUp(world.gitlab, server);
      await syncUnderFaults(world, truth, step);
      world.gitlab.faults.clear();
      setUp(world.gitlab, server);
      await expectExactAfterSync(world, truth);
      world.gitlab.faults.clear();
    }
  } finally {
    await world.stop();
  }
}

/** Whatever became of the run: nothing false is stored, nothing right is gone, and `completed` means exact. */
async function syncUnderFaults(world: SyncWorld, truth: Truth, { faults, fullSync }: Step): Promise<void> {
  for (const fault of faults) world.gitlab.faults.add(fault);
  const before = await world.points();
  const run = await world.sync({ fullSync });
  count(run.fetchStrategy ?? run.status);
  expect(await truth.falsePoints()).toEqual([]);
  if (run.status === 'completed') {
    expect(await findDifferences(world, 'main')).toEqual(NO_DIFFERENCES);
    return;
  }
  if (run.status === 'queued') await world.executions.requestCancel(run.id);
  const tree = new Set((await world.tree('main')).map(({ path, sha }) => `${sha} ${path}`));
  const after = new Set((await world.points()).map(({ id }) => id));
  const lost = before.filter((point) => tree.has(`${point.blob_sha} ${point.path}`) && !after.has(point.id));
  const skipped = new Set(
    (await world.entries()).filter((entry) => entry.skipReason !== null).map(({ path }) => path),
  );
  expect(lost.filter(({ path }) => !skipped.has(path))).toEqual([]);
}

async function expectExactAfterSync(world: SyncWorld, truth: Truth): Promise<void> {
  const run = await world.sync();
  expect(run).toMatchObject({ status: 'completed', errorCode: null });
  count(run.fetchStrategy ?? run.status);
  expect(await findDifferences(world, 'main')).toEqual(NO_DIFFERENCES);
  expect(await truth.falsePoints()).toEqual([]);
  expect(await truth.shortFiles()).toEqual([]);
  expect(world.gitlab.requests.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual(
    [],
  );
}

function count(fetchStrategy: string): void {
  const name = fetchStrategy.replace(/ \d+/g, '');
  ways.set(name, (ways.get(name) ?? 0) + 1);
}

describe('random histories', () => {
  it(
    `${HISTORIES} of ${STEPS} steps end exact after every sync, on every way, whatever the server does`,
    async () => {
      await fc.assert(fc.asyncProperty(historyOf(STEPS), playHistory), {
        numRuns: HISTORIES,
        seed: SEED,
        // A failing history is made smaller for as long as this; then what is smallest so far is shown.
        interruptAfterTimeLimit: HISTORIES * STEPS * SECONDS_PER_STEP * 1000,
        markInterruptAsFailure: true,
      });
      const taken = [...ways.keys()].join(' ');
      for (const way of ['compare', 'tree', 'graphql', 'archive', 'blobs']) expect(taken).toContain(way);
      if (process.env['HISTORIES'] !== undefined)
        process.stdout.write(`${JSON.stringify(Object.fromEntries(ways), null, 2)}\n`);
    },
    HISTORIES * STEPS * SECONDS_PER_STEP * 1000,
  );
});
