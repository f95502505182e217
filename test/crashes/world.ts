import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectDatabase,
  createDiscoveryStore,
  createEmbeddedVectorStore,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  createRepositoryStore,
  createScheduleStore,
  type Database,
} from '@adapters/postgres';
import { createQdrantStore } from '@adapters/qdrant';
import { type Discovery, type VectorStore } from '@core/domain';
import {
  createGitRepository,
  listTree,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
  type GitTreeEntry,
} from '@devkit';
import { createTestDatabase } from '../support/postgres.js';
import { databaseNameOf, onServer, withDatabase } from '../support/postgres-url.js';
import { openTestRedis, removeKeys } from '../support/redis.js';
import { silentLogger } from '../support/silent-logger.js';
import { type VectorStoreKind } from '../support/vector-stores.js';
import { bundlePod, startPod, type Pod, type RoundResult, type CrashPoint } from './pod.js';
import { stepsByPort } from './steps.js';
import { writeTrees } from './trees.js';

export const MODEL = 'text-embedding-3-small';
export const OTHER_MODEL = 'text-embedding-3-large';
/** The most texts in flight: EMBEDDING_CONCURRENCY requests of EMBEDDING_BATCH_SIZE texts. */
export const TEXTS_IN_FLIGHT = 2;
export const COLLECTION = 'code';
const CHUNK_SIZE = 400;

export type CrashWorld = Awaited<ReturnType<typeof startCrashWorld>>;

/** The state that a scenario begins with: a database to copy, and the contents of the double. */
export interface Template {
  database: string;
  restore: () => void;
  repositoryId: string;
  discovery: Discovery;
}

export interface Replay {
  /** The model that all its pods are configured for. */
  model: string;
  url: string;
  database: Database;
  vectorStore: VectorStore;
  repositoryId: string;
  discovery: Discovery;
  /** The copy was made then, by the database's clock. */
  since: Date;
  /** One round of a pod. @returns null when it was killed. */
  live(pod: Pod, name: string, more?: { lostPods?: string[]; die?: CrashPoint }): Promise<RoundResult | null>;
  stores: ReturnType<typeof storesOf>;
  close(): Promise<void>;
}

function storesOf(database: Database) {
  return {
    schedules: createScheduleStore(database),
    executions: createExecutionStore(database),
    repositories: createRepositoryStore(database),
    generations: createGenerationStore(database),
    manifest: createManifestStore(database),
    discoveries: createDiscoveryStore(database),
  };
}

/**
 * The servers around the pods of one store: Postgres with advisory leases and the embedded store, or Redis leases and
 * Qdrant's double. Each replay gets a copy of the database.
 */
export async function startCrashWorld(kind: VectorStoreKind, seed: number) {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-crashes-'));
  const [program, gitlab, embedding, git, double, redis] = await Promise.all([
    bundlePod(directory),
    startGitLabStandIn(),
    startEmbeddingStandIn(),
    createGitRepository(join(directory, 'git'), { bare: true }),
    kind === 'qdrant' ? startQdrantDouble() : null,
    kind === 'qdrant' ? openTestRedis() : null,
  ]);
  const commits = await writeTrees(git, seed);
  await git.branch('main', commits.before);
  const project = await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
  const addFound = (name: string) =>
    gitlab.addProject({ path: `found/${name}`, gitDir: git.directory, defaultBranch: 'main' });
  await addFound('kept');
  const gone = await addFound('gone');
  const trees = new Map<string, GitTreeEntry[]>();
  const steps = stepsByPort();
  const databases: string[] = [];
  const pods: Pod[] = [];
  const start = (): Pod => {
    const pod = startPod(current);
    pods.push(pod);
    return pod;
  };
  let current = program;
  let spare: Pod | null = null;
  let survivor: Pod | null = null;
  let replays = 0;

  const world = {
    kind,
    commits,
    gitlab,
    embedding,
    double,
    moveBranch: (commit: string) => git.branch('main', commit),
    /** After the first runs: the branch has new commits, one project is gone, and one is new. */
    moveOn: async (): Promise<void> => {
      await git.branch('main', commits.after);
      gone.hidden = true;
      await addFound('new');
    },
    tree: async (commit: string): Promise<GitTreeEntry[]> => {
      const listing = trees.get(commit) ?? (await listTree(git.directory, commit));
      trees.set(commit, listing);
      return listing;
    },
    /** A process that is already started, while the next one starts. */
    pod: (): Pod => {
      const pod = spare ?? start();
      spare = start();
      return pod;
    },
    /** A process that is never killed: the next pod, under any name. It opens everything anew in each round. */
    survivor: (): Pod => (survivor ??= start()),
    /** Later pods lack a line of the code. @returns a function that ends this. */
    weaken: async (without: { file: string; line: string }): Promise<() => void> => {
      const use = (file: string): void => {
        current = file;
        void survivor?.end();
        spare = survivor = null;
      };
      use(await bundlePod(await mkdtemp(join(directory, 'weakened-')), without));
      return () => use(program);
    },
    /** The template of a database as it is now. Its connections must be closed. */
    template: ({
      url,
      repositoryId,
      discovery,
    }: Pick<Replay, 'url' | 'repositoryId' | 'discovery'>): Template => ({
      database: databaseNameOf(url),
      restore: double?.save() ?? (() => undefined),
      repositoryId,
      discovery,
    }),
    fresh: async (): Promise<Template> => {
      const { url } = await createTestDatabase();
      databases.push(databaseNameOf(url));
      const database = await connectDatabase({ url, poolSize: 2, logger: silentLogger });
      const stores = storesOf(database);
      const { id: repositoryId } = await stores.repositories.create({
        ...{ provider: 'gitlab', baseUrl: gitlab.url, projectId: project.id, projectPath: project.path },
        ...{ branch: 'main', collectionName: COLLECTION, includeGlobs: [], excludeGlobs: [] },
        ...{ maxFileBytes: 100_000, chunkSize: CHUNK_SIZE, chunkOverlap: 50, credentialId: null },
      });
      const timing = { timezone: 'UTC', isActive: true, misfireGraceSeconds: 300 };
      await stores.schedules.create({ repositoryId, cronExpression: '0 0 1 1 *', ...timing }, (now) => now);
      const discovery = await stores.discoveries.create(discoveryOf(gitlab.url));
      // The fences of a restored database are lower.
      await database.query(`SELECT setval('execution_fence_seq', 1000)`);
      await database.query('UPDATE discoveries SET next_run_at = NULL');
      await database.close();
      return world.template({ url, repositoryId, discovery });
    },
    /** A copy of the template, to run pods on. */
    replay: async (template: Template, model = MODEL): Promise<Replay> => {
      const serverUrl = process.env['TEST_POSTGRES_URL']!;
      const name = `${template.database}_${(replays += 1)}`;
      await onServer(serverUrl, (client) =>
        client.query(
          `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE ${client.escapeIdentifier(template.database)} STRATEGY FILE_COPY`,
        ),
      );
      databases.push(name);
      template.restore();
      embedding.resetLog();
      const url = withDatabase(serverUrl, name);
      const database = await connectDatabase({ url, poolSize: 2, logger: silentLogger });
      const vectorStore = double
        ? createQdrantStore({ url: double.url, logger: silentLogger })
        : createEmbeddedVectorStore(database, { logger: silentLogger });
      const redisKeyPrefix = `${redis?.keyPrefix}-${randomBytes(4).toString('hex')}`;
      const env = {
        ...{ DATABASE_URL: url, GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token },
        ...{ EMBEDDING_URL: embedding.url, EMBEDDING_DIMENSIONS: '16', EMBEDDING_MODEL: model },
        ...{ EMBEDDING_CONCURRENCY: '1', EMBEDDING_BATCH_SIZE: String(TEXTS_IN_FLIGHT) },
        ...{ REPOTIDE_DATA_DIR: directory, CHUNK_SIZE: String(CHUNK_SIZE), CHUNK_OVERLAP: '50' },
        ...(double && { QDRANT_URL: double.url }),
        ...(redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redisKeyPrefix }),
      };
      const { repositoryId, discovery } = template;
      const since = await createScheduleStore(database).now();
      return {
        ...{ model, url, database, vectorStore, repositoryId, discovery, since, stores: storesOf(database) },
        live: async (pod, podName, { lostPods = [], die } = {}) => {
          // Killed pods hold slots of the hosts' limits for 30 s, and claims of texts for 6 s. No round waits for that.
          await database.query('DELETE FROM embedding_claims');
          if (redis) await removeKeys(redis.url, `${redisKeyPrefix}:limiter`);
          return pod.live({ env: { ...env, POD_NAME: podName }, lostPods, steps, ...(die && { die }) });
        },
        close: async () => {
          await database.close();
          await onServer(serverUrl, (client) =>
            client.query(`DROP DATABASE ${client.escapeIdentifier(name)} WITH (FORCE)`),
          );
        },
      };
    },
    stop: async (): Promise<void> => {
      await Promise.all(pods.map((pod) => pod.end()));
      await onServer(process.env['TEST_POSTGRES_URL']!, async (client) => {
        for (const name of databases)
          await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
      });
      await Promise.all([gitlab.stop(), embedding.stop(), double?.close(), redis?.release()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  return world;
}

function discoveryOf(baseUrl: string): Parameters<ReturnType<typeof createDiscoveryStore>['create']>[0] {
  return {
    ...{ name: 'found', baseUrl, groupPath: 'found', includeSubgroups: true, membersOnly: true },
    ...{ includeProjects: [], excludeProjects: [], branches: [], archivedProjects: 'exclude' as const },
    ...{ credentialId: null, collectionName: 'found', includeGlobs: [], excludeGlobs: [] },
    ...{ maxFileBytes: 100_000, chunkSize: CHUNK_SIZE, chunkOverlap: 50, graceHours: 24, isActive: true },
    ...{ scheduleCronExpression: '0 0 1 1 *', scheduleTimezone: 'UTC' },
    ...{ cronExpression: '0 0 1 1 *', timezone: 'UTC' },
  };
}
