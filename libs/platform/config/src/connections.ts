import { problemOfCollectionOptions } from './collection-options.js';
import {
  checkedText,
  choice,
  connectionUrl,
  hosts,
  httpUrl,
  integer,
  redisUrls,
  strongSecret,
  text,
} from './variable.js';

const HEADER_SAFE = /^[\x21-\x7e]+$/;
const HEADER_SAFE_WORDS = 'printable characters without spaces';

/** Directory of the certificates for one server. */
function tlsDirectory(server: string, url: string) {
  return text(/^\S.*$/, 'the path of a directory', {
    description: `Directory with \`tls.crt\` and \`tls.key\`, the client certificate for ${server}, and \`ca.crt\`, the authorities that may sign the certificate of the server; [renewed files](access.md#client-certificates) are used without a restart. Needs TLS in \`${url}\`.`,
    defaultNote: 'no client certificate; authorities that Node.js trusts, and `NODE_EXTRA_CA_CERTS`',
  });
}

/** Every installation with its own servers sets these. */
export const stores = {
  DATABASE_URL: connectionUrl(['postgres:', 'postgresql:'], {
    description: 'The Postgres database. Required in distributed mode.',
    defaultNote: 'embedded Postgres under `REPOTIDE_DATA_DIR`',
    secret: true,
    example: 'postgres://repotide:<password>@postgres:5432/repotide',
  }),
  DATABASE_TLS_DIR: tlsDirectory('Postgres', 'DATABASE_URL'),
  REDIS_URL: redisUrls({
    description:
      'Redis. This variable or `REDIS_HOST` selects distributed mode. With several URLs, leases need a quorum (Redlock); the first server also has the leadership, the rate limits and the progress. `rediss://` uses TLS. `redis+sentinel://host:26379,host:26379/master-name/0` (`rediss+sentinel://` with TLS) asks Sentinels for the primary; `?sentinel_password=` is theirs.',
    defaultNote: 'standalone mode',
    secret: true,
    example: 'redis://redis:6379/0',
  }),
  REDIS_HOST: text(
    /^[^\s/:@]+$|^\[[0-9a-fA-F:.]+\]$/,
    'a host name or IP address (IPv6 in brackets) without scheme and port',
    {
      description: 'Host of Redis, as an alternative to `REDIS_URL`. Ignored when that is set.',
      example: 'redis',
    },
  ),
  REDIS_PORT: integer(1, 65535, { description: 'Port at `REDIS_HOST`.', default: 6379 }),
  REDIS_PASSWORD: text(/^.+$/, 'a password', {
    description: 'Password of Redis at `REDIS_HOST`, and of each `REDIS_URL` without one.',
    secret: true,
  }),
  REDIS_DB: integer(0, 1024, { description: 'Number of the database at `REDIS_HOST`.', default: 0 }),
  REDIS_TLS_DIR: tlsDirectory('Redis and its Sentinels', 'REDIS_URL'),
  REDIS_KEY_PREFIX: text(/^[\w.-]+$/, "letters, digits, '_', '.' and '-'", {
    description: 'Prefix of every key, so that several installations can share one Redis.',
    default: 'repotide',
  }),
  QDRANT_URL: httpUrl({
    description: 'The Qdrant server. Required in distributed mode.',
    defaultNote: 'vectors in Postgres, exact search, for up to about 100,000 chunks',
    example: 'http://qdrant:6333',
  }),
  QDRANT_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, { description: 'API key of Qdrant.', secret: true }),
  QDRANT_TLS_DIR: tlsDirectory('Qdrant', 'QDRANT_URL'),
  QDRANT_COLLECTION_OPTIONS: checkedText(
    problemOfCollectionOptions,
    'a JSON object with the fields shard_number, replication_factor, write_consistency_factor, on_disk_payload, vectors.on_disk, hnsw_config, quantization_config, optimizers_config or is_tenant',
    {
      description:
        'Shape of the collections that Repotide makes in Qdrant, with the fields of Qdrant\'s "create collection", and `is_tenant` of the payload index on `repository_id` (default true). Existing collections stay as they are; a reindex uses the new shape. A collection that was made beforehand keeps its own.',
      defaultNote: "Qdrant's own defaults",
      example:
        '{"replication_factor":2,"shard_number":3,"vectors":{"on_disk":true},"quantization_config":{"scalar":{"type":"int8"}}}',
    },
  ),
};

export const embedding = {
  EMBEDDING_URL: httpUrl({
    description: 'Base URL of an OpenAI-compatible server, with its `/v1`.',
    example: 'https://api.openai.com/v1',
  }),
  EMBEDDING_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description: 'API key of the embedding server.',
    secret: true,
  }),
  EMBEDDING_TLS_DIR: tlsDirectory('the embedding server', 'EMBEDDING_URL'),
  EMBEDDING_MODEL: text(/^\S+$/, 'a model name without spaces', {
    description: 'Model of the embedding server. A change builds a new index beside the old one.',
    default: 'text-embedding-3-small',
  }),
  EMBEDDING_DIMENSIONS: integer(1, 65536, {
    description: 'Length of the vectors. A change builds a new index beside the old one.',
    defaultNote: "the model's length; for an unknown model the server is probed once; lexical: 384",
    example: '1024',
  }),
  EMBEDDING_MAX_INPUT_TOKENS: integer(16, 10_000_000, {
    description: 'Longest input that the model accepts.',
    defaultNote: "known models: the model's own limit; others: no limit",
    example: '8191',
  }),
  EMBEDDING_PREFIXES: choice(['auto', 'none'], {
    description:
      'Whether queries and texts begin with the words that the model was trained with, such as `query: `; known for e5, bge, nomic, qwen3, mxbai, arctic and gemma. `none` for a server that adds them. A change builds a new index beside the old one.',
    default: 'auto',
  }),
  EMBEDDING_PROVIDER: choice(['openai', 'lexical'], {
    description:
      'Source of the vectors: a server with the OpenAI API, or the built-in lexical embedder (offline; it matches words, not meaning).',
    defaultNote:
      '`openai` when `EMBEDDING_URL` is set, else `lexical` in standalone mode; required in distributed mode without `EMBEDDING_URL`',
  }),
  EMBEDDING_PREVIOUS_URL: connectionUrl(['http:', 'https:'], {
    description:
      'Server of the former model, with its `/v1`, so that searches keep working while the index is rebuilt for another model. Put an API key before the host: `https://:<key>@host/v1`.',
    defaultNote: '`EMBEDDING_URL`, if that server built the former index',
    secret: true,
    example: 'http://embeddings-former:8080/v1',
  }),
  EMBEDDING_BATCH_SIZE: integer(1, 2048, {
    description:
      'Maximum number of texts in one embedding request. Text Embeddings Inference accepts 32 by default.',
    default: 32,
  }),
  EMBEDDING_CONCURRENCY: integer(1, 64, {
    description:
      'Concurrent embedding requests of all pods together. Raise it with the capacity of the server.',
    default: 4,
  }),
  EMBEDDING_CACHE_MAX_ENTRIES: integer(0, 100_000_000, {
    description:
      'Vectors cached in Postgres, so that equal text is embedded once. The least recently used are evicted first. A vector of 1,536 dimensions takes about 6 KB. 0 disables the cache.',
    default: 200_000,
  }),
};

export const reranking = {
  RERANK_URL: httpUrl({
    description:
      'Base URL of a server with `POST /rerank`, up to where `/rerank` follows. Searches by meaning send it the query and parts of their best hits, and use its order.',
    defaultNote: 'hits keep the order of the search',
    example: 'http://reranker:8080',
  }),
  RERANK_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description: 'API key of the reranker.',
    secret: true,
  }),
  RERANK_TLS_DIR: tlsDirectory('the reranker', 'RERANK_URL'),
  RERANK_MODEL: text(/^\S+$/, 'a model name without spaces', {
    description:
      'Model of the reranker, for a server with the API of Cohere and Jina (vLLM, Infinity, LiteLLM).',
    defaultNote: 'none is sent: the API of Text Embeddings Inference, which has one model',
    example: 'jina-reranker-v2-base-multilingual',
  }),
  RERANK_CANDIDATES: integer(2, 100, {
    description:
      'Hits that the reranker orders; the others follow them. Text Embeddings Inference accepts 32 by default.',
    default: 32,
  }),
  RERANK_MAX_CHARACTERS: integer(100, 100_000, {
    description: 'Characters of each hit that are sent: those around the lines that match best.',
    default: 1500,
  }),
  RERANK_TIMEOUT_MS: integer(50, 60_000, {
    description: 'How long a search waits for the reranker. Then it answers in the order without it.',
    default: 1000,
  }),
};

export const gitlab = {
  GITLAB_URL: httpUrl({
    description: 'GitLab host of repositories without `base_url`.',
    default: 'https://gitlab.com',
  }),
  GITLAB_TLS_DIR: tlsDirectory('the GitLab host', 'GITLAB_URL'),
  GITLAB_TOKEN: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description:
      'Access token with the scope `read_api`, for repositories without a credential. Public projects need none.',
    secret: true,
  }),
  GITLAB_WEBHOOK_SECRET: strongSecret({
    description: 'Secret token or signing token of the webhooks in GitLab. It authenticates their events.',
    defaultNote: 'webhooks are refused',
    secret: true,
  }),
  WEBHOOK_DEBOUNCE_SECONDS: integer(0, 3600, {
    description: 'Time from a push to its sync; pushes in between share that sync.',
    default: 120,
  }),
  SOURCE_TRANSPORT: choice(['auto', 'rest'], {
    description:
      "How trees and contents are read. `auto` uses git's own protocol with the token of the repository, and the REST API where the host or the token does not allow that; an execution's `fetch_strategy` says which and why. `rest` never uses git.",
    default: 'auto',
  }),
  GIT_CACHE_MAX_BYTES: integer(0, 1_099_511_627_776, {
    description:
      'Objects read through git that a pod keeps in its temporary directory between runs, so that a push transfers only what is new. The least recently used projects are removed first. 0 keeps nothing.',
    default: 536_870_912,
  }),
  // gitlab.com allows 2,000 per user and per address; other users of the same address need a part.
  GITLAB_REQUESTS_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Maximum number of requests to one GitLab host in any minute, of all pods together. 0: no configured limit. `RateLimit-*` and `Retry-After` headers of the host always apply.',
    default: 1500,
  }),
  GITLAB_CONCURRENCY: integer(1, 64, {
    description: 'Concurrent requests to one GitLab host, of all pods together.',
    default: 8,
  }),
  OUTGOING_ALLOWED_HOSTS: hosts({
    description:
      'Servers that a `base_url` or a webhook for events in the API may name, besides that of `GITLAB_URL`: `public` for every address of the internet, host names, `*.example.com`, addresses, networks. Tokens are sent over https only, unless `http://` is before the host. Without a port (`:8443`, `:*` for every one) an entry allows the port of its scheme. The address of each connection is checked too.',
    default: ['public'],
    example: 'public,gitlab.internal:8443,10.20.0.0/16,http://gitlab.lab:8080',
  }),
};
