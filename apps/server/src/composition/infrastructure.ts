import {
  createBudgetStore,
  createEmbeddedVectorStore,
  createEmbeddingCache,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  createModelRegistry,
  createRepositoryStore,
  createScheduleStore,
  ListeningHints,
  readInstallation,
  type Database,
} from '@adapters/postgres';
import { createQdrantStore } from '@adapters/qdrant';
import { ContentThreads } from '@adapters/threads';
import { systemClock, type Logger, type VectorStore } from '@core/domain';
import { ProgressTracker, type RunnerPorts } from '@core/executions';
import { createHandlers, type HandlerPorts } from '@core/indexing';
import { type Config } from '@platform/config';
import { type Tracing } from '@platform/observability';
import { countedCache } from '../metrics/counted.js';
import { type Metrics } from '../metrics/metrics.js';
import { MetricsRunObserver } from '../metrics/run-observer.js';
import { openCoordination } from './coordination.js';
import { openDatabase } from './database.js';
import { openHostLimits } from './host-limits.js';
import { openEmbedder, openEmbedders, openReranker } from './models.js';
import { openPodDirectory } from './pod-directory.js';
import { openCodeRights, openCredentials, openEventWebhooks, openSources } from './sources.js';
import { openTracing, tracedSources, tracedVectorStore } from './tracing.js';

export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/**
 * Opens all connections and stores, in the order of their dependencies.
 * @throws RepotideError that names the setting to change.
 */
export async function openInfrastructure(config: Config, logger: Logger, metrics: Metrics) {
  const tracing = await openTracing(config, logger);
  const limits = openHostLimits(config, logger, metrics);
  const { limiter } = limits;
  const handle = await openDatabase(config, logger);
  const { database, isExclusive } = handle;
  const embedding = { logger, limiter, registry: createModelRegistry(database), tracer: tracing };
  const embedder = await openEmbedder(config, embedding).catch(async (error: unknown) => {
    // An embedded database server must not stay running.
    await handle.close();
    throw error;
  });
  const embedders = openEmbedders(config, embedder, embedding);
  const stores = openStores(database);
  const embeddingCache = countedCache(
    createEmbeddingCache(database, { hasClaims: embedders.server !== null }),
    metrics,
  );
  const vectorStore = await openVectorStore(config, logger, database, tracing);
  const credentials = openCredentials(config, logger, { database });
  const eventWebhooks = openEventWebhooks(config, { database });
  const opened = openSources(config, logger, credentials, limiter, metrics);
  const sources = tracedSources(opened, tracing);
  // After the database, because the advisory leases need its schema.
  const coordination = await openCoordination(config, logger, limits, database);
  const progress = new ProgressTracker(coordination.progress, systemClock);
  const contents = new ContentThreads({ module: new URL('./content-worker.js', import.meta.url) });

  const shared = { ...stores, logger, clock: systemClock, tracer: tracing };
  const handlerPorts: HandlerPorts = {
    ...{ ...shared, ...settingsOfRuns(config) },
    ...{ embedders, embeddingCache, vectorStore, sources, contents, progress },
  };
  const { leases } = coordination;
  const hints = new ListeningHints({
    url: handle.url,
    tlsDir: handle.tlsDir,
    podName: config.pod.name,
    database,
    logger,
  });
  const observers = [progress, new MetricsRunObserver(metrics, config.freshness.targetSeconds)];
  const runnerPorts: RunnerPorts = { ...shared, leases, hints, observers };
  return {
    ...{
      tracing,
      limiter,
      embedder,
      embedders,
      database,
      isExclusive,
      vectorStore,
      credentials,
      sources,
      eventWebhooks,
    },
    codeRights: openCodeRights(config, logger, credentials, limiter),
    ...{ ...stores, ...coordination, hints, pods: openPodDirectory(config, logger) },
    reranker: openReranker(config, logger, tracing),
    ...{ handlerPorts, handlers: createHandlers(handlerPorts), runnerPorts },
    /** Call it after all runs and requests have ended, because they write until then. */
    async close(): Promise<void> {
      await contents.close();
      await opened.close();
      await credentials.close();
      await hints.close();
      await coordination.close();
      await handle.close();
      await tracing.stop();
    },
  };
}

function openStores(database: Database) {
  return {
    repositories: createRepositoryStore(database),
    schedules: createScheduleStore(database),
    executions: createExecutionStore(database),
    manifest: createManifestStore(database),
    generations: createGenerationStore(database),
    budgets: createBudgetStore(database),
  };
}

async function openVectorStore(
  config: Config,
  logger: Logger,
  database: Database,
  tracing: Tracing,
): Promise<VectorStore> {
  const { url, ...options } = config.qdrant;
  if (url === undefined) return createEmbeddedVectorStore(database, { logger });
  const installation = await readInstallation(database);
  return tracedVectorStore(createQdrantStore({ url, ...options, installation, logger }), url, tracing);
}

function settingsOfRuns({ gitlab, secrets }: Config) {
  return { fetchConcurrency: gitlab.concurrency, secretsPolicy: secrets.policy };
}
