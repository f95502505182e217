import { type Values } from './variables.js';

export type ProcessRole = Values['REPOTIDE_ROLES'][number];

/** Exact search in Postgres and an in-process queue, or Redis, Qdrant and any number of pods. */
export type Mode = 'standalone' | 'distributed';

export interface OpenAiEmbeddingConfig {
  provider: 'openai';
  /** Without a slash at its end. */
  url: string;
  model: string;
  apiKey: string | undefined;
  /** Undefined: the model's own. */
  dimensions: number | undefined;
  /** Undefined: the model's own. */
  maxInputTokens: number | undefined;
  batchSize: number;
  concurrency: number;
  /** 0: no limit of our own. */
  requestsPerMinute: number;
  timeoutSeconds: number;
}

export interface LexicalEmbeddingConfig {
  provider: 'lexical';
  dimensions: number | undefined;
}

export interface RedisConfig {
  /** Complete with passwords. The first carries queue and progress; all of them hold leases. Never empty. */
  urls: readonly string[];
  keyPrefix: string;
}

export type OidcRole = 'viewer' | 'operator' | 'admin';

export interface OidcConfig {
  /** As in the `iss` claim. */
  issuer: string;
  audience: string;
  /** Undefined: as the issuer's discovery document says. */
  jwksUrl: string | undefined;
  /** Names of nested claims, outermost first. */
  roleClaim: readonly string[];
  roleByValue: Readonly<Record<string, OidcRole>>;
}

export interface TracingConfig {
  /** Complete with its path. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
}

/** The whole environment, typed, complete, checked, and frozen to the bottom. Grouped by who reads it. */
export interface Config {
  readonly mode: Mode;
  readonly roles: readonly ProcessRole[];
  /** Absolute. */
  readonly dataDir: string;
  readonly pod: Readonly<{ name: string; namespace: string | undefined }>;
  /** What Kubernetes tells its containers; host and port are absent outside of a cluster. */
  readonly kubernetes: Readonly<{
    serviceHost: string | undefined;
    servicePort: string | undefined;
    serviceAccountDir: string;
    labelSelector: string;
  }>;
  /** Without a URL: embedded Postgres. */
  readonly postgres: Readonly<{ url: string | undefined; poolSize: number }>;
  /** Present in distributed mode, absent in standalone mode. */
  readonly redis: Readonly<RedisConfig> | undefined;
  /** Without a URL: vectors in Postgres. */
  readonly qdrant: Readonly<{ url: string | undefined; apiKey: string | undefined }>;
  readonly embedding: Readonly<OpenAiEmbeddingConfig> | Readonly<LexicalEmbeddingConfig>;
  /** Serves the model that the index was made with, while it is rebuilt for another. */
  readonly previousEmbedding: Readonly<OpenAiEmbeddingConfig> | undefined;
  readonly reindex: Readonly<{ keepHours: number }>;
  /** Whatever the provider; without a price no cost is told. */
  readonly embeddingBudget: Readonly<{ pricePerMillionTokens: number | undefined; maxCachedVectors: number }>;
  readonly gitlab: Readonly<{
    url: string;
    token: string | undefined;
    webhookSecret: string | undefined;
    webhookDebounceSeconds: number;
    timeoutSeconds: number;
    concurrency: number;
    /** As `OutgoingHosts` of the adapter reads them. */
    allowedHosts: readonly string[];
    /** 0: no limit of our own; so for all three. */
    requestsPerMinute: number;
    filesPerMinute: number;
    /** Of one project. */
    archivesPerMinute: number;
  }>;
  readonly secrets: Readonly<{ policy: Values['SECRETS_POLICY'] }>;
  readonly chunking: Readonly<{ size: number; overlap: number; maxFileBytes: number }>;
  readonly schedule: Readonly<{ pollSeconds: number; misfireGraceSeconds: number }>;
  readonly worker: Readonly<{
    concurrency: number;
    maxRunSeconds: number;
    timeBudgetSeconds: number;
    failureThresholdPercent: number;
  }>;
  readonly lease: Readonly<{ ttlSeconds: number; renewSeconds: number; reaperIntervalSeconds: number }>;
  readonly shutdown: Readonly<{ graceSeconds: number }>;
  readonly http: Readonly<{ host: string; port: number; rateLimitPerMinute: number }>;
  readonly auth: Readonly<{
    adminToken: string | undefined;
    encryptionKey: string | undefined;
    previousEncryptionKey: string | undefined;
    /** Undefined: API tokens only. */
    oidc: Readonly<OidcConfig> | undefined;
  }>;
  readonly history: Readonly<{ retentionDays: number; retentionMinRows: number }>;
  readonly log: Readonly<{ level: Values['LOG_LEVEL']; format: 'json' | 'pretty' }>;
  /** Undefined: no traces. */
  readonly tracing: Readonly<TracingConfig> | undefined;
  /** Sentences to log at start: misspelt variables, settings without effect. */
  readonly warnings: readonly string[];
  /** Values by variable name with secrets masked; read it through {@link describeConfig}. */
  readonly description: Readonly<Record<string, string>>;
}
