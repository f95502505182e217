import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLexicalEmbedder } from '@adapters/embedding';
import { type Execution, type Transport } from '@core/domain';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  type SyncWorld,
} from '../../../support/sync-world.js';
import { type History, HistoryPlayer, historyOf, type Step } from './history.js';
import { limitsOf, setUp } from './server-variants.js';
import { Tally } from './tally.js';
import { Truth } from './truth.js';

/** `npm run test:histories` plays many; every normal test run plays a few, always the same. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 6);
const STEPS = Number(process.env['HISTORY_STEPS'] ?? 6);
const SEED = Number(process.env['HISTORIES_SEED'] ?? 20_261_121);
const SECONDS_PER_STEP = 10;

const GIT_ENDPOINTS = /\.git\//;
const tally = new Tally();

/** The next step's transport. */
const ALTERNATING = { git: 'rest', rest: 'git' } as const;

/** @param first the transport of the first step; the steps alternate. Null: all through the API. */
async function playHistory(
  { server, vectors, steps }: History,
  first: Transport['name'] | null = null,
): Promise<void> {
  tally.started(vectors);
  const embedder = createLexicalEmbedder();
  const world = await createSyncWorld({ syncLimits: limitsOf(server), vectors });
  try {
    const player = new HistoryPlayer(world.git);
    const truth = new Truth(world, embedder);
    await expectNothingOfEmpty(world);
    let transport = first;
    for (const step of steps) {
      if (transport !== null) {
        world.setTransport(transport);
        transport = ALTERNATING[transport];
      }
      tally.played(step.move, step.move === 'nothing' ? [] : step.edits);
      await player.play(step);
      if (step.excludeGlobs)
        await world.repositories.update(world.repositoryId, { excludeGlobs: step.excludeGlobs });
      setUp(world.gitlab, server);
      await syncUnderFaults(world, truth, step);
      world.gitlab.faults.clear();
      if (step.move === 'branch_lost') await expectNothingLost(world, player);
      setUp(world.gitlab, server);
      await expectExactAfterSync(world, truth);
      world.gitlab.faults.clear();
    }
  } finally {
    await world.stop();
  }
}

async function sync(world: SyncWorld, fullSync = false): Promise<Execution> {
  const run = await world.sync({ fullSync });
  tally.ran(run, world.gitlab);
  return run;
}

/** For any result: no wrong point is stored, no correct point is lost, and `completed` means exact. */
async function syncUnderFaults(world: SyncWorld, truth: Truth, { faults, fullSync }: Step): Promise<void> {
  for (const fault of faults) world.gitlab.faults.add(fault);
  // The same for git's endpoints, which only runs through git request.
  for (const fault of faults) world.gitlab.faults.add({ ...fault, url: GIT_ENDPOINTS });
  const before = await world.points();
  const run = await sync(world, fullSync);
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
  const run = await sync(world);
  expect(run).toMatchObject({ status: 'completed', errorCode: null });
  expect(await findDifferences(world, 'main')).toEqual(NO_DIFFERENCES);
  expect(await truth.falsePoints()).toEqual([]);
  expect(await truth.shortFiles()).toEqual([]);
  expect(world.gitlab.requests.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual(
    [],
  );
}

/** A project without commits is reported as empty, not as missing. */
async function expectNothingOfEmpty(world: SyncWorld): Promise<void> {
  expect(await sync(world)).toMatchObject({ status: 'failed', errorCode: 'repository_empty' });
  expect(await world.entries()).toEqual([]);
}

/** The default branch is renamed, and later renamed back: a missing branch deletes nothing. */
async function expectNothingLost(world: SyncWorld, player: HistoryPlayer): Promise<void> {
  const before = await world.points();
  const comeBack = await player.loseBranch();
  expect(await sync(world)).toMatchObject({ status: 'failed', errorCode: 'branch_not_found' });
  expect(await world.points()).toEqual(before);
  await comeBack();
}

describe('random histories', () => {
  it(
    `${HISTORIES} of ${STEPS} steps end with an exact index after every sync, with all strategies and faults`,
    async () => {
      await fc.assert(
        fc.asyncProperty(historyOf(STEPS), (history) => playHistory(history)),
        {
          numRuns: HISTORIES,
          seed: SEED,
          // The time limit for shrinking a failing history; the smallest one found is reported.
          interruptAfterTimeLimit: HISTORIES * STEPS * SECONDS_PER_STEP * 1000,
          markInterruptAsFailure: true,
        },
      );
      for (const way of ['compare', 'tree', 'graphql', 'archive', 'blobs'])
        expect([way, tally.taken(way)]).not.toEqual([way, 0]);
      if (process.env['HISTORIES'] !== undefined)
        process.stdout.write(tally.report({ seed: SEED, histories: HISTORIES, steps: STEPS }));
    },
    HISTORIES * STEPS * SECONDS_PER_STEP * 1000,
  );

  it(
    'end with an exact index when every other sync reads through git, with faults of both ways',
    async () => {
      const histories = fc.tuple(historyOf(STEPS), fc.constantFrom('git', 'rest'));
      await fc.assert(
        fc.asyncProperty(histories, ([history, first]) => playHistory(history, first)),
        { numRuns: Math.ceil(HISTORIES / 3), seed: SEED },
      );
      expect(tally.taken('git')).toBeGreaterThan(0);
    },
    HISTORIES * STEPS * SECONDS_PER_STEP * 1000,
  );
});
