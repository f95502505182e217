import { Global, Inject, Module, type Abstract, type OnApplicationShutdown } from '@nestjs/common';
import {
  createDiscoveryStore,
  ApiTokens,
  AuditLog,
  DeclarationRounds,
  DeclaredResources,
  CredentialStore,
  EmbeddingCacheEvictor,
  EventDeliveries,
  EventWebhooks,
  ExecutionArchive,
  PodRegistry,
  PostgresHistory,
  PushStore,
  RepositoryNames,
  RepositoryStates,
  ScopedRepositories,
  SearchGates,
  SettingsStore,
  UserSessions,
} from '@adapters/postgres';
import {
  Clock,
  CodeRights,
  ContentPreparer,
  DiscoveryStore,
  Embedder,
  Embedders,
  ExecutionStore,
  GenerationStore,
  Hints,
  LeaderElection,
  LeaseManager,
  Logger,
  ManifestStore,
  PodDirectory,
  ProgressStore,
  RepositoryStore,
  RequestLimits,
  Reranker,
  ScheduleStore,
  SourceFactory,
  VectorStore,
  systemClock,
} from '@core/domain';
import { Tracing } from '@platform/observability';
import { CONFIG, HANDLER_PORTS, IS_DATA_EXCLUSIVE, RUN_HANDLERS, RUNNER_PORTS } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { openInfrastructure, type Infrastructure } from './infrastructure.js';

const INFRASTRUCTURE = Symbol('Infrastructure');

const from = <Port>(provide: Abstract<Port> | symbol, useFactory: (opened: Infrastructure) => Port) => ({
  provide,
  useFactory,
  inject: [INFRASTRUCTURE],
});

const STORES = [
  ...[
    ApiTokens,
    AuditLog,
    DeclarationRounds,
    DeclaredResources,
    PodRegistry,
    RepositoryNames,
    RepositoryStates,
  ],
  ...[ScopedRepositories, SearchGates, SettingsStore, UserSessions],
  ...[ExecutionArchive, PostgresHistory, PushStore, EmbeddingCacheEvictor, EventDeliveries],
];

const providers = [
  { provide: INFRASTRUCTURE, useFactory: openInfrastructure, inject: [CONFIG, Logger, Metrics] },
  { provide: Clock, useValue: systemClock },
  from(Tracing, ({ tracing }) => tracing),
  from(Embedder, ({ embedder }) => embedder),
  from(Embedders, ({ embedders }) => embedders),
  from(Reranker, ({ reranker }) => reranker),
  from(VectorStore, ({ vectorStore }) => vectorStore),
  from(CredentialStore, ({ credentials }) => credentials),
  from(EventWebhooks, ({ eventWebhooks }) => eventWebhooks),
  from(SourceFactory, ({ sources }) => sources),
  from(CodeRights, ({ codeRights }) => codeRights),
  from(ContentPreparer, ({ handlerPorts }) => handlerPorts.contents),
  from(PodDirectory, ({ pods }) => pods),
  from(LeaseManager, ({ leases }) => leases),
  from(LeaderElection, ({ election }) => election),
  from(ProgressStore, ({ progress }) => progress),
  from(RequestLimits, ({ requestLimits }) => requestLimits),
  from(Hints, ({ hints }) => hints),
  from(RepositoryStore, ({ repositories }) => repositories),
  from(ScheduleStore, ({ schedules }) => schedules),
  from(ExecutionStore, ({ executions }) => executions),
  from(ManifestStore, ({ manifest }) => manifest),
  from(GenerationStore, ({ generations }) => generations),
  from(IS_DATA_EXCLUSIVE, ({ isExclusive }) => isExclusive),
  from(HANDLER_PORTS, ({ handlerPorts }) => handlerPorts),
  from(RUN_HANDLERS, ({ handlers }) => handlers),
  from(RUNNER_PORTS, ({ runnerPorts }) => runnerPorts),
  from(DiscoveryStore, ({ database }) => createDiscoveryStore(database)),
  // These have no port, because core never calls them.
  ...STORES.map((Store) => ({
    provide: Store,
    useFactory: ({ database }: Infrastructure) => new Store(database),
    inject: [INFRASTRUCTURE],
  })),
];

/** Provides the adapter of each port. */
@Global()
@Module({ providers, exports: providers.map(({ provide }) => provide) })
export class InfrastructureModule implements OnApplicationShutdown {
  constructor(@Inject(INFRASTRUCTURE) private readonly infrastructure: Infrastructure) {}

  onApplicationShutdown(): Promise<void> {
    return this.infrastructure.close();
  }
}
