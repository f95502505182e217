import { randomBytes } from 'node:crypto';
import {
  Global,
  Module,
  type Abstract,
  type DynamicModule,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLexicalEmbedder } from '@adapters/embedding';
import { createGitLabSourceFactory } from '@adapters/gitlab';
import {
  connectDatabase,
  ApiTokens,
  AuditLog,
  CredentialStore,
  ExecutionArchive,
  PushStore,
  DeclarationRounds,
  DeclaredResources,
  EventDeliveries,
  EventWebhooks,
  SettingsStore,
  createDiscoveryStore,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  PodRegistry,
  createRepositoryStore,
  createScheduleStore,
  RepositoryNames,
  RepositoryStates,
  ScopedRepositories,
  SearchGates,
  UserSessions,
  type Database,
  PostgresHistory,
} from '@adapters/postgres';
import { createQdrantStore } from '@adapters/qdrant';
import {
  CodeRights,
  type ContentJob,
  noTracer,
  systemClock,
  type NewRepository,
  type Repository,
  RepositoryStore,
  type Role,
  GenerationStore,
  ExecutionStore,
  DiscoveryStore,
  LeaderElection,
  ScheduleStore,
  ManifestStore,
  SourceFactory,
  ProgressStore,
  LeaseManager,
  RequestLimits,
  VectorStore,
  HostLimiter,
  Embedders,
  Embedder,
  Reranker,
  Logger,
  Clock,
  ContentPreparer,
  Hints,
} from '@core/domain';
import { prepareContent } from '@core/indexing';
import { InProcessLeaseManager, MemoryProgressStore, SoleLeader } from '@adapters/memory';
import { type QdrantDouble, startQdrantDouble } from '@devkit';
import { LocalHints } from './local-hints.js';
import { loadConfig } from '@platform/config';
import { openEmbedders, openReranker } from '../../apps/server/src/composition/models.js';
import {
  openCredentials,
  openEventWebhooks,
  outgoingHosts,
} from '../../apps/server/src/composition/sources.js';
import { tracedSources } from '../../apps/server/src/composition/tracing.js';
import { ApiModule } from '../../apps/server/src/api.module.js';
import { configureHttp } from '../../apps/server/src/process/configure-http.js';
import { hashToken } from '../../apps/server/src/access/api-token.js';
import * as token from '../../apps/server/src/injection-tokens.js';
import { CapturedLog } from './captured-log.js';
import { memoryRegistry } from './model-registry.js';
import { watchAnswers } from './documented-answers.js';
import { ownLimiter } from './limiter.js';
import { createTestDatabase } from './postgres.js';
import { newRepository } from './registration.js';

export interface TestApi {
  readonly url: string;
  readonly app: INestApplication;
  readonly logger: CapturedLog;
  /** The outside systems, for tests that make them unavailable. */
  readonly database: Database;
  readonly qdrant: QdrantDouble;
  /** Executions handed to the queue, which runs none of them. */
  /** How often the scheduler was woken. */
  wakeCount(): number;
  authorization(role: Role): string;
  /** Returns a service of the application, by class or token. */
  get<T>(what: Type<T> | Abstract<T>): T;
  /** Stores a repository without a request to GitLab. */
  register(changes?: Partial<NewRepository>): Promise<Repository>;
  /** @throws when an answer did not match the API document. */
  stop(): Promise<void>;
}

export interface TestApiOptions {
  /** Default: an address where nothing listens. */
  gitlab?: { url: string; token: string };
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>;
  /** Additional modules with controllers. */
  modules?: Type[];
  /** Default: each application counts its requests alone. */
  requestLimits?: RequestLimits;
  /** Default: the double of Qdrant. */
  vectorStore?: (database: Database, logger: Logger) => VectorStore;
}

/** The discard port: nothing listens there. */
const NO_GITLAB = { url: 'http://127.0.0.1:9', token: 'glpat-not-used' };

/** The HTTP API on a free port, over real stores in its own database. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const testDatabase = await createTestDatabase();
  const logger = new CapturedLog();
  const database = await connectDatabase({ url: testDatabase.url, logger });
  const qdrant = await startQdrantDouble();
  let wakes = 0;
  const hints = new LocalHints();
  hints.subscribe(({ kind }) => void (wakes += Number(kind === 'schedules_changed')));
  const app = await NestFactory.create(
    rootModule(
      [
        { provide: Logger, useValue: logger },
        { provide: Hints, useValue: hints },
        { provide: Clock, useValue: systemClock },
        { provide: RequestLimits, useValue: options.requestLimits ?? { take: () => Promise.resolve(null) } },
        { provide: LeaderElection, useValue: new SoleLeader('test-pod') },
        { provide: ProgressStore, useValue: new MemoryProgressStore(systemClock) },
        ...storePorts(database),
        ...outsidePorts(options, qdrant.url, database, logger),
      ],
      options.modules ?? [],
    ),
    { logger: false, abortOnError: false, bodyParser: false },
  );
  const violations = watchAnswers(app);
  configureHttp(app, { logger });
  await app.listen(0, '127.0.0.1');
  const tokens = await makeTokens(database);
  const get: TestApi['get'] = (what) => app.get(what, { strict: false });
  return {
    url: await app.getUrl(),
    app,
    logger,
    database,
    qdrant,
    wakeCount: () => wakes,
    authorization: (role) => `Bearer ${tokens[role]}`,
    get,
    register: (changes) => get<RepositoryStore>(RepositoryStore).create(newRepository(changes)),
    stop: async () => {
      await app.close();
      await qdrant.close();
      await database.close();
      await testDatabase.drop();
      if (violations.length > 0) throw new Error(`Answers unlike the document:\n${violations.join('\n')}`);
    },
  };
}

interface Provided {
  provide: Abstract<unknown> | symbol;
  useValue: unknown;
}

function rootModule(providers: Provided[], modules: Type[]): DynamicModule {
  @Global()
  @Module({ providers, exports: providers.map(({ provide }) => provide) })
  class TestPortsModule {}

  @Module({ imports: [TestPortsModule, ApiModule, ...modules] })
  class TestApiModule {}
  return { module: TestApiModule };
}

function outsidePorts(
  { gitlab = NO_GITLAB, env = {}, vectorStore }: TestApiOptions,
  qdrantUrl: string,
  database: Database,
  logger: CapturedLog,
): Provided[] {
  const { url: GITLAB_URL, token: GITLAB_TOKEN } = gitlab;
  const config = loadConfig({ GITLAB_URL, GITLAB_TOKEN, POD_NAME: 'pod-a', ...env });
  const credentials = openCredentials(config, logger, { database });
  const limiter = ownLimiter();
  const sources = createGitLabSourceFactory({
    defaultToken: gitlab.token,
    defaultBaseUrl: gitlab.url,
    outgoing: outgoingHosts(config.gitlab),
    tokenFor: (credentialId, signal) => credentials.tokenFor(credentialId, signal),
    requestTimeoutMs: 5_000,
    limiter,
    maxRetries: 0,
    userAgent: 'repotide-test',
    logger,
  });
  const embedder = createLexicalEmbedder();
  const embedding = { logger, limiter, registry: memoryRegistry(), tracer: noTracer };
  return [
    { provide: token.CONFIG, useValue: config },
    { provide: Embedder, useValue: embedder },
    { provide: Embedders, useValue: openEmbedders(config, embedder, embedding) },
    { provide: Reranker, useValue: openReranker(config, logger, noTracer) },
    { provide: HostLimiter, useValue: limiter },
    // The service wraps its sources too; tracing must not change which requests are refused.
    { provide: SourceFactory, useValue: tracedSources(sources, noTracer) },
    { provide: CodeRights, useValue: sources.codeRights },
    { provide: CredentialStore, useValue: credentials },
    { provide: EventWebhooks, useValue: openEventWebhooks(config, { database }) },
    { provide: ContentPreparer, useValue: { prepare: async (job: ContentJob) => prepareContent(job) } },
    { provide: LeaseManager, useValue: new InProcessLeaseManager('pod-a') },
    {
      provide: VectorStore,
      useValue:
        vectorStore?.(database, logger) ?? createQdrantStore({ url: qdrantUrl, retryDelayMs: 1, logger }),
    },
  ];
}

function storePorts(database: Database): Provided[] {
  return [
    { provide: RepositoryStore, useValue: createRepositoryStore(database) },
    { provide: ScheduleStore, useValue: createScheduleStore(database) },
    { provide: ExecutionStore, useValue: createExecutionStore(database) },
    { provide: ManifestStore, useValue: createManifestStore(database) },
    { provide: GenerationStore, useValue: createGenerationStore(database) },
    { provide: DiscoveryStore, useValue: createDiscoveryStore(database) },
    ...[ApiTokens, AuditLog, ExecutionArchive, PodRegistry].map(inDatabase(database)),
    ...[
      DeclarationRounds,
      DeclaredResources,
      EventDeliveries,
      PostgresHistory,
      PushStore,
      RepositoryNames,
      RepositoryStates,
      ScopedRepositories,
      SearchGates,
      SettingsStore,
      UserSessions,
    ].map(inDatabase(database)),
  ];
}

const inDatabase =
  (database: Database) =>
  (Store: new (database: Database) => unknown): Provided => ({
    provide: Store,
    useValue: new Store(database),
  });

async function makeTokens(database: Database): Promise<Record<Role, string>> {
  const store = new ApiTokens(database);
  const make = async (role: Role): Promise<string> => {
    const clearText = randomBytes(24).toString('base64url');
    await store.ensure({ name: `test-${role}`, role, tokenHash: hashToken(clearText) });
    return clearText;
  };
  return { viewer: await make('viewer'), operator: await make('operator'), admin: await make('admin') };
}
