import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Point, type RunHandlerName } from '@core/domain';
import { OTHER_MODEL, type CrashWorld, type Replay, type Template } from './world.js';

/** It is dead before some scenarios begin. */
export const FIRST_POD = 'pod-0';

const { signal } = new AbortController();

export interface Scenario {
  name: string;
  /** For the published table. */
  about: string;
  from: 'fresh' | 'synced' | 'switched' | 'discovered';
  model?: string;
  /** Makes the work due that the pods then do. */
  arm(replay: Replay, world: CrashWorld): Promise<void>;
  /** What the pods must leave behind. Default: the index of the repository. */
  leaves?: 'index' | 'nothing' | 'discovery';
  /** How many executions of the repository the work consists of. Default: one. */
  executions?: number;
  /** The steps to die at. Default: those of a run. */
  only?: (step: string) => boolean;
}

/** Whether it ends with the index of the branch's head. */
export function isSync({ name, leaves, executions }: Scenario): boolean {
  return leaves === undefined && executions === undefined && name !== 'take-over';
}

/** What a pod does besides runs. One scenario is enough for each. */
const isOfRun = (step: string): boolean =>
  !/^(ScheduleStore|DiscoveryStore)\.|\.(recoverInterrupted|listProjects|listExpired|dropCollection)$/.test(
    step,
  );
const isOfTick = (step: string): boolean => isOfRun(step) || step.startsWith('ScheduleStore.');
const isOfTakeOver = (step: string): boolean => /\.(recoverInterrupted|breakLease)$/.test(step);
const isOfExpiry = (step: string): boolean => /^GenerationStore\.|\.dropCollection$/.test(step);
const isOfDiscovery = (step: string): boolean => /^(DiscoveryStore|Source)\./.test(step);

/** Whole runs, which together reach every step. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'sync',
    about: 'a scheduled sync after edits, renames and deletions',
    from: 'synced',
    only: isOfTick,
    arm: (replay) => makeDue(replay),
  },
  {
    name: 'take-over',
    about: 'the take-over of a sync whose pod was killed',
    from: 'synced',
    only: isOfTakeOver,
    arm: async (replay, world) => {
      await makeDue(replay);
      const die = { step: 'Manifest.commitBatch', side: 'after', nth: 2 } as const;
      const pod = world.pod();
      await replay.live(pod, FIRST_POD, { die });
    },
  },
  {
    name: 'first sync',
    about: 'the first sync of a new collection',
    from: 'fresh',
    arm: (replay) => makeDue(replay),
  },
  {
    name: 'full sync',
    about: 'a full sync, after edits',
    from: 'synced',
    arm: (replay) => enqueue(replay, 'repository_sync', true),
  },
  {
    name: 'lost collection',
    about: 'a sync after the collection was dropped',
    from: 'synced',
    arm: async (replay) => {
      await replay.vectorStore.dropCollection(await physicalName(replay), signal);
      await makeDue(replay);
    },
  },
  {
    name: 'damaged store',
    about: 'a sync after points were lost, added and left by an unknown repository',
    from: 'synced',
    arm: async (replay) => {
      await damage(replay);
      await makeDue(replay);
    },
  },
  {
    name: 'repair',
    about: 'a repair of the same damage',
    from: 'synced',
    arm: async (replay) => {
      await damage(replay);
      await enqueue(replay, 'repair');
    },
  },
  {
    name: 'restored database',
    about: 'a sync with a database from an older backup, whose fences are behind',
    from: 'synced',
    arm: async (replay) => {
      await replay.database.query(`SELECT setval('execution_fence_seq', 1)`);
      await replay.database.query('UPDATE repositories SET last_fence = 0');
      await makeDue(replay);
    },
  },
  {
    name: 'new model',
    about: 'a sync that builds a new generation and switches to it',
    from: 'synced',
    model: OTHER_MODEL,
    arm: (replay) => makeDue(replay),
  },
  {
    name: 'former generation',
    about: 'the removal of a generation that was replaced long ago',
    from: 'switched',
    model: OTHER_MODEL,
    executions: 0,
    only: isOfExpiry,
    arm: async ({ database }) => {
      await database.query(
        `UPDATE index_generations SET retired_at = retired_at - interval '100 hours' WHERE status = 'retired'`,
      );
    },
  },
  {
    name: 'purge',
    about: 'the purge of a deleted repository',
    from: 'synced',
    leaves: 'nothing',
    arm: async ({ stores, repositoryId }) => void (await stores.repositories.softDelete(repositoryId)),
  },
  {
    name: 'discovery',
    about: 'a discovery that registers a project and retires another',
    from: 'discovered',
    leaves: 'discovery',
    executions: 0,
    only: isOfDiscovery,
    arm: async ({ database }) => {
      await database.query(`UPDATE discoveries SET next_run_at = clock_timestamp() - interval '1 second'`);
      await database.query(
        `UPDATE repositories SET missing_since = clock_timestamp() - interval '100 hours' WHERE project_path = 'found/gone'`,
      );
    },
  },
];

/** The steps to die at in a scenario, once for each call. */
export function stepsOf({ only = isOfRun }: Scenario, steps: readonly string[]): string[] {
  return steps.filter(only);
}

/** 0 to 1, by the seed and the words. */
export function chance(seed: number, ...words: readonly unknown[]): number {
  const hash = createHash('sha256').update([seed, ...words].join(' '));
  return hash.digest().readUInt32BE() / 2 ** 32;
}

/** The states that scenarios begin with. */
export async function prepare(world: CrashWorld): Promise<Record<Scenario['from'], Template>> {
  const pod = world.survivor();
  const after = async (
    template: Template,
    work: (replay: Replay) => Promise<void>,
    model?: string,
  ): Promise<Template> => {
    const replay = await world.replay(template, model);
    await work(replay);
    await replay.live(pod, 'pod-before');
    const { items } = await replay.stores.executions.list({}, { limit: 10, offset: 0 });
    expect(items.map(({ status, errorMessage }) => [status, errorMessage])).toEqual(
      items.map(() => ['completed', null]),
    );
    await replay.database.close();
    return world.template(replay);
  };
  const fresh = await world.fresh();
  const synced = await after(fresh, (replay) => makeDue(replay, 3));
  const discovered = await after(synced, async ({ database }) => {
    await database.query(`UPDATE discoveries SET next_run_at = clock_timestamp() - interval '1 second'`);
  });
  await world.moveOn();
  const switched = await after(synced, (replay) => makeDue(replay, 2), OTHER_MODEL);
  return { fresh, synced, discovered, switched };
}

/** A tick of the begun minute, the only one of the year. Each tick is claimed once, so those of templates are older. */
async function makeDue({ database, repositoryId }: Replay, minutesAgo = 0): Promise<void> {
  await database.query(
    `UPDATE schedule_sessions SET next_run_at = tick,
        cron_expression = to_char(tick AT TIME ZONE 'UTC', 'FMMI FMHH24 FMDD FMMM') || ' *'
      FROM (SELECT date_trunc('minute', clock_timestamp()) - make_interval(mins => $2) AS tick) AS last
      WHERE repository_id = $1`,
    [repositoryId, minutesAgo],
  );
}

async function enqueue(
  { stores, repositoryId }: Replay,
  handler: RunHandlerName,
  fullSync = false,
): Promise<void> {
  await stores.executions.enqueue({
    repositoryId,
    trigger: 'manual',
    requestedBy: 'test',
    fullSync,
    handler,
  });
}

export async function physicalName({ stores }: Pick<Replay, 'stores'>): Promise<string> {
  const found = await stores.generations.list(['code']);
  return found.find(({ status }) => status === 'active')!.physicalName;
}

/** Some points are gone, one is of no file, and one of no repository. */
async function damage(replay: Replay): Promise<void> {
  const { vectorStore, repositoryId } = replay;
  const collection = await physicalName(replay);
  const ids: string[] = [];
  for await (const page of vectorStore.listPoints(collection, repositoryId, signal))
    ids.push(...page.filter(({ path }) => /file-[567]/.test(path)).map(({ id }) => id));
  const { items } = await replay.stores.manifest.listFiles(
    repositoryId,
    { pathPrefix: 'README.md' },
    { limit: 1, offset: 0 },
  );
  const [entry] = items;
  const version = `${entry!.blobSha}.${entry!.fingerprint.split('.')[0]}`;
  const file = { repositoryId, path: 'README.md' };
  const [point] = await vectorStore.readFile(collection, file, version, signal);
  const ghost = (id: string, payload: Partial<Point['payload']>): Point => ({
    ...point!,
    id: `00000000-0000-4000-8000-00000000000${id}`,
    payload: { ...point!.payload, ...payload },
  });
  await vectorStore.deletePoints(collection, ids, signal);
  await vectorStore.upsert(
    collection,
    [ghost('1', { path: 'ghost.ts' }), ghost('2', { repository_id: 'bbbbbbbb-0000-4000-8000-000000000001' })],
    signal,
  );
}
