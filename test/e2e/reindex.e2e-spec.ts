import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from '@adapters/postgres';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
  type EmbeddingStandIn,
  type GitLabStandIn,
  type GitRepository,
  type QdrantDouble,
} from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { isLongForm } from '../support/long-form.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { SearchLoad, type KnownText } from '../support/search-load.js';
import {
  executionThat,
  isOver,
  register,
  startSync,
  type RepositoryRow,
} from '../support/service-resources.js';
import { silentLogger } from '../support/silent-logger.js';

/** Three batches of at most a hundred files. Two files are embedded concurrently; they need 33 requests of eight texts. */
const FILES = 250;
const PROJECTS = ['team/one', 'team/two'] as const;
/** Requests answered for two concurrent runs: each has certainly stored a batch, and neither is complete. */
const ANSWERED = 60;
const FORMER = { id: 'former-model', dimensions: 16, canShorten: false };
const NEXT = { id: 'next-model', dimensions: 24, canShorten: false };

interface Generation {
  id: string;
  physical_name: string;
  model_id: string;
}
interface CollectionBody {
  active: Generation;
  building: (Generation & { repositories_done: number; repositories_total: number }) | null;
  retired: (Generation & { drop_at: string })[];
}

let directory: string;
let gitlab: GitLabStandIn;
let gits: GitRepository[];
let projects: number[];
let known: KnownText[];
let formerServer: EmbeddingStandIn;
let nextServer: EmbeddingStandIn;
let qdrant: QdrantDouble | null;
let testDatabase: TestDatabase;
let database: Database;
let installation: Installation;
let load: SearchLoad | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-reindex-'));
  gitlab = await startGitLabStandIn();
  known = [];
  projects = [];
  gits = await Promise.all(PROJECTS.map((path) => createGitRepository(join(directory, path))));
  for (const [index, git] of gits.entries()) {
    for (let number = 0; number < FILES; number++) write(git, `file-${number}`, PROJECTS[index]!);
    await git.commit('Files');
    const { id } = await gitlab.addProject({
      path: PROJECTS[index]!,
      gitDir: git.directory,
      defaultBranch: 'main',
    });
    projects.push(id);
  }
  formerServer = await startEmbeddingStandIn();
  nextServer = await startEmbeddingStandIn();
  formerServer.settings.models = [FORMER];
  nextServer.settings.models = [NEXT];
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2, logger: silentLogger });
});

afterEach(async () => {
  await load?.stop();
  await installation.remove();
  await Promise.all([gitlab.stop(), formerServer.stop(), nextServer.stop(), qdrant?.close()]);
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true, force: true });
  expect(qdrant?.violations ?? []).toEqual([]);
});

function write(git: GitRepository, name: string, project: string): void {
  const path = `src/${name}.ts`;
  const text = `export const here = '${project} ${name}';`;
  git.write(path, text);
  known.push({ path, text });
}

async function install(store: 'embedded' | 'qdrant'): Promise<void> {
  qdrant = store === 'qdrant' ? await startQdrantDouble() : null;
  installation = await createInstallation({
    DATABASE_URL: testDatabase.url,
    ...(qdrant && { QDRANT_URL: qdrant.url }),
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_BATCH_SIZE: '8',
    EMBEDDING_CONCURRENCY: '1',
    LEASE_TTL_SECONDS: '3',
    LEASE_RENEW_SECONDS: '1',
    REAPER_INTERVAL_SECONDS: '1',
  });
}

const formerPod = () =>
  installation.serve({
    POD_NAME: 'former',
    EMBEDDING_URL: formerServer.url,
    EMBEDDING_MODEL: FORMER.id,
  });
const nextPod = () =>
  installation.serve({
    POD_NAME: 'next',
    EMBEDDING_URL: nextServer.url,
    EMBEDDING_MODEL: NEXT.id,
    EMBEDDING_PREVIOUS_URL: formerServer.url,
  });

const collectionOf = (service: Service): Promise<CollectionBody> =>
  service.get<CollectionBody>('/api/v1/collections/repotide');

async function syncs(service: Service, repository: RepositoryRow): Promise<void> {
  const row = await executionThat(service, await startSync(service, repository), isOver);
  expect(row).toMatchObject({ status: 'completed' });
}

/** Waits until no run is queued or running. */
async function untilIdle(service: Service): Promise<void> {
  await until('all runs to be over', async () => {
    const busy = await service.get<{ total: number }>(
      '/api/v1/executions?status=running&status=queued&limit=1',
    );
    return busy.total === 0;
  });
}

async function pointsIn({ physical_name: name }: Generation): Promise<number> {
  if (qdrant) return qdrant.collection(name)?.points.length ?? 0;
  const [row] = await database.query<{ points: number }>(
    'SELECT count(*) AS points FROM vector_points WHERE collection = $1',
    [name],
  );
  return row!.points;
}

async function storedFiles(generation: Generation): Promise<number> {
  const [row] = await database.query<{ files: number }>(
    'SELECT count(*) AS files FROM repository_files WHERE generation_id = $1 AND indexed_at IS NOT NULL',
    [generation.id],
  );
  return row!.files;
}

/** The pods whose runs began since. */
async function podsSince(startedAt: Date): Promise<string[]> {
  const rows = await database.query<{ podName: string }>(
    'SELECT DISTINCT pod_name FROM schedule_execution_logs WHERE started_at > $1 ORDER BY 1',
    [startedAt],
  );
  return rows.map(({ podName }) => podName);
}

/** Number of texts that runs embedded after the first syncs. */
async function embeddedByRebuild(since: Date): Promise<number> {
  const [row] = await database.query<{ texts: number }>(
    'SELECT sum(embeddings_requested) AS texts FROM schedule_execution_logs WHERE queued_at > $1',
    [since],
  );
  return row!.texts;
}

const STORES = isLongForm ? (['embedded', 'qdrant'] as const) : (['qdrant'] as const);

describe.each(STORES)('a new embedding model with %s vectors', (store) => {
  it('takes over under load, despite a killed pod and beside a pod of the old model, and can be rolled back', async () => {
    await install(store);
    const former = await formerPod();
    const repositories = await Promise.all(PROJECTS.map((path) => register(former, path)));
    for (const repository of repositories) await syncs(former, repository);
    const { active } = await collectionOf(former);
    expect(active.model_id).toBe('former-model@16');
    expect(await pointsIn(active)).toBe(known.length);
    if (qdrant) expect(qdrant.aliases()).toEqual({ repotide: active.physical_name });

    load = new SearchLoad([...known]);
    load.add(former);
    const startedAt = new Date();
    nextServer.faults.add({ method: 'POST', after: ANSWERED, effect: { kind: 'stall' } });
    let next = await nextPod();
    const leave = load.add(next);
    const { queued, busy } = await next.post<{ queued: number; busy: number }>(
      '/api/v1/collections/repotide/reindex',
    );
    // The leader may have queued one for the new build in the same moment.
    expect(queued + busy).toBe(2);
    const { building } = await collectionOf(next);
    expect(building?.model_id).toBe('next-model@24');
    await until('a batch to be stored', async () => (await storedFiles(building!)) >= 100);
    // The idle pod with the former model leaves the runs to the pod that can build the index.
    expect(await podsSince(startedAt)).toEqual(['next']);
    await load.more(10, former, next);
    await leave();
    await next.command.end('SIGKILL');

    // The pod with the former model keeps running and updates the index that it serves.
    write(gits[0]!, 'added', PROJECTS[0]);
    await gits[0]!.commit('Another');
    await untilIdle(former);
    await syncs(former, repositories[0]!);
    expect(await pointsIn(active)).toBe(known.length);
    expect(await storedFiles(building!)).toBeLessThan(known.length);

    nextServer.faults.clear();
    // Nobody asks for the rebuild again.
    next = await nextPod();
    load.add(next);
    await until('the rebuild to take over', async () => {
      await load!.more(3, next);
      return (await collectionOf(next)).building === null;
    });
    await load.more(20, former, next);
    const switched = await collectionOf(next);
    expect(switched.active.id).toBe(building!.id);
    expect(switched.retired).toEqual([expect.objectContaining({ id: active.id })]);
    expect(await pointsIn(switched.active)).toBe(known.length);
    expect(await pointsIn(active)).toBe(known.length);
    // No text that was stored before the kill was embedded again; one text was new to both models. The killed run's last
    // requests are in the cache and not in its counters.
    expect(await embeddedByRebuild(startedAt)).toBeLessThanOrEqual(known.length + 1);
    if (qdrant) expect(qdrant.aliases()).toEqual({ repotide: switched.active.physical_name });

    expect(await next.post('/api/v1/collections/repotide/rollback')).toMatchObject({
      collection: { active: { id: active.id }, retired: [{ id: switched.active.id }] },
      repositories_behind: 0,
    });
    if (qdrant) expect(qdrant.aliases()).toEqual({ repotide: active.physical_name });
    await load.more(20, former, next);
    write(gits[1]!, 'after', PROJECTS[1]);
    await gits[1]!.commit('After the roll-back');
    // The leader may have queued one more sync than the rebuild needed.
    await untilIdle(next);
    await syncs(next, repositories[1]!);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(await pointsIn(active)).toBe(known.length);
    expect((await collectionOf(next)).building).toBeNull();
    expect(await former.stop()).toBe(0);
    expect(await next.stop()).toBe(0);
  }, 400_000);
});

describe('a requested rebuild with a model that was active before', () => {
  it('takes over when each repository was synced with it again, and not before', async () => {
    await install('qdrant');
    const former = await formerPod();
    const repositories = await Promise.all(PROJECTS.map((path) => register(former, path)));
    for (const repository of repositories) await syncs(former, repository);
    const { active: first } = await collectionOf(former);
    expect(await former.stop()).toBe(0);
    const next = await nextPod();
    await next.post('/api/v1/collections/repotide/reindex');
    await until('the new model to take over', async () => (await collectionOf(next)).active.id !== first.id);
    await untilIdle(next);
    expect(await next.stop()).toBe(0);

    write(gits[1]!, 'added', PROJECTS[1]);
    await gits[1]!.commit('Another');
    const refuse = gitlab.faults.add({
      url: new RegExp(`team%2Ftwo|team/two|/projects/${projects[1]!}/`),
      effect: { kind: 'status', status: 503, retryAfterSeconds: 1 },
    });
    const again = await formerPod();
    await again.post('/api/v1/collections/repotide/reindex');
    await until('the first repository to be synced', async () => {
      const { building } = await collectionOf(again);
      return building === null || building.repositories_done === 1;
    });
    const { building, active } = await collectionOf(again);
    expect(building).toMatchObject({ id: first.id, repositories_done: 1, repositories_total: 2 });
    expect(active.model_id).toBe('next-model@24');

    refuse();
    await until('the former model to take over', async () => {
      // A sync that failed under the fault is not repeated for an hour, unless someone asks.
      await untilIdle(again);
      if ((await collectionOf(again)).building === null) return true;
      await syncs(again, repositories[1]!);
      return false;
    });
    expect((await collectionOf(again)).active.id).toBe(first.id);
    expect(await pointsIn(first)).toBe(known.length);
    expect(await again.stop()).toBe(0);
  }, 400_000);
});
