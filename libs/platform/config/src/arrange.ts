import { resolve } from 'node:path';
import {
  type Config,
  type Mode,
  type OidcConfig,
  type OidcRole,
  type OpenAiEmbeddingConfig,
  type RedisConfig,
  type TracingConfig,
} from './config.js';
import { type Values } from './variables.js';

/** The facts beside the environment that defaults depend on. */
export interface Machine {
  hostname: string;
  isTerminal: boolean;
  workingDirectory: string;
}

/** The valid values of the variables, by what they are for. */
export function arrange(v: Values, mode: Mode, machine: Machine): Omit<Config, 'warnings' | 'description'> {
  return {
    mode,
    roles: v.REPOTIDE_ROLES,
    dataDir: resolve(machine.workingDirectory, v.REPOTIDE_DATA_DIR),
    // A host name may hold what a lease's value may not, above all its separator ':'.
    pod: { name: v.POD_NAME ?? machine.hostname.replace(/[^\w.-]/g, '-'), namespace: v.POD_NAMESPACE },
    kubernetes: arrangeKubernetes(v),
    postgres: { url: v.DATABASE_URL, poolSize: v.DATABASE_POOL_SIZE },
    redis: arrangeRedis(v),
    qdrant: { url: v.QDRANT_URL, apiKey: v.QDRANT_API_KEY },
    embedding: arrangeEmbedding(v),
    previousEmbedding: arrangePreviousEmbedding(v),
    reindex: { keepHours: v.REINDEX_KEEP_HOURS },
    embeddingBudget: {
      pricePerMillionTokens: v.EMBEDDING_PRICE_PER_MILLION_TOKENS,
      maxCachedVectors: v.EMBEDDING_CACHE_MAX_ENTRIES,
    },
    gitlab: arrangeGitLab(v),
    secrets: { policy: v.SECRETS_POLICY },
    chunking: { size: v.CHUNK_SIZE, overlap: v.CHUNK_OVERLAP, maxFileBytes: v.MAX_FILE_BYTES },
    schedule: { pollSeconds: v.SCHEDULE_POLL_SECONDS, misfireGraceSeconds: v.MISFIRE_GRACE_SECONDS },
    worker: arrangeWorker(v),
    lease: {
      ttlSeconds: v.LEASE_TTL_SECONDS,
      renewSeconds: v.LEASE_RENEW_SECONDS,
      reaperIntervalSeconds: v.REAPER_INTERVAL_SECONDS,
    },
    shutdown: { graceSeconds: v.SHUTDOWN_GRACE_SECONDS },
    http: { host: v.HOST, port: v.PORT, rateLimitPerMinute: v.API_RATE_LIMIT_PER_MINUTE },
    auth: arrangeAuth(v),
    history: { retentionDays: v.EXECUTION_RETENTION_DAYS, retentionMinRows: v.EXECUTION_RETENTION_MIN_ROWS },
    log: { level: v.LOG_LEVEL, format: v.LOG_FORMAT ?? (machine.isTerminal ? 'pretty' : 'json') },
    tracing: arrangeTracing(v),
  };
}

function arrangeKubernetes(v: Values): Config['kubernetes'] {
  return {
    serviceHost: v.KUBERNETES_SERVICE_HOST,
    servicePort: v.KUBERNETES_SERVICE_PORT,
    serviceAccountDir: v.KUBERNETES_SERVICE_ACCOUNT_DIR,
    labelSelector: v.POD_LABEL_SELECTOR,
  };
}

function arrangeGitLab(v: Values): Config['gitlab'] {
  return {
    url: v.GITLAB_URL,
    token: v.GITLAB_TOKEN,
    webhookSecret: v.GITLAB_WEBHOOK_SECRET,
    webhookDebounceSeconds: v.WEBHOOK_DEBOUNCE_SECONDS,
    timeoutSeconds: v.GITLAB_TIMEOUT_SECONDS,
    concurrency: v.GITLAB_CONCURRENCY,
    allowedHosts: v.OUTGOING_ALLOWED_HOSTS,
    requestsPerMinute: v.GITLAB_REQUESTS_PER_MINUTE,
    filesPerMinute: v.GITLAB_FILES_PER_MINUTE,
    archivesPerMinute: v.GITLAB_ARCHIVES_PER_MINUTE,
  };
}

function arrangeAuth(v: Values): Config['auth'] {
  return {
    adminToken: v.REPOTIDE_ADMIN_TOKEN,
    encryptionKey: v.REPOTIDE_ENCRYPTION_KEY,
    previousEncryptionKey: v.REPOTIDE_ENCRYPTION_KEY_PREVIOUS,
    oidc: arrangeOidc(v),
  };
}

function arrangeWorker(v: Values): Config['worker'] {
  return {
    concurrency: v.WORKER_CONCURRENCY,
    maxRunSeconds: v.MAX_RUN_SECONDS,
    failureThresholdPercent: v.RUN_FAILURE_THRESHOLD_PERCENT,
    timeBudgetSeconds: v.RUN_TIME_BUDGET_SECONDS,
  };
}

function arrangeOidc(v: Values): OidcConfig | undefined {
  if (v.OIDC_ISSUER === undefined || v.OIDC_AUDIENCE === undefined) return undefined;
  const pairs = v.OIDC_ROLE_MAP.split(',').map((pair) => pair.split('=') as [string, OidcRole]);
  return {
    issuer: v.OIDC_ISSUER,
    audience: v.OIDC_AUDIENCE,
    jwksUrl: v.OIDC_JWKS_URL,
    roleClaim: v.OIDC_ROLE_CLAIM.split('.'),
    roleByValue: Object.fromEntries(pairs.map(([value, role]) => [value.trim(), role])),
  };
}

function arrangeTracing(v: Values): TracingConfig | undefined {
  if (v.OTEL_SDK_DISABLED === 'true' || v.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const base = v.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = v.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  if (url === undefined) return undefined;
  const pairs = (v.OTEL_EXPORTER_OTLP_HEADERS?.split(',') ?? []).map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
    return [name, decodeLeniently(value)];
  });
  const headers = Object.fromEntries(pairs) as Record<string, string>;
  return { url, headers, serviceName: v.OTEL_SERVICE_NAME };
}

function decodeLeniently(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function arrangeRedis(v: Values): RedisConfig | undefined {
  const fromParts = v.REDIS_HOST && `redis://${v.REDIS_HOST}:${v.REDIS_PORT}/${v.REDIS_DB}`;
  const urls = v.REDIS_URL ?? (fromParts ? [fromParts] : []);
  if (urls.length === 0) return undefined;
  return { urls: urls.map((url) => withPassword(url, v.REDIS_PASSWORD)), keyPrefix: v.REDIS_KEY_PREFIX };
}

function withPassword(value: string, password: string | undefined): string {
  const url = new URL(value);
  if (password === undefined || url.password !== '') return value;
  url.password = encodeURIComponent(password);
  return url.href;
}

function arrangeEmbedding(v: Values): Config['embedding'] {
  const url = v.EMBEDDING_URL;
  if (v.EMBEDDING_PROVIDER === 'lexical' || url === undefined) {
    return { provider: 'lexical', dimensions: v.EMBEDDING_DIMENSIONS };
  }
  return {
    provider: 'openai',
    url,
    model: v.EMBEDDING_MODEL,
    apiKey: v.EMBEDDING_API_KEY,
    dimensions: v.EMBEDDING_DIMENSIONS,
    maxInputTokens: v.EMBEDDING_MAX_INPUT_TOKENS,
    ...embeddingLimits(v),
  };
}

/** Length and limit of the former model are recorded with what it made. */
function arrangePreviousEmbedding(v: Values): OpenAiEmbeddingConfig | undefined {
  const model = v.EMBEDDING_PREVIOUS_MODEL;
  const url = v.EMBEDDING_PREVIOUS_URL ?? v.EMBEDDING_URL;
  if (model === undefined || url === undefined) return undefined;
  const sameServerKey = url === v.EMBEDDING_URL ? v.EMBEDDING_API_KEY : undefined;
  const apiKey = v.EMBEDDING_PREVIOUS_API_KEY ?? sameServerKey;
  return {
    provider: 'openai',
    ...{ url, model, apiKey, dimensions: undefined, maxInputTokens: undefined },
    ...embeddingLimits(v),
  };
}

function embeddingLimits(
  v: Values,
): Pick<OpenAiEmbeddingConfig, 'batchSize' | 'concurrency' | 'requestsPerMinute' | 'timeoutSeconds'> {
  return {
    batchSize: v.EMBEDDING_BATCH_SIZE,
    concurrency: v.EMBEDDING_CONCURRENCY,
    requestsPerMinute: v.EMBEDDING_REQUESTS_PER_MINUTE,
    timeoutSeconds: v.EMBEDDING_TIMEOUT_SECONDS,
  };
}
