import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitLabSourceFactory } from '@adapters/gitlab';
import {
  connectDatabase,
  createDiscoveryStore,
  createRepositoryStore,
  createScheduleStore,
  type Database,
} from '@adapters/postgres';
import { runDiscovery, type DiscoveryPorts } from '@core/discovery';
import {
  type Discovery,
  type DiscoveryOutcome,
  type DiscoveryStore,
  type NewDiscovery,
  type RepositoryStore,
  type ScheduleStore,
} from '@core/domain';
import { createGitRepository, type GitLabStandIn, type GitRepository, startGitLabStandIn } from '@devkit';
import { ownLimiter } from '../../support/limiter.js';
import { createTestDatabase } from '../../support/postgres.js';
import { silentLogger } from '../../support/silent-logger.js';

export const FOREVER = () => new AbortController().signal;

/** Real Postgres, and a GitLab whose many projects share one small repository. */
export interface DiscoveryWorld {
  /** Connects more pods to the same database. */
  url: string;
  gitlab: GitLabStandIn;
  git: GitRepository;
  database: Database;
  store: DiscoveryStore;
  repositories: RepositoryStore;
  schedules: ScheduleStore;
  ports: DiscoveryPorts;
  addProjects(...paths: string[]): Promise<void>;
  addEmpty(path: string): Promise<void>;
  discover(more?: Partial<NewDiscovery>): Promise<Discovery>;
  /** Queues a run and runs it as a pod would. */
  run(discovery: Discovery, force?: boolean): Promise<DiscoveryOutcome>;
  /** `path@branch` of the registered repositories. */
  registered(): Promise<string[]>;
  /** Moves `missing_since` of all missing repositories back by this much. */
  age(hours: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startDiscoveryWorld(): Promise<DiscoveryWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'repotide-discovery-'));
  const git = await createGitRepository(join(folder, 'work'));
  await git.write('a.txt', 'a\n').commit('First');
  const empty = await createGitRepository(join(folder, 'empty'));
  const gitlab = await startGitLabStandIn();
  const test = await createTestDatabase();
  const database = await connectDatabase({ url: test.url, logger: silentLogger });
  const store = createDiscoveryStore(database);
  const repositories = createRepositoryStore(database);
  const ports: DiscoveryPorts = {
    store,
    logger: silentLogger,
    sources: createGitLabSourceFactory({
      defaultToken: gitlab.token,
      requestTimeoutMs: 10_000,
      limiter: ownLimiter(),
      maxRetries: 0,
      userAgent: 'repotide-test',
      logger: silentLogger,
    }),
    scheduleFor: ({ scheduleCronExpression, scheduleTimezone }) =>
      scheduleCronExpression === null
        ? null
        : {
            template: {
              cronExpression: scheduleCronExpression,
              timezone: scheduleTimezone,
              misfireGraceSeconds: 300,
            },
            next: (now) => new Date(now.getTime() + 3_600_000),
          },
  };
  const discover = (more: Partial<NewDiscovery> = {}) =>
    store.create({ ...DEFAULTS, baseUrl: gitlab.url, name: `d${Math.random()}`, ...more });
  return {
    url: test.url,
    gitlab,
    git,
    database,
    store,
    repositories,
    schedules: createScheduleStore(database),
    ports,
    async addProjects(...paths) {
      for (const path of paths) await gitlab.addProject({ path, gitDir: git.directory });
    },
    addEmpty: async (path) => void (await gitlab.addProject({ path, gitDir: empty.directory })),
    discover,
    async run(discovery, force = false) {
      await store.enqueue({ discoveryId: discovery.id, force, requestedBy: null });
      const claimed = (await store.claim('pod-a'))!;
      try {
        const outcome = await runDiscovery(claimed.discovery, claimed.run, ports, FOREVER());
        await store.finish(claimed.run, outcome);
        return outcome;
      } catch (error) {
        await database.query(`UPDATE discovery_runs SET status = 'failed' WHERE status = 'running'`);
        throw error;
      }
    },
    async registered() {
      const { items } = await repositories.list({}, { limit: 1000, offset: 0 });
      return items.map(({ projectPath, branch }) => `${projectPath}@${branch}`).sort();
    },
    age: async (hours) =>
      void (await database.query(
        'UPDATE repositories SET missing_since = missing_since - make_interval(hours => $1)',
        [hours],
      )),
    async stop() {
      await gitlab.stop();
      await database.close();
      await test.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const DEFAULTS: Omit<NewDiscovery, 'baseUrl' | 'name'> = {
  groupPath: 'team',
  includeSubgroups: true,
  membersOnly: true,
  includeProjects: [],
  excludeProjects: [],
  branches: [],
  archivedProjects: 'exclude',
  credentialId: null,
  collectionName: 'repotide',
  includeGlobs: [],
  excludeGlobs: ['**/*.snap'],
  maxFileBytes: 1_048_576,
  chunkSize: 7000,
  chunkOverlap: 1500,
  scheduleCronExpression: '7 * * * *',
  scheduleTimezone: 'UTC',
  cronExpression: '0 * * * *',
  timezone: 'UTC',
  isActive: true,
  graceHours: 24,
};
