import { resolve } from 'node:path';
import { parseCollectionOptions } from './collection-options.js';
import { type Values } from './variables.js';

export type ProcessRole = Values['REPOTIDE_ROLES'][number];

/** Exact search in Postgres and an in-process queue, or Redis, Qdrant and any number of pods. */
export type Mode = 'standalone' | 'distributed';

/** Facts outside the environment on which defaults depend. */
export interface Machine {
  hostname: string;
  isTerminal: boolean;
  workingDirectory: string;
}

export type OpenAiEmbeddingConfig = Extract<ReturnType<typeof arrangeEmbedding>, { provider: 'openai' }>;
export type LexicalEmbeddingConfig = Extract<ReturnType<typeof arrangeEmbedding>, { provider: 'lexical' }>;
export type RedisConfig = DeepReadonly<NonNullable<ReturnType<typeof arrangeRedis>>>;
export type OidcConfig = DeepReadonly<NonNullable<ReturnType<typeof arrangeOidc>>>;
export type SignInConfig = DeepReadonly<NonNullable<ReturnType<typeof arrangeSignIn>>>;
type OidcRole = 'viewer' | 'operator' | 'admin';

/** The typed, complete, checked and frozen configuration, grouped by its readers. */
export type Config = DeepReadonly<ReturnType<typeof arrange>> & {
  /** Sentences to log at start: misspelt variables, settings without effect. */
  readonly warnings: readonly string[];
  /** Values by variable name with secrets masked; read it through `describeConfig`. */
  readonly description: Readonly<Record<string, string>>;
};

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** Groups the valid values of the variables by their readers. */
export function arrange(v: Values, mode: Mode, machine: Machine) {
  const [encryptionKey, previousEncryptionKey] = v.REPOTIDE_ENCRYPTION_KEY?.split(/\s*,\s*/) ?? [];
  return {
    mode,
    roles: v.REPOTIDE_ROLES,
    dataDir: resolve(machine.workingDirectory, v.REPOTIDE_DATA_DIR),
    // ':' separates the parts of a lease's value, so a pod's name must not contain one.
    pod: { name: v.POD_NAME ?? machine.hostname.replace(/[^\w.-]/g, '-'), namespace: v.POD_NAMESPACE },
    /** Without a URL: embedded Postgres. */
    postgres: { url: v.DATABASE_URL, tlsDir: v.DATABASE_TLS_DIR, poolSize: v.WORKER_CONCURRENCY + 5 },
    /** Present in distributed mode, absent in standalone mode. */
    redis: arrangeRedis(v),
    /** Without a URL: vectors in Postgres. */
    qdrant: {
      url: v.QDRANT_URL,
      apiKey: v.QDRANT_API_KEY,
      tlsDir: v.QDRANT_TLS_DIR,
      collectionOptions: parseCollectionOptions(v.QDRANT_COLLECTION_OPTIONS ?? '{}'),
    },
    embedding: arrangeEmbedding(v),
    /** Server of the active index's model while the index is rebuilt with another model. */
    previousEmbedding: arrangePreviousEmbedding(v),
    embeddingCache: { maxVectors: v.EMBEDDING_CACHE_MAX_ENTRIES },
    /** Undefined: hits keep the order of the search. */
    reranking: arrangeReranking(v),
    gitlab: {
      url: v.GITLAB_URL,
      token: v.GITLAB_TOKEN,
      tlsDir: v.GITLAB_TLS_DIR,
      webhookSecret: v.GITLAB_WEBHOOK_SECRET,
      webhookDebounceSeconds: v.WEBHOOK_DEBOUNCE_SECONDS,
      timeoutSeconds: v.REQUEST_TIMEOUT_SECONDS,
      transport: v.SOURCE_TRANSPORT,
      /** 0: nothing is kept. */
      cacheMaxBytes: v.GIT_CACHE_MAX_BYTES,
      concurrency: v.GITLAB_CONCURRENCY,
      /** In the syntax of the adapter's `OutgoingHosts`. */
      allowedHosts: v.OUTGOING_ALLOWED_HOSTS,
      /** 0: no limit of our own. */
      requestsPerMinute: v.GITLAB_REQUESTS_PER_MINUTE,
    },
    secrets: { policy: v.SECRETS_POLICY },
    chunking: { size: v.CHUNK_SIZE, overlap: v.CHUNK_OVERLAP, maxFileBytes: v.MAX_FILE_BYTES },
    schedule: { pollSeconds: v.SCHEDULE_POLL_SECONDS, misfireGraceSeconds: v.MISFIRE_GRACE_SECONDS },
    worker: { concurrency: v.WORKER_CONCURRENCY, maxRunSeconds: v.MAX_RUN_SECONDS },
    lease: {
      ttlSeconds: v.LEASE_TTL_SECONDS,
      renewSeconds: v.LEASE_RENEW_SECONDS,
      reaperIntervalSeconds: v.REAPER_INTERVAL_SECONDS,
    },
    shutdown: { graceSeconds: v.SHUTDOWN_GRACE_SECONDS },
    http: {
      host: v.HOST,
      port: v.PORT,
      rateLimitPerMinute: v.API_RATE_LIMIT_PER_MINUTE,
      trustedProxies: v.TRUSTED_PROXIES ?? [],
      showsDocs: v.API_DOCS === 'on',
    },
    /** Without a port: at the port of the API. Without a token: open. */
    metrics: { port: v.METRICS_PORT, token: v.METRICS_TOKEN },
    auth: {
      adminToken: v.REPOTIDE_ADMIN_TOKEN,
      /** 0: no limit. */
      tokenMaxDays: v.API_TOKEN_MAX_DAYS,
      encryptionKey,
      previousEncryptionKey,
      /** Undefined: API tokens only. */
      oidc: arrangeOidc(v),
      /** Undefined: people cannot sign in. */
      signIn: arrangeSignIn(v),
      /** How long a right at GitLab is kept. */
      membershipSeconds: v.GITLAB_MEMBERSHIP_SECONDS,
    },
    audit: { retentionDays: v.AUDIT_RETENTION_DAYS, isPrinted: v.AUDIT_STDOUT === 'on' },
    verification: { intervalDays: v.VERIFY_INTERVAL_DAYS },
    freshness: { targetSeconds: v.FRESHNESS_TARGET_SECONDS },
    declared: {
      /** Undefined: nothing is declared. */
      path: v.DECLARED_RESOURCES,
      mode: v.DECLARED_RESOURCES_MODE,
      everySeconds: v.DECLARED_RESOURCES_SECONDS,
    },
    history: { retentionDays: v.EXECUTION_RETENTION_DAYS },
    log: { level: v.LOG_LEVEL, format: machine.isTerminal ? ('pretty' as const) : ('json' as const) },
  };
}

function arrangeOidc(v: Values) {
  const issuer = issuerOf(v);
  if (issuer === undefined) return undefined;
  const pairs = v.OIDC_ROLE_MAP.split(',').map((pair) => pair.split('=') as [string, OidcRole]);
  return {
    /** As in the `iss` claim. */
    issuer,
    /** Undefined: JSON web tokens are refused. */
    audience: v.OIDC_AUDIENCE,
    /** Names of nested claims, outermost first. */
    roleClaim: v.OIDC_ROLE_CLAIM.split('.'),
    /** Without a value in the map; null: the caller is refused. */
    defaultRole: v.OIDC_DEFAULT_ROLE === 'none' ? null : v.OIDC_DEFAULT_ROLE,
    /** The claim with the number at GitLab, like `roleClaim`; null: rights at GitLab are not checked. */
    memberClaim: v.GITLAB_MEMBERSHIP === 'on' ? (v.GITLAB_USER_CLAIM ?? 'sub').split('.') : null,
    roleByValue: Object.fromEntries(pairs.map(([value, role]) => [value.trim(), role])),
    /** The claim with the scope, like `roleClaim`; null: callers see everything. */
    scopeClaim: v.OIDC_SCOPE_CLAIM?.split('.') ?? null,
    /** Null: the values are themselves paths of groups. */
    patternsByValue: v.OIDC_SCOPE_MAP ? pairsOf(v.OIDC_SCOPE_MAP) : null,
  };
}

function arrangeSignIn(v: Values) {
  const issuer = issuerOf(v);
  if (v.OIDC_CLIENT_ID === undefined || v.PUBLIC_URL === undefined || issuer === undefined) return undefined;
  return {
    clientId: v.OIDC_CLIENT_ID,
    clientSecret: v.OIDC_CLIENT_SECRET,
    scope: v.OIDC_SIGN_IN_SCOPE,
    /** Without a trailing slash. */
    publicUrl: v.PUBLIC_URL,
    /** As people know it. */
    provider: issuer === v.GITLAB_URL ? 'GitLab' : new URL(issuer).host,
    idleSeconds: v.SESSION_IDLE_MINUTES * 60,
    lifeSeconds: v.SESSION_MAX_HOURS * 3600,
  };
}

/** GitLab is a provider itself, so that its address suffices. */
function issuerOf(v: Values): string | undefined {
  return v.OIDC_ISSUER ?? (v.OIDC_CLIENT_ID === undefined ? undefined : v.GITLAB_URL);
}

function pairsOf(list: string): [string, string][] {
  return list.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
}

function arrangeRedis(v: Values) {
  const scheme = v.REDIS_TLS_DIR === undefined ? 'redis' : 'rediss';
  const fromParts = v.REDIS_HOST && `${scheme}://${v.REDIS_HOST}:${v.REDIS_PORT}/${v.REDIS_DB}`;
  const urls = v.REDIS_URL ?? (fromParts ? [fromParts] : []);
  if (urls.length === 0) return undefined;
  return {
    /** Include passwords. The first has queue and progress; all have leases. Never empty. */
    urls: urls.map((url) => withPassword(url, v.REDIS_PASSWORD)),
    keyPrefix: v.REDIS_KEY_PREFIX,
    tlsDir: v.REDIS_TLS_DIR,
  };
}

function withPassword(value: string, password: string | undefined): string {
  if (password !== undefined && /^rediss?\+sentinel:/.test(value) && !value.includes('@'))
    return value.replace('//', `//:${encodeURIComponent(password)}@`);
  if (!URL.canParse(value)) return value;
  const url = new URL(value);
  if (password === undefined || url.password !== '') return value;
  url.password = encodeURIComponent(password);
  return url.href;
}

function arrangeEmbedding(v: Values) {
  const dimensions = v.EMBEDDING_DIMENSIONS;
  const url = v.EMBEDDING_URL;
  if (v.EMBEDDING_PROVIDER === 'lexical' || url === undefined)
    return { provider: 'lexical' as const, dimensions };
  const usesPrefixes = v.EMBEDDING_PREFIXES === 'auto';
  const limits = { dimensions, maxInputTokens: v.EMBEDDING_MAX_INPUT_TOKENS, usesPrefixes };
  return { ...openAiServer(v, url, v.EMBEDDING_API_KEY), model: v.EMBEDDING_MODEL, ...limits };
}

/** The index records the name, length and limit of the model that made it. */
function arrangePreviousEmbedding(v: Values) {
  if (v.EMBEDDING_PREVIOUS_URL === undefined) return undefined;
  const url = new URL(v.EMBEDDING_PREVIOUS_URL);
  const key = decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  const server = openAiServer(v, url.href.replace(/\/+$/, ''), key === '' ? undefined : key);
  return { ...server, dimensions: undefined, maxInputTokens: undefined, usesPrefixes: true };
}

function arrangeReranking(v: Values) {
  if (v.RERANK_URL === undefined) return undefined;
  return {
    /** Without a trailing slash. */
    url: v.RERANK_URL,
    apiKey: v.RERANK_API_KEY,
    tlsDir: v.RERANK_TLS_DIR,
    model: v.RERANK_MODEL,
    candidates: v.RERANK_CANDIDATES,
    maxCharacters: v.RERANK_MAX_CHARACTERS,
    timeoutMs: v.RERANK_TIMEOUT_MS,
  };
}

function openAiServer(v: Values, url: string, apiKey: string | undefined) {
  return {
    provider: 'openai' as const,
    /** Without a trailing slash. */
    url,
    apiKey,
    tlsDir: v.EMBEDDING_TLS_DIR,
    batchSize: v.EMBEDDING_BATCH_SIZE,
    concurrency: v.EMBEDDING_CONCURRENCY,
    timeoutSeconds: v.REQUEST_TIMEOUT_SECONDS,
  };
}
