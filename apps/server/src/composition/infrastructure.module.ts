import { Global, Inject, Module, type OnApplicationShutdown, type Type } from '@nestjs/common';
import {
  createAuditLog,
  createDiscoveryStore,
  createEmbeddedVectorStore,
  createBudgetStore,
  createEmbeddingCache,
  createEmbeddingCacheKeeper,
  createExecutionArchive,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  createPodRegistry,
  createPushStore,
  createRepositoryStore,
  createScheduleStore,
  createSettingsStore,
  createTokenRegistry,
  createTokenStore,
  PostgresHistory,
} from '@adapters/postgres';
import { createQdrantVectorStore } from '@adapters/qdrant';
import {
  systemClock,
  type CredentialStore,
  type EmbeddingCache,
  type EmbeddingCacheKeeper,
  type HostLimiter,
  type Logger,
  type SourceFactory,
  type VectorStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { ProgressTracker } from '@core/executions';
import { type Tracing } from '@platform/observability';
import { countedCache } from '../metrics/counted-cache.js';
import { Metrics } from '../metrics/metrics.js';
import { createHandlers, type HandlerPorts } from '@core/indexing';
import * as token from '../injection-tokens.js';
import { openCoordination, type Coordination } from './coordination.js';
import { openDatabase, type DatabaseHandle } from './database.js';
import { openEmbedder } from './embedder.js';
import { openEmbedders } from './embedders.js';
import { openHostLimits, type HostLimits } from './host-limits.js';
import { openPodDirectory } from './pod-directory.js';
import { openCredentials, openSources } from './sources.js';
import { openTracing, tracedEmbedder, tracedSources, tracedVectorStore } from './tracing.js';

const DATABASE_HANDLE = Symbol('DatabaseHandle');
const COORDINATION = Symbol('Coordination');
const HOST_LIMITS = Symbol('HostLimits');

type Factory = (handle: DatabaseHandle) => unknown;
const fromDatabase = (provide: symbol | Type, useFactory: Factory) => ({
  provide,
  useFactory,
  inject: [DATABASE_HANDLE],
});

const fromCoordination = (provide: symbol, useFactory: (coordination: Coordination) => unknown) => ({
  provide,
  useFactory,
  inject: [COORDINATION],
});

const providers = [
  { provide: token.CLOCK, useValue: systemClock },
  { provide: token.TRACING, useFactory: openTracing, inject: [token.CONFIG, token.LOGGER] },
  { provide: HOST_LIMITS, useFactory: openHostLimits, inject: [token.CONFIG, token.LOGGER, Metrics] },
  { provide: token.HOST_LIMITER, useFactory: ({ limiter }: HostLimits) => limiter, inject: [HOST_LIMITS] },
  {
    provide: token.EMBEDDER,
    useFactory: async (config: Config, logger: Logger, limiter: HostLimiter, tracing: Tracing) =>
      tracedEmbedder(await openEmbedder(config, logger, limiter), serverOf(config), tracing),
    inject: [token.CONFIG, token.LOGGER, token.HOST_LIMITER, token.TRACING],
  },
  {
    provide: token.EMBEDDERS,
    useFactory: openEmbedders,
    inject: [token.CONFIG, token.EMBEDDER, token.LOGGER, token.HOST_LIMITER, token.TRACING],
  },
  // After the embedder: settings that it refuses must not leave a database server behind.
  {
    provide: DATABASE_HANDLE,
    useFactory: openDatabase,
    inject: [token.CONFIG, token.LOGGER, token.EMBEDDER],
  },
  fromDatabase(token.IS_DATA_EXCLUSIVE, ({ isExclusive }) => isExclusive),
  fromDatabase(token.REPOSITORY_STORE, ({ database }) => createRepositoryStore(database)),
  fromDatabase(token.SCHEDULE_STORE, ({ database }) => createScheduleStore(database)),
  fromDatabase(token.EXECUTION_STORE, ({ database }) => createExecutionStore(database)),
  fromDatabase(token.MANIFEST_STORE, ({ database }) => createManifestStore(database)),
  fromDatabase(token.GENERATION_STORE, ({ database }) => createGenerationStore(database)),
  fromDatabase(PostgresHistory, ({ database }) => new PostgresHistory(database)),
  fromDatabase(token.EXECUTION_ARCHIVE, ({ database }) => createExecutionArchive(database)),
  fromDatabase(token.TOKEN_REGISTRY, ({ database }) => createTokenRegistry(database)),
  fromDatabase(token.AUDIT_LOG, ({ database }) => createAuditLog(database)),
  fromDatabase(token.POD_REGISTRY, ({ database }) => createPodRegistry(database)),
  fromDatabase(token.PUSH_STORE, ({ database }) => createPushStore(database)),
  fromDatabase(token.DISCOVERY_STORE, ({ database }) => createDiscoveryStore(database)),
  fromDatabase(token.TOKEN_STORE, ({ database }) => createTokenStore(database)),
  fromDatabase(token.SETTINGS_STORE, ({ database }) => createSettingsStore(database)),
  fromDatabase(token.BUDGET_STORE, ({ database }) => createBudgetStore(database)),
  {
    provide: token.EMBEDDING_CACHE,
    useFactory: openEmbeddingCache,
    inject: [DATABASE_HANDLE, Metrics],
  },
  {
    provide: token.EMBEDDING_CACHE_KEEPER,
    useFactory: openCacheKeeper,
    inject: [token.CONFIG, DATABASE_HANDLE],
  },
  {
    provide: token.VECTOR_STORE,
    useFactory: openVectorStore,
    inject: [token.CONFIG, token.LOGGER, DATABASE_HANDLE, token.TRACING],
  },
  {
    provide: token.CREDENTIAL_STORE,
    useFactory: openCredentials,
    inject: [token.CONFIG, token.LOGGER, DATABASE_HANDLE],
  },
  {
    provide: token.SOURCE_FACTORY,
    useFactory: (
      config: Config,
      logger: Logger,
      credentials: CredentialStore,
      limiter: HostLimiter,
      tracing: Tracing,
    ) => tracedSources(openSources(config, logger, credentials, limiter), tracing),
    inject: [token.CONFIG, token.LOGGER, token.CREDENTIAL_STORE, token.HOST_LIMITER, token.TRACING],
  },
  // After the database, whose schema the advisory lease needs.
  {
    provide: COORDINATION,
    useFactory: openCoordination,
    inject: [token.CONFIG, token.LOGGER, HOST_LIMITS, DATABASE_HANDLE],
  },
  {
    provide: token.POD_DIRECTORY,
    useFactory: (config: Config, logger: Logger) => openPodDirectory(config, logger),
    inject: [token.CONFIG, token.LOGGER],
  },
  fromCoordination(token.LEASE_MANAGER, ({ leases }) => leases),
  fromCoordination(token.DISPATCHER, ({ queue }) => queue),
  fromCoordination(token.DISPATCH_CONSUMER, ({ queue }) => queue),
  fromCoordination(token.LEADER_ELECTION, ({ election }) => election),
  fromCoordination(token.PROGRESS_BOARD, ({ progress }) => progress),
  fromCoordination(token.PROGRESS, ({ progress }) => new ProgressTracker(progress, systemClock)),
  fromCoordination(token.HINTS, ({ hints }) => hints),
  { provide: token.RUN_HANDLERS, useFactory: createHandlers, inject: [token.HANDLER_PORTS] },
  {
    provide: token.HANDLER_PORTS,
    useFactory: handlerPorts,
    inject: [
      token.CONFIG,
      token.SOURCE_FACTORY,
      token.EMBEDDERS,
      token.GENERATION_STORE,
      token.EMBEDDING_CACHE,
      token.VECTOR_STORE,
      token.MANIFEST_STORE,
      token.REPOSITORY_STORE,
      token.BUDGET_STORE,
      token.PROGRESS,
      token.LOGGER,
      token.TRACING,
    ],
  },
];

/** Which adapter stands behind each port. The only place that knows both. */
@Global()
@Module({ providers, exports: providers.map(({ provide }) => provide) })
export class InfrastructureModule implements OnApplicationShutdown {
  constructor(
    @Inject(DATABASE_HANDLE) private readonly database: DatabaseHandle,
    @Inject(COORDINATION) private readonly coordination: Coordination,
    @Inject(token.CREDENTIAL_STORE) private readonly credentials: CredentialStore,
    @Inject(token.TRACING) private readonly tracing: Tracing,
  ) {}

  /** Last of all, as whatever drains before still writes: the queue, then Redis, then Postgres; then the last spans go. */
  async onApplicationShutdown(): Promise<void> {
    await this.credentials.close();
    await this.coordination.close();
    await this.database.close();
    await this.tracing.stop();
  }
}

function openVectorStore(
  config: Config,
  logger: Logger,
  handle: DatabaseHandle,
  tracing: Tracing,
): VectorStore {
  const { url, apiKey } = config.qdrant;
  if (url === undefined) return createEmbeddedVectorStore(handle.database, { logger });
  return tracedVectorStore(createQdrantVectorStore({ url, apiKey, logger }), url, tracing);
}

function serverOf({ embedding }: Config): string | undefined {
  return embedding.provider === 'openai' ? embedding.url : undefined;
}

function openEmbeddingCache({ database }: DatabaseHandle, metrics: Metrics): EmbeddingCache {
  return countedCache(createEmbeddingCache(database), metrics);
}

function openCacheKeeper({ embeddingBudget }: Config, { database }: DatabaseHandle): EmbeddingCacheKeeper {
  return createEmbeddingCacheKeeper(database, { maxEntries: embeddingBudget.maxCachedVectors });
}

function handlerPorts(
  config: Config,
  sources: SourceFactory,
  embedders: HandlerPorts['embedders'],
  generations: HandlerPorts['generations'],
  embeddingCache: HandlerPorts['embeddingCache'],
  vectorStore: VectorStore,
  manifest: HandlerPorts['manifest'],
  repositories: HandlerPorts['repositories'],
  budgets: HandlerPorts['budgets'],
  progress: ProgressTracker,
  logger: Logger,
  tracer: Tracing,
): HandlerPorts {
  const stores = { vectorStore, generations, manifest, repositories, embeddingCache, budgets };
  const settings = {
    clock: systemClock,
    fetchConcurrency: config.gitlab.concurrency,
    secretsPolicy: config.secrets.policy,
    embeddingPricePerMillionTokens: config.embeddingBudget.pricePerMillionTokens ?? null,
  };
  return { sources, embedders, progress, logger, tracer, ...stores, ...settings };
}
