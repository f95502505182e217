import { expect } from '@jest/globals';
import { createLexicalEmbedder } from '@adapters/embedding';
import { type SyncLimits } from '@core/indexing';
import { type Fault } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../../support/sync-world.js';
import { Truth } from '../histories/truth.js';
import { EDITED, FILES, type Outcome } from './outcomes.js';

/** A repository with several tree pages, not synced yet. */
export async function openUnsyncedWorld(options: {
  syncLimits: Partial<SyncLimits>;
  requestTimeoutMs?: number;
}): Promise<SyncWorld> {
  const world = await createSyncWorld({ ...options, vectors: 'qdrant' });
  world.gitlab.settings.maxTreePageSize = 8;
  for (let number = 0; number < FILES; number++)
    world.git.write(pathOf(number), sourceText(`first${number}`, 12));
  await world.git.commit();
  return world;
}

/** A synced repository; each fault is tested on a new commit. */
export type FaultWorld = Awaited<ReturnType<typeof openFaultWorld>>;

export async function openFaultWorld(syncLimits: Partial<SyncLimits>, requestTimeoutMs: number) {
  const world = await openUnsyncedWorld({ syncLimits, requestTimeoutMs });
  const truth = new Truth(world, createLexicalEmbedder());
  let edits = 0;
  // The limit for archives is off, because these tests make many runs a minute.
  world.gitlab.settings.rateLimits.archive = null;
  expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });

  return {
    gitlab: world.gitlab,
    stop: () => world.stop(),
    /** Syncs under a fault; checks that no point is lost or wrong, and that the next run is exact. */
    async syncUnder(fault: Fault): Promise<Outcome> {
      edits++;
      const head = await pushEdits(world, edits);
      const before = await world.points();
      const repair = world.gitlab.faults.add(fault);
      const run = await world.sync();
      const asked = world.gitlab.requests.filter((request) => request.fault !== null).length;
      repair();
      await expectNothingLost(
        world,
        truth,
        before.map(({ id }) => id),
      );
      if (run.status === 'queued') await world.executions.requestCancel(run.id);
      else if (run.status === 'completed') expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
      if (run.status !== 'completed' && run.status !== 'partial')
        expect((await world.repository()).lastSyncedCommit).not.toBe(head);
      expect(await world.sync()).toMatchObject({ status: 'completed' });
      expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
      return [run.status, run.errorCode, asked];
    },
  };
}

function pushEdits(world: SyncWorld, edition: number): Promise<string> {
  for (let number = 0; number < EDITED; number++)
    world.git.write(pathOf(number), sourceText(`edit${edition}of${number}`, 12));
  return world.git.commit();
}

async function expectNothingLost(world: SyncWorld, truth: Truth, before: readonly string[]): Promise<void> {
  const after = await world.points();
  const paths = new Set(after.map(({ path }) => path));
  expect(paths.size).toBe(FILES);
  const kept = new Set(after.map(({ id }) => id));
  const edited = new Set(Array.from({ length: EDITED }, (_, number) => pathOf(number)));
  // Only points of edited files may have been replaced, by points of their new content.
  expect(before.filter((id) => !kept.has(id)).length).toBe(
    after.filter(({ id, path }) => edited.has(path) && !before.includes(id)).length,
  );
  expect(await truth.falsePoints()).toEqual([]);
}

function pathOf(number: number): string {
  return `src/part${number % 3}/file${number}.ts`;
}
