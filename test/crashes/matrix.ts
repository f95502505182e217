import { expect } from '@jest/globals';
import { type Execution, type ManifestEntry, type StoredPoint } from '@core/domain';
import { findDifferences, NO_DIFFERENCES, type SyncWorld } from '../support/sync-world.js';
import { type CrashPoint } from './pod.js';
import { FIRST_POD, physicalName, type Scenario } from './scenarios.js';
import { COLLECTION, TEXTS_IN_FLIGHT, type CrashWorld, type Replay, type Template } from './world.js';

const { signal } = new AbortController();

/** Whether a restarted container or another pod goes on. */
export type Resume = 'same' | 'other';

/** An undisturbed run of a scenario: the steps that it passed, and what it left. */
export interface Course {
  scenario: Scenario;
  template: Template;
  steps: string[];
  ended: Execution | null;
}

/** Runs the scenario without a crash. */
export async function follow(scenario: Scenario, template: Template, world: CrashWorld): Promise<Course> {
  const replay = await world.replay(template, scenario.model);
  try {
    await scenario.arm(replay, world);
    const { steps } = (await replay.live(world.survivor(), 'pod-a', { lostPods: [FIRST_POD] }))!;
    const [ended = null] = await executionsOf(replay);
    return { scenario, template, steps, ended };
  } finally {
    await replay.close();
  }
}

/** A crash point with what happens after it. */
export interface Crash extends CrashPoint {
  course: Course;
  resume: Resume;
  /** Whether someone pushes while the pod is dead. */
  moves: boolean;
}

/** Kills a pod at the point, lets a pod go on, and checks everything that it leaves. */
export async function crash(point: Crash, world: CrashWorld): Promise<void> {
  const { course, resume, moves, ...die } = point;
  const replay = await world.replay(course.template, course.scenario.model);
  const dying = world.pod();
  try {
    await course.scenario.arm(replay, world);
    const lived = await replay.live(dying, 'pod-a', { lostPods: [FIRST_POD], die });
    expect(lived).toBeNull();
    await replay.database.query(
      `UPDATE discovery_runs SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE status = 'running'`,
    );
    const [atDeath] = await executionsOf(replay);
    const hasEnded = atDeath !== undefined && atDeath.completedAt !== null;
    // A run that had ended before a push would know nothing of it.
    const isPushed = moves && !hasEnded;
    if (isPushed) await world.moveBranch(world.commits.later);
    const result = await replay.live(world.survivor(), resume === 'same' ? 'pod-a' : 'pod-b', {
      lostPods: [FIRST_POD, 'pod-a'],
    });
    expect(result!.leases).toEqual([]);
    await expectOneRun(course, replay, atDeath);
    if (!isPushed) await expectSameResult(course, replay);
    await expectFewRepeats(replay, world);
    await expectOutcome(course, replay, world, isPushed ? 'later' : 'after');
  } finally {
    if (moves) await world.moveBranch(world.commits.after);
    await dying.end();
    await replay.close();
  }
}

/** Of this replay; those of the template are older. */
async function executionsOf({ stores, repositoryId, since }: Replay): Promise<Execution[]> {
  return (await stores.executions.list({ repositoryId, from: since }, { limit: 10, offset: 0 })).items;
}

/** One row, whose attempts and interruptions are those that happened. */
async function expectOneRun(course: Course, replay: Replay, atDeath: Execution | undefined): Promise<void> {
  const rows = await executionsOf(replay);
  if (course.ended === null) return expect(rows).toEqual([]);
  expect(rows).toHaveLength(course.scenario.executions ?? 1);
  const { attempt, interruptions, status, trigger, scheduledFor } = course.ended;
  const more = atDeath?.status === 'running' && atDeath.podName === 'pod-a' ? 1 : 0;
  expect(rows[0]).toMatchObject({ status, trigger, interruptions: interruptions + more });
  // An attempt that was killed may be one that would have failed.
  expect(rows[0]!.attempt).toBeGreaterThanOrEqual(Math.max(attempt, 1 + interruptions + more));
  expect(rows[0]!.attempt).toBeLessThanOrEqual(attempt + more);
  expect(rows[0]!.scheduledFor === null).toBe(scheduledFor === null);
}

/** What was repaired, and how many files were processed, does not depend on the crash. */
async function expectSameResult({ ended }: Course, replay: Replay): Promise<void> {
  if (ended === null) return;
  const [row] = await executionsOf(replay);
  const { report, errorCode } = ended;
  expect(row).toMatchObject({ report, errorCode });
  for (const name of ['filesAdded', 'filesModified', 'filesRenamed'] as const) {
    expect(row![name]).toBeLessThanOrEqual(ended[name]);
    // Points that were restored, without a change of their row, are not counted when the pod dies before it says so.
    if (report === null) expect(row).toMatchObject({ [name]: ended[name] });
  }
}

/** Texts of chunks that the embedding server got twice. The text that tells models apart is no chunk. */
async function expectFewRepeats(replay: Replay, { embedding }: CrashWorld): Promise<void> {
  const { vectorStore, repositoryId } = replay;
  const options = { withText: true };
  const pages = vectorStore.listPoints(await physicalName(replay), repositoryId, signal, options);
  const chunks = new Set((await collect(pages)).map((point) => point.content_hash));
  const sent = embedding.work
    .flatMap(({ contentHashes }) => contentHashes)
    .filter((hash) => chunks.has(hash));
  expect(sent.length - new Set(sent).size).toBeLessThanOrEqual(TEXTS_IN_FLIGHT);
}

async function expectOutcome(
  { scenario }: Course,
  replay: Replay,
  world: CrashWorld,
  at: 'after' | 'later',
): Promise<void> {
  if (scenario.leaves === 'nothing') return expectNothing(replay);
  if (scenario.leaves === 'discovery') return expectDiscovered(replay);
  await expectIndex(replay, world, at);
  await expectGenerations(scenario, replay, world);
  if (at === 'later' || scenario.executions === 0) return;
  // The store is as the run left it, by its own mark: the next run has nothing to do.
  const { stores, repositoryId } = replay;
  const request = { repositoryId, trigger: 'manual', requestedBy: 'test', fullSync: false } as const;
  const { id } = await stores.executions.enqueue(request);
  await replay.live(world.survivor(), 'pod-b');
  const idle = {
    status: 'completed',
    errorCode: null,
    report: null,
    sourceRequests: 1,
    embeddingsRequested: 0,
  };
  expect(await stores.executions.find(id)).toMatchObject(idle);
}

async function expectIndex(replay: Replay, world: CrashWorld, at: 'after' | 'later'): Promise<void> {
  const { stores, repositoryId, vectorStore } = replay;
  const commit = world.commits[at];
  const entries = await collect(stores.manifest.listEntries(repositoryId));
  const shown: Pick<SyncWorld, 'repositoryId' | 'tree' | 'entries' | 'points'> = {
    repositoryId,
    tree: world.tree,
    entries: (): Promise<ManifestEntry[]> => Promise.resolve(entries),
    points: async (): Promise<StoredPoint[]> =>
      collect(vectorStore.listPoints(await physicalName(replay), repositoryId, signal)),
  };
  expect(await findDifferences(shown, commit)).toEqual(NO_DIFFERENCES);
  expect(await stores.repositories.find(repositoryId)).toMatchObject({
    lastSyncedCommit: commit,
    indexDirty: false,
    lostSince: null,
  });
  const strays = await vectorStore.otherRepositories(await physicalName(replay), [repositoryId], signal);
  expect(strays).toEqual([]);
  const folders = await stores.manifest.listFolder(repositoryId, '', { limit: 10, offset: 0 });
  const root = entries.filter(({ path }) => path.includes('/')).length;
  expect(folders!.items.reduce((sum, { fileCount }) => sum + fileCount, 0)).toBe(root);
}

/** One generation is active, that of the model, and the alias of the store is there. A dropped one left nothing. */
async function expectGenerations({ from }: Scenario, replay: Replay, { double }: CrashWorld): Promise<void> {
  const { stores, model, database, vectorStore } = replay;
  const generations = await stores.generations.list([COLLECTION]);
  const active = generations.filter(({ status }) => status === 'active');
  expect(active).toMatchObject([{ modelId: expect.stringContaining(model) }]);
  if (double) expect(double.aliases()).toEqual({ [COLLECTION]: active[0]!.physicalName });
  if (from !== 'switched') return;
  expect(generations).toHaveLength(1);
  const dropped = await database.query<{ physicalName: string; rows: number }>(
    `SELECT physical_name, (SELECT count(*) FROM repository_files f WHERE f.generation_id = g.id) AS rows
      FROM index_generations g WHERE status = 'dropped' AND forgotten_at IS NOT NULL`,
  );
  expect(dropped).toMatchObject([{ rows: 0 }]);
  expect(await vectorStore.incarnationOf(dropped[0]!.physicalName, signal)).toBeNull();
}

async function expectNothing(replay: Replay): Promise<void> {
  const { stores, repositoryId, vectorStore } = replay;
  expect(await vectorStore.count(await physicalName(replay), repositoryId, signal)).toBe(0);
  expect(await collect(stores.manifest.listEntries(repositoryId))).toEqual([]);
  const repository = await stores.repositories.findIncludingDeleted(repositoryId);
  expect(repository).toMatchObject({ purgedAt: expect.any(Date) });
}

async function expectDiscovered({ stores, discovery }: Replay): Promise<void> {
  const { items: runs } = await stores.discoveries.listRuns(discovery.id, { limit: 5, offset: 0 });
  expect(runs).toHaveLength(2);
  expect(runs[0]).toMatchObject({ status: 'completed', kept: expect.any(Number) });
  const page = { limit: 10, offset: 0 };
  const { items } = await stores.repositories.list({ pathPart: 'found/', includeDeleted: true }, page);
  const found = items.map(({ projectPath, deletedAt }) => [projectPath, deletedAt === null]);
  expect(Object.fromEntries(found)).toEqual({ 'found/kept': true, 'found/gone': false, 'found/new': true });
  expect(items).toHaveLength(3);
  for (const { id, deletedAt } of items) {
    const { items: schedules } = await stores.schedules.list({ repositoryId: id }, page);
    expect(schedules.filter(({ isActive }) => isActive)).toHaveLength(deletedAt === null ? 1 : 0);
  }
}

async function collect<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
