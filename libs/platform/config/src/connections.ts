import { choice, connectionUrl, connectionUrls, decimal, hosts, httpUrl, integer, text } from './variable.js';

const HEADER_SAFE = /^[\x21-\x7e]+$/;
const HEADER_SAFE_WORDS = 'printable characters without spaces';

export const postgres = {
  DATABASE_URL: connectionUrl(['postgres:', 'postgresql:'], {
    description: 'The Postgres database. Required in distributed mode.',
    defaultNote: 'embedded Postgres under `REPOTIDE_DATA_DIR`',
    secret: true,
    example: 'postgres://repotide:<password>@postgres:5432/repotide',
  }),
  DATABASE_POOL_SIZE: integer(2, 200, {
    description: 'Most connections that one process opens to Postgres.',
    default: 10,
  }),
};

export const redis = {
  REDIS_URL: connectionUrls(['redis:', 'rediss:'], {
    description:
      'Redis. Setting it, or `REDIS_HOST`, chooses distributed mode. Several URLs hold each lease by quorum (Redlock); the first also carries queue and progress.',
    defaultNote: 'standalone mode',
    secret: true,
    example: 'redis://redis:6379/0',
  }),
  REDIS_HOST: text(
    /^[^\s/:@]+$|^\[[0-9a-fA-F:.]+\]$/,
    'a host name or IP address (IPv6 in brackets) without scheme and port',
    {
      description: 'Host of Redis, for those who set its parts one by one. Not read when `REDIS_URL` is set.',
      example: 'redis',
    },
  ),
  REDIS_PORT: integer(1, 65535, { description: 'Port at `REDIS_HOST`.', default: 6379 }),
  REDIS_PASSWORD: text(/^.+$/, 'a password', {
    description: 'Password of Redis at `REDIS_HOST`, and of each `REDIS_URL` that holds none.',
    secret: true,
  }),
  REDIS_DB: integer(0, 1024, { description: 'Number of the database at `REDIS_HOST`.', default: 0 }),
  REDIS_KEY_PREFIX: text(/^[\w.-]+$/, "letters, digits, '_', '.' and '-'", {
    description: 'Begins every key, so that several installations can share one Redis.',
    default: 'repotide',
  }),
};

export const qdrant = {
  QDRANT_URL: httpUrl({
    description: 'The Qdrant server. Required in distributed mode.',
    defaultNote: 'vectors in Postgres, exact search, for up to about 100,000 chunks',
    example: 'http://qdrant:6333',
  }),
  QDRANT_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, { description: 'API key of Qdrant.', secret: true }),
};

export const embedding = {
  EMBEDDING_PROVIDER: choice(['openai', 'lexical'], {
    description:
      'Who makes the vectors: a server that speaks the OpenAI API, or the built-in lexical embedder (offline, matches words rather than meaning).',
    defaultNote:
      '`openai` when `EMBEDDING_URL` is set, else `lexical` in standalone mode; distributed mode must name it',
  }),
  EMBEDDING_URL: httpUrl({
    description: 'Base URL of an OpenAI-compatible server, with its `/v1`.',
    example: 'https://api.openai.com/v1',
  }),
  EMBEDDING_MODEL: text(/^\S+$/, 'a model name without spaces', {
    description: 'Model that the embedding server is asked for.',
    default: 'text-embedding-3-small',
  }),
  EMBEDDING_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description: 'API key of the embedding server.',
    secret: true,
  }),
  EMBEDDING_DIMENSIONS: integer(1, 65536, {
    description:
      'Length of the vectors. Changing it, or the model, builds the index anew beside the one that searches use.',
    defaultNote: "known models: the model's own; other models: asked of the server once; lexical: 384",
    example: '1024',
  }),
  EMBEDDING_MAX_INPUT_TOKENS: integer(16, 10_000_000, {
    description: 'Longest input that the model takes.',
    defaultNote: "known models: the model's own; others: no limit",
    example: '8191',
  }),
  EMBEDDING_PREVIOUS_MODEL: text(/^\S+$/, 'a model name without spaces', {
    description:
      'While the index is rebuilt for another `EMBEDDING_MODEL`: the model that it was made with, where the server at `EMBEDDING_URL` does not serve both.',
    defaultNote: 'the former model is asked of the server that made the index, by its name',
  }),
  EMBEDDING_PREVIOUS_URL: httpUrl({
    description: 'The server of `EMBEDDING_PREVIOUS_MODEL`, with its `/v1`.',
    defaultNote: '`EMBEDDING_URL`',
    example: 'http://embeddings-former:8080/v1',
  }),
  EMBEDDING_PREVIOUS_API_KEY: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description: 'API key of the server at `EMBEDDING_PREVIOUS_URL`.',
    defaultNote: '`EMBEDDING_API_KEY` when it is the same server',
    secret: true,
  }),
  EMBEDDING_BATCH_SIZE: integer(1, 2048, {
    description:
      'Most texts in one embedding request; Text Embeddings Inference takes 32 unless told otherwise.',
    default: 32,
  }),
  EMBEDDING_CONCURRENCY: integer(1, 64, {
    description:
      'Embedding requests under way at once, of all pods together. Raise it with what the server can take.',
    default: 4,
  }),
  EMBEDDING_REQUESTS_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Most embedding requests in any minute, of all pods together. 0: as many as the server takes; what it says of its limits counts in any case.',
    default: 0,
  }),
  // At most what Node's fetch waits by itself.
  EMBEDDING_TIMEOUT_SECONDS: integer(1, 300, {
    description: 'Time limit of one embedding request.',
    default: 60,
  }),
  EMBEDDING_PRICE_PER_MILLION_TOKENS: decimal({
    description: 'Price of a million input tokens, in any currency: dry runs tell what a sync would cost.',
    defaultNote: 'no cost is told',
    example: '0.02',
  }),
  EMBEDDING_CACHE_MAX_ENTRIES: integer(0, 100_000_000, {
    description:
      'Vectors kept in Postgres so that equal text is embedded once; those unused for longest leave first. 1,536 dimensions take about 6 KB each. 0 keeps none.',
    default: 200_000,
  }),
};

export const gitlab = {
  GITLAB_URL: httpUrl({
    description: 'The GitLab host of repositories that name none.',
    default: 'https://gitlab.com',
  }),
  OUTGOING_ALLOWED_HOSTS: hosts({
    description:
      "Which hosts a `base_url` that comes through the API may name, beside that of `GITLAB_URL`: `public` for every address of the internet, host names, `*.example.com`, addresses, networks. Checked again on each connection's address.",
    default: ['public'],
    example: 'public,gitlab.internal,10.20.0.0/16',
  }),
  GITLAB_TOKEN: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description:
      'Access token with the scope `read_api`, for repositories without a credential of their own. Public projects need none.',
    secret: true,
  }),
  GITLAB_WEBHOOK_SECRET: text(HEADER_SAFE, HEADER_SAFE_WORDS, {
    description:
      "Secret token of the webhooks in GitLab, or their signing token, by which their events are known to be GitLab's.",
    defaultNote: 'webhooks are refused',
    secret: true,
  }),
  WEBHOOK_DEBOUNCE_SECONDS: integer(0, 3600, {
    description: 'Time from a push to the sync that it asks for; the pushes in between share it.',
    default: 120,
  }),
  GITLAB_TIMEOUT_SECONDS: integer(1, 3600, { description: 'Time limit of one GitLab request.', default: 30 }),
  GITLAB_CONCURRENCY: integer(1, 64, {
    description: 'Requests under way at once to one GitLab host, of all pods together.',
    default: 8,
  }),
  // gitlab.com grants 2,000 to a user and to an address; people behind the same address need some.
  GITLAB_REQUESTS_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Most requests to one GitLab host in any minute, of all pods together. 0: as many as it takes; what it says of its limits (`RateLimit-*`, `Retry-After`) counts in any case.',
    default: 1500,
  }),
  // GitLab's own limit, which no header tells.
  GITLAB_ARCHIVES_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Most archives of one project in any minute, of all pods together. GitLab allows 5; 0: no limit of our own.',
    default: 5,
  }),
  GITLAB_FILES_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Most single files from one GitLab host in any minute, within `GITLAB_REQUESTS_PER_MINUTE`. 0: no other limit than that.',
    default: 0,
  }),
};
