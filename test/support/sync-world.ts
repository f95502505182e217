import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitSourceFactory } from '@adapters/git';
import { createLexicalEmbedder } from '@adapters/embedding';
import {
  connectDatabase,
  createBudgetStore,
  createEmbeddingCache,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  createRepositoryStore,
} from '@adapters/postgres';
import {
  noTracer,
  systemClock,
  type Clock,
  type Embedder,
  type Execution,
  type ManifestEntry,
  type NewRepository,
  type Point,
  type Repository,
  type StoredPoint,
  type VectorStore,
  type RunHandler,
  type RunHandlers,
  type RunObserver,
  type Transport,
} from '@core/domain';
import { fileVersionOf, type SyncLimits, type SyncRequest } from '@core/indexing';
import { InProcessLeaseManager, MemoryProgressStore } from '@adapters/memory';
import { LocalHints } from './local-hints.js';
import { ProgressTracker, takeRun } from '@core/executions';
import {
  createGitRepository,
  GitReader,
  type GitTreeEntry,
  listTree,
  startGitLabStandIn,
  type StandInProject,
} from '@devkit';
import { createHandlers, prepareContent, type HandlerPorts } from '@core/indexing';
import { timelessSources } from './limiter.js';
import { createTestDatabase } from './postgres.js';
import { onlyEmbedders } from './only-embedders.js';
import { silentLogger } from './silent-logger.js';
import { openVectorStore, type VectorStoreKind } from './vector-stores.js';

export interface SyncOptions {
  /** Default: the world's own. */
  repositoryId?: string;
  fullSync?: boolean;
  maxEmbeddingTokens?: number | null;
  signal?: AbortSignal;
}

export type SyncWorld = Awaited<ReturnType<typeof createSyncWorld>>;

/**
 * One git repository behind the GitLab stand-in, and all parts of a sync: real Postgres stores, a vector store, the lexical
 * embedder (or another), the real runner and handlers.
 */
export async function createSyncWorld(
  options: {
    embedder?: Embedder;
    /** Absent: as the environment says. */
    vectors?: VectorStoreKind;
    repository?: Partial<Repository>;
    wrapVectorStore?: (store: VectorStore) => VectorStore;
    syncLimits?: Partial<SyncLimits>;
    secretsPolicy?: SyncRequest['secretsPolicy'];
    requestTimeoutMs?: number;
    /** Listeners of the runs, besides the progress. */
    observers?: readonly RunObserver[];
    timeBudgetSeconds?: number;
    fetchConcurrency?: number;
    /** How trees and contents are read; default: through the API. */
    transport?: Transport['name'];
    /** What the runs keep of git objects between them; default: nothing. */
    gitCacheBytes?: number;
    clock?: Clock;
  } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-sync-'));
  const testDatabase = await createTestDatabase();
  const database = await connectDatabase({ url: testDatabase.url, poolSize: 5, logger: silentLogger });
  const gitlab = await startGitLabStandIn();
  const git = await createGitRepository(join(directory, 'git'), { bare: true });
  const gitReader = await GitReader.open(git.directory);
  const trees = new Map<string, GitTreeEntry[]>();
  const project = await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });

  const executions = createExecutionStore(database);
  const repositories = createRepositoryStore(database);
  const manifest = createManifestStore(database);
  const vectors = await openVectorStore(database, options.vectors);
  const { collection } = vectors;
  const generations = createGenerationStore(database);
  const vectorStore = options.wrapVectorStore?.(vectors.store) ?? vectors.store;
  const leases = new InProcessLeaseManager('test-pod');
  const hints = new LocalHints();
  const progressStore = new MemoryProgressStore(systemClock);
  const progress = new ProgressTracker(progressStore, systemClock);
  const ports = {
    observers: [progress, ...(options.observers ?? [])],
    executions,
    repositories,
    manifest,
    leases,
    hints,
    logger: silentLogger,
    clock: systemClock,
    tracer: noTracer,
  };
  const budgets = createBudgetStore(database);
  /** Replaces the time budget of a schedule. */
  let timeBudget =
    options.timeBudgetSeconds === undefined ? {} : { timeBudgetSeconds: options.timeBudgetSeconds };
  const hosts = timelessSources({
    defaultToken: gitlab.token,
    requestTimeoutMs: options.requestTimeoutMs ?? 5_000,
    maxRetries: 2,
    userAgent: 'repotide-test',
    logger: silentLogger,
    // The adapter's own test covers the waiting; here only the result matters.
    sleep: async () => undefined,
  });
  const scratchRoot = await mkdtemp(join(directory, 'scratch-'));
  const overGit = createGitSourceFactory({
    ...{ hosts, logger: silentLogger, clock: systemClock, scratchRoot },
    cache: { maxBytes: options.gitCacheBytes ?? 0 },
  });
  const sources = { git: overGit, rest: hosts };
  const handlerPorts: HandlerPorts = {
    sources: sources[options.transport ?? 'rest'],
    embedders: onlyEmbedders(options.embedder ?? createLexicalEmbedder()),
    generations,
    embeddingCache: createEmbeddingCache(database),
    vectorStore,
    manifest,
    repositories,
    budgets: {
      budgetOf: async (id) => ({ ...(await budgets.budgetOf(id)), ...timeBudget }),
    },
    // Another test covers the threads.
    contents: { prepare: async (job) => prepareContent(job) },
    progress,
    logger: silentLogger,
    clock: options.clock ?? systemClock,
    tracer: noTracer,
    fetchConcurrency: options.fetchConcurrency ?? 8,
    secretsPolicy: options.secretsPolicy ?? 'redact',
    ...(options.syncLimits && { syncLimits: options.syncLimits }),
  };
  const handlers = createHandlers(handlerPorts);
  const register = async (changes: Partial<Repository> = {}): Promise<string> => {
    const { id } = await repositories.create({
      ...registrationOf(gitlab.url, project, collection),
      ...changes,
    });
    return id;
  };
  const repositoryId = await register(options.repository);

  const world = {
    git,
    gitlab,
    project,
    database,
    executions,
    repositories,
    manifest,
    generations,
    vectorStore,
    leases,
    /** The progressStore that shows the runs' progress. */
    progressStore,
    handlers,
    ports,
    repositoryId,
    /** Sets the value for later runs, like a restart with another setting. */
    setEmbedders: (...embedders: [Embedder, ...Embedder[]]): void => {
      handlerPorts.embedders = onlyEmbedders(...embedders);
    },
    setTimeBudget: (seconds: number): void => {
      timeBudget = { timeBudgetSeconds: seconds };
    },
    setTransport: (transport: Transport['name']): void => {
      handlerPorts.sources = sources[transport];
    },
    scratchRoot,
    /** What the runs left on the scratch disk. */
    scratch: (): Promise<string[]> => readdir(scratchRoot),
    setLimits: (limits: Partial<SyncLimits>): void => {
      handlerPorts.syncLimits = limits;
    },
    setSecretsPolicy: (policy: SyncRequest['secretsPolicy']): void => {
      handlerPorts.secretsPolicy = policy;
    },
    /** Registers the project again, e.g. at another branch. Returns the repository's id. */
    register,
    repository: async (): Promise<Repository> => (await repositories.find(repositoryId))!,
    /** Enqueues and runs one execution to its end, and returns its row. */
    sync: (syncOptions: SyncOptions = {}) => run('repository_sync', syncOptions),
    run: (handler: RunHandler['name'], syncOptions: SyncOptions = {}) => run(handler, syncOptions),
    /** Runs a queued execution, e.g. one that was requeued. */
    runQueued: (executionId: string, replaced: Partial<RunHandlers> = {}, signal?: AbortSignal) =>
      runOne(executionId, { ...handlers, ...replaced }, signal),
    tree,
    readBlob: async (blobSha: string): Promise<Buffer> => (await gitReader.blob(blobSha))!.content,
    entries: async (id = repositoryId): Promise<ManifestEntry[]> =>
      (await collect(manifest.listEntries(id))).flat(),
    /** The collection with the active generation's points. */
    collection: physicalName,
    /** The manifest of the active generation. */
    points: async (id = repositoryId): Promise<StoredPoint[]> => {
      const pages = vectorStore.listPoints(await physicalName(), id, new AbortController().signal);
      return (await collect(pages)).flat();
    },
    /** All points of a repository with texts and vectors. */
    wholePoints: async (id = repositoryId): Promise<Point[]> => readWhole(id, await world.points(id)),
    /** These points with texts and vectors. */
    readWhole: (id: string, points: readonly StoredPoint[]): Promise<Point[]> => readWhole(id, points),
    stop: async (): Promise<void> => {
      await gitReader.close();
      await gitlab.stop();
      await vectors.close();
      await database.close();
      await testDatabase.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return world;

  /** With one request for each file, which takes long for many. */
  async function readWhole(id: string, stored: readonly StoredPoint[]): Promise<Point[]> {
    const { signal } = new AbortController();
    const name = await physicalName();
    const files = new Map<string, StoredPoint>();
    for (const point of stored) files.set(`${point.path}\0${point.file_version}`, point);
    const points: Point[] = [];
    for (const { path, file_version } of files.values()) {
      const file = { repositoryId: id, path };
      points.push(...(await vectorStore.readFile(name, file, file_version, signal)));
    }
    return points;
  }

  /** The files that git lists; one call per commit. */
  async function tree(revision: string): Promise<GitTreeEntry[]> {
    const commit = (await gitReader.commitOf(revision)) ?? revision;
    const listing = trees.get(commit) ?? (await listTree(git.directory, commit));
    trees.set(commit, listing);
    return listing;
  }

  /** The collection with the active generation's points; the collection's own name before the first run. */
  async function physicalName(): Promise<string> {
    const found = await generations.list([collection]);
    return found.find(({ status }) => status === 'active')?.physicalName ?? collection;
  }

  async function run(
    handler: RunHandler['name'],
    { fullSync = false, signal, repositoryId: id = repositoryId, maxEmbeddingTokens = null }: SyncOptions,
  ): Promise<Execution> {
    gitlab.resetLog();
    const asked = { fullSync, handler, maxEmbeddingTokens };
    const request = { repositoryId: id, trigger: 'manual', requestedBy: 'test', ...asked } as const;
    const execution = await executions.enqueue(request);
    return runOne(execution.id, handlers, signal);
  }

  async function runOne(executionId: string, using: RunHandlers, signal?: AbortSignal): Promise<Execution> {
    const settings = { podName: 'test-pod', heartbeatMs: 1_000, maxRunMs: 600_000 };
    const stop = signal ?? new AbortController().signal;
    const taken = await takeRun({ executionId }, using, ports, settings, stop);
    if (taken?.kind === 'taken') await taken.finish();
    return (await executions.find(executionId))!;
  }
}

function registrationOf(baseUrl: string, project: StandInProject, collectionName: string): NewRepository {
  return {
    provider: 'gitlab',
    baseUrl,
    projectId: project.id,
    projectPath: project.path,
    branch: 'main',
    collectionName,
    includeGlobs: [],
    excludeGlobs: [],
    maxFileBytes: 100_000,
    chunkSize: 400,
    chunkOverlap: 50,
    credentialId: null,
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * The guarantee G3 as one comparable value: every tracked path at its blob SHA is in the manifest, and the store holds
 * exactly the chunks of the indexed ones. Empty lists mean that the index is right.
 */
export async function findDifferences(
  world: Pick<SyncWorld, 'repositoryId' | 'tree' | 'entries' | 'points'>,
  revision = 'HEAD',
  repositoryId = world.repositoryId,
) {
  const tree = await world.tree(revision);
  const entries = await world.entries(repositoryId);
  const points = await world.points(repositoryId);
  const rowOf = new Map(entries.map((entry) => [entry.path, entry]));
  const pointsOf = groupByPath(points);
  const treePaths = new Set(tree.map((entry) => entry.path));
  return {
    notListed: tree
      .filter((entry) => rowOf.get(entry.path)?.blobSha !== entry.sha)
      .map((entry) => entry.path),
    listedTooMuch: entries.filter((entry) => !treePaths.has(entry.path)).map((entry) => entry.path),
    failed: entries.filter((entry) => entry.lastError !== null).map((entry) => entry.path),
    wrongPoints: entries
      .filter((entry) => !holdsExactly(entry, pointsOf.get(entry.path) ?? []))
      .map(({ path }) => path),
    strayPoints: points.filter((point) => !rowOf.has(point.path)).map((point) => point.path),
  };
}

export const NO_DIFFERENCES = {
  notListed: [],
  listedTooMuch: [],
  failed: [],
  wrongPoints: [],
  strayPoints: [],
};

function groupByPath(points: readonly StoredPoint[]): Map<string, StoredPoint[]> {
  const groups = new Map<string, StoredPoint[]>();
  for (const point of points) groups.set(point.path, [...(groups.get(point.path) ?? []), point]);
  return groups;
}

function holdsExactly(entry: ManifestEntry, points: readonly StoredPoint[]): boolean {
  if (entry.indexedAt === null) return points.length === 0;
  const version = fileVersionOf(entry.blobSha, entry.fingerprint);
  const indexes = points.map((point) => point.chunk_index).sort((left, right) => left - right);
  return (
    points.every((point) => point.file_version === version && point.blob_sha === entry.blobSha) &&
    indexes.length === entry.chunkCount &&
    indexes.every((index, position) => index === position)
  );
}

/** Text of about `lines` short lines, different for each seed. */
export function sourceText(seed: string, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `export const ${seed}Value${line} = compute('${seed}', ${line});\n`,
  ).join('');
}
