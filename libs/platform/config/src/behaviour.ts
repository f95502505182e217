import { choice, connectionUrl, integer, setOf, text } from './variable.js';

export const service = {
  REPOTIDE_ROLES: setOf(['api', 'scheduler', 'worker'], {
    description: 'What this process does, so that one image can run as separate Deployments.',
    default: ['api', 'scheduler', 'worker'],
  }),
  REPOTIDE_DATA_DIR: text(/^[^\0]+$/, 'a folder', {
    description: 'Folder of embedded Postgres and of generated secrets; relative to the working folder.',
    default: '.repotide',
  }),
  POD_NAME: text(/^[\w.-]{1,253}$/, "up to 253 letters, digits, '.', '_' and '-'", {
    description: 'Owner of leases and executions; unique among all pods.',
    defaultNote: 'the host name',
  }),
  POD_NAMESPACE: text(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a Kubernetes namespace', {
    description: 'Namespace in which to watch for pods that are gone.',
    defaultNote: 'pods are not watched',
    example: 'repotide',
  }),
  POD_LABEL_SELECTOR: text(/^[\w./=,!() -]{1,1000}$/, 'a Kubernetes label selector', {
    description: 'Which pods of the namespace share the work.',
    default: 'app.kubernetes.io/name=repotide',
    example: 'app.kubernetes.io/instance=my-release',
  }),
  KUBERNETES_SERVICE_HOST: text(/^[\w.:-]{1,253}$/, 'a host name or address', {
    description: 'Address of the API of the cluster; given by Kubernetes to every container.',
    defaultNote: 'outside of a cluster',
  }),
  KUBERNETES_SERVICE_PORT: text(/^\d{1,5}$/, 'a port', {
    description: 'Port of that API; given by Kubernetes.',
    defaultNote: 'outside of a cluster',
  }),
  KUBERNETES_SERVICE_ACCOUNT_DIR: text(/^\/.*$/, 'an absolute path', {
    description: 'Where the token and the certificate for that API are.',
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
  }),
  SHUTDOWN_GRACE_SECONDS: integer(0, 3600, {
    description:
      'Time that runs get to reach a checkpoint after SIGTERM. Keep it below `terminationGracePeriodSeconds`.',
    default: 60,
  }),
};

export const http = {
  HOST: text(/^\S+$/, 'an address to bind', {
    description: 'Address that the API binds.',
    default: '0.0.0.0',
  }),
  PORT: integer(0, 65535, { description: 'Port of the API; 0 takes any free one.', default: 3000 }),
  API_RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, {
    description: 'Requests that each caller may make in a minute at each pod; 0 for no limit.',
    default: 600,
  }),
};

export const auth = {
  REPOTIDE_ADMIN_TOKEN: text(/^[\x21-\x7e]+$/, 'printable characters without spaces', {
    description: 'First admin token of the API.',
    defaultNote: 'generated, and printed once at start',
    secret: true,
  }),
  REPOTIDE_ENCRYPTION_KEY: text(/^.{16,}$/, 'at least 16 characters', {
    description:
      'Encrypts the GitLab credentials in the database. The same on every pod. `openssl rand -base64 32` makes a good one.',
    secret: true,
  }),
  REPOTIDE_ENCRYPTION_KEY_PREVIOUS: text(/^.{16,}$/, 'at least 16 characters', {
    description:
      'The key before, while credentials are still encrypted under it; `POST /api/v1/credentials/rotate-key` ends that.',
    secret: true,
  }),
};

const ROLE_OF_VALUE = '[^=,]+=(viewer|operator|admin)';

export const oidc = {
  OIDC_ISSUER: connectionUrl(['https:', 'http:'], {
    description:
      'Accepts JSON web tokens of this issuer beside API tokens. Exactly as in their `iss` claim, trailing slash included.',
    defaultNote: 'API tokens only',
    example: 'https://login.example.com/realms/main',
  }),
  OIDC_AUDIENCE: text(/^[\x21-\x7e]+$/, 'printable characters without spaces', {
    description: 'Value that the `aud` claim must hold. Required with `OIDC_ISSUER`.',
    example: 'repotide',
  }),
  OIDC_JWKS_URL: connectionUrl(['https:', 'http:'], {
    description: 'Where the public keys of the issuer are.',
    defaultNote: 'as `<issuer>/.well-known/openid-configuration` says',
  }),
  OIDC_ROLE_CLAIM: text(/^[\w:/.-]+$/, "letters, digits and ':', '/', '.', '_', '-'", {
    description: 'Claim that tells the role, a text or a list of texts; dots lead into objects.',
    default: 'roles',
    example: 'realm_access.roles',
  }),
  OIDC_ROLE_MAP: text(
    new RegExp(`^${ROLE_OF_VALUE}(,${ROLE_OF_VALUE})*$`),
    'a comma-separated list of value=role, with the roles viewer, operator and admin',
    {
      description: 'Which role a value of the claim gives; the greatest counts, and none is refused.',
      default: 'viewer=viewer,operator=operator,admin=admin',
      example: 'platform-team=admin,developers=viewer',
    },
  ),
};

export const reindex = {
  REINDEX_KEEP_HOURS: integer(1, 8760, {
    description:
      'After another embedding model took over, the former index is kept for so long for a roll-back, then dropped.',
    default: 72,
  }),
};

export const history = {
  EXECUTION_RETENTION_DAYS: integer(0, 36_500, {
    description:
      'Executions are deleted after as many days; their counts and durations stay in the history. 0 keeps them for ever.',
    default: 365,
  }),
  EXECUTION_RETENTION_MIN_ROWS: integer(1, 1_000_000, {
    description:
      'As many of the newest executions of each schedule, and of the manual ones of each repository, stay whatever their age.',
    default: 10,
  }),
};

export const log = {
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent'], {
    description: 'Least level that is logged.',
    default: 'info',
  }),
  LOG_FORMAT: choice(['json', 'pretty'], {
    description: 'One JSON object per line, or lines for people.',
    defaultNote: '`pretty` on a terminal, else `json`',
  }),
};

export const worker = {
  WORKER_CONCURRENCY: integer(1, 100, { description: 'Runs at once in one worker.', default: 5 }),
  MAX_RUN_SECONDS: integer(1, 604_800, {
    description: 'Time limit of one run; what it stored stays, and the next run goes on from there.',
    default: 1800,
  }),
  RUN_FAILURE_THRESHOLD_PERCENT: integer(1, 100, {
    description:
      'A run fails, and is repeated later, when more of its files fail (from 20 files on); below, it is `partial`. 100: no run fails for its files.',
    default: 50,
  }),
  RUN_TIME_BUDGET_SECONDS: integer(0, 604_800, {
    description:
      'A sync stops cleanly after this time, as partial, and the next tick goes on from there; 0 for none. Schedules may say otherwise. Keep it below `MAX_RUN_SECONDS`, which counts as a failure.',
    default: 0,
  }),
};

export const lease = {
  LEASE_TTL_SECONDS: integer(1, 3600, {
    description: 'Life of an unrenewed lease: how long a killed pod blocks its repository.',
    default: 60,
  }),
  LEASE_RENEW_SECONDS: integer(1, 1200, {
    description: 'Time between renewals; at most a third of `LEASE_TTL_SECONDS`, so that two may fail.',
    default: 15,
  }),
  REAPER_INTERVAL_SECONDS: integer(1, 3600, {
    description: 'Time between searches for interrupted runs.',
    default: 15,
  }),
};

export const schedule = {
  SCHEDULE_POLL_SECONDS: integer(1, 300, {
    description: 'Time between looks at the database for new and changed schedules.',
    default: 5,
  }),
  MISFIRE_GRACE_SECONDS: integer(0, 604_800, {
    description:
      'A tick found later than this is recorded as missed. New schedules take it as their default.',
    default: 300,
  }),
};

export const secrets = {
  SECRETS_POLICY: choice(['redact', 'skip', 'off'], {
    description:
      'What becomes of secrets in files: `redact` indexes the file without them, `skip` leaves the file out, `off` does not look. Changing it reads everything again, and with `redact` and `skip` takes out what is indexed.',
    default: 'redact',
  }),
};

export const chunking = {
  CHUNK_SIZE: integer(100, 100_000, {
    description: 'Length of a chunk in characters, for repositories that set none.',
    default: 7000,
  }),
  CHUNK_OVERLAP: integer(0, 50_000, {
    description: 'Characters that neighbouring chunks share; less than half of `CHUNK_SIZE`.',
    default: 1500,
  }),
  MAX_FILE_BYTES: integer(1, 104_857_600, {
    description: 'Files above this size are not indexed, for repositories that set no limit.',
    default: 1_048_576,
  }),
};
