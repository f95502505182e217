import { choice, connectionUrl, httpUrl, integer, networks, setOf, strongSecret, text } from './variable.js';

/** Set per process, by the chart or another supervisor. */
export const processes = {
  REPOTIDE_ROLES: setOf(['api', 'scheduler', 'worker'], {
    description: 'Roles of this process, so that one image can run as separate Deployments.',
    default: ['api', 'scheduler', 'worker'],
  }),
  POD_NAME: text(/^[\w.-]{1,253}$/, "up to 253 letters, digits, '.', '_' and '-'", {
    description: 'Owner of leases and executions; unique among all pods.',
    defaultNote: 'the host name',
  }),
  POD_NAMESPACE: text(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a Kubernetes namespace', {
    description: 'Namespace whose pods are watched, so that the runs of a lost pod are taken over at once.',
    defaultNote: 'pods are not watched',
    example: 'repotide',
  }),
  REPOTIDE_DATA_DIR: text(/^[^\0]+$/, 'a folder', {
    description: 'Folder of embedded Postgres and of generated secrets; relative to the working folder.',
    default: '.repotide',
  }),
  HOST: text(/^\S+$/, 'an address to listen on', {
    description: 'Address that the API listens on.',
    default: '0.0.0.0',
  }),
  PORT: integer(0, 65535, { description: 'Port of the API; 0 takes any free one.', default: 3000 }),
  METRICS_PORT: integer(0, 65535, {
    description:
      'Port of its own for `/metrics`, which the port of the API then does not serve. 0 takes any free one.',
    defaultNote: '`/metrics` is at `PORT`, for direct requests alone',
    example: '9464',
  }),
  SHUTDOWN_GRACE_SECONDS: integer(0, 3600, {
    description:
      'Time for runs to reach a checkpoint after SIGTERM. It must be below `terminationGracePeriodSeconds`.',
    default: 60,
  }),
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent'], {
    description: 'Lowest level that is logged. Lines are JSON, except on a terminal.',
    default: 'info',
  }),
};

const ROLE_OF_VALUE = '[^=,]+=(viewer|operator|admin)';
const PATTERN_OF_VALUE = String.raw`[^,=]+=[\w.\-:/*?]+`;

export const access = {
  REPOTIDE_ADMIN_TOKEN: strongSecret({
    description: 'The admin token of the API. A changed one replaces the former at the next start.',
    defaultNote: 'generated at the first start, in the file `admin-token` in `REPOTIDE_DATA_DIR`',
    secret: true,
  }),
  REPOTIDE_ENCRYPTION_KEY: text(
    /^[^,]{16,}(,[^,]{16,})?$/,
    'one key of at least 16 characters without commas, or two: the new key, a comma, the former key',
    {
      description:
        'Encrypts the GitLab credentials in the database. The same on every pod. Generate one with `openssl rand -base64 32`. To change it, set `new,former`, call `POST /api/v1/credential-key/rotate`, then remove the former key.',
      secret: true,
    },
  ),
  METRICS_TOKEN: strongSecret({
    description: 'The bearer token that `/metrics` requires.',
    defaultNote: 'no token',
    secret: true,
  }),
  API_DOCS: choice(['on', 'off'], {
    description: 'Whether the description of the API is served at `/docs` and `/docs-json`.',
    default: 'on',
  }),
  API_RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, {
    description:
      'Requests that each caller may make in a minute, at all pods together. A tenth of it is the number of requests with a wrong token or signature that a client address may make. 0 for no limits.',
    default: 600,
  }),
  API_TOKEN_MAX_DAYS: integer(0, 3650, {
    description:
      'Longest life of an API token, and the life of one that is created without `expires_at`. Tokens that exist keep theirs. 0 for no limit.',
    default: 365,
  }),
  TRUSTED_PROXIES: networks({
    description:
      'Addresses of the proxies and Ingress controllers in front of the service. Their `X-Forwarded-For` names the address of the client, for limits, logs and the audit log.',
    defaultNote: 'the address of the connection is the client',
    example: '10.42.0.0/16',
  }),
  AUDIT_RETENTION_DAYS: integer(0, 36_500, {
    description: 'Audit records are deleted after this many days, from the oldest on. 0 keeps all.',
    default: 365,
  }),
  AUDIT_STDOUT: choice(['on', 'off'], {
    description:
      'Whether each audit record is also written to standard output, as a line `{"audit": {...}}`.',
    default: 'off',
  }),
  OIDC_ISSUER: connectionUrl(['https:', 'http:'], {
    description:
      'Accepts JSON web tokens of this issuer beside API tokens, and with `OIDC_CLIENT_ID` lets people sign in there. Exactly as in the `iss` claim, trailing slash included.',
    defaultNote: '`GITLAB_URL` with `OIDC_CLIENT_ID`, otherwise API tokens only',
    example: 'https://login.example.com/realms/main',
  }),
  OIDC_AUDIENCE: text(/^[\x21-\x7e]+$/, 'printable characters without spaces', {
    description:
      'Value that the `aud` claim must contain, and that `azp` must be if it is present. Without it, only people sign in, and JSON web tokens are refused. ID tokens, and tokens that are valid for more than a day, are refused.',
    example: 'repotide',
  }),
  OIDC_CLIENT_ID: text(/^[\x21-\x7e]+$/, 'printable characters without spaces', {
    description:
      'Lets people sign in to the dashboard with a browser: the id of the application at the issuer. Its redirect address is `PUBLIC_URL` and `/auth/callback`.',
    defaultNote: 'the dashboard needs an API token',
  }),
  OIDC_CLIENT_SECRET: text(/^[\x21-\x7e]+$/, 'printable characters without spaces', {
    description: 'Secret of that application.',
    defaultNote: 'a public client, which PKCE alone protects',
    secret: true,
  }),
  OIDC_SIGN_IN_SCOPE: text(/^openid( [\w:./-]+)*$/, '`openid`, and further scopes after spaces', {
    description: 'Scopes that the sign-in requests.',
    default: 'openid profile email',
  }),
  PUBLIC_URL: httpUrl({
    description:
      'Address of the service in the browsers of people, with the path prefix of the Ingress if it has one. Required with `OIDC_CLIENT_ID`.',
    example: 'https://repotide.example.com',
  }),
  SESSION_IDLE_MINUTES: integer(5, 10_080, {
    description: 'A session of a person ends after this time without a request.',
    default: 60,
  }),
  SESSION_MAX_HOURS: integer(1, 168, {
    description:
      'A session of a person ends at the latest then. The next sign-in reads its role and groups again.',
    default: 10,
  }),
  OIDC_DEFAULT_ROLE: choice(['none', 'viewer', 'operator'], {
    description: 'Role of callers of whom no value is in `OIDC_ROLE_MAP`. `none` refuses them.',
    default: 'none',
  }),
  GITLAB_MEMBERSHIP: choice(['on', 'off'], {
    description:
      'Whether people, and callers with a JSON web token, see only repositories whose code they may read at `GITLAB_URL`. It is checked by their number there, with the credential of the repository.',
    default: 'off',
  }),
  GITLAB_MEMBERSHIP_SECONDS: integer(0, 3600, {
    description: 'How long a checked right is kept. A right that GitLab took away lasts so long here.',
    default: 60,
  }),
  GITLAB_USER_CLAIM: text(/^[\w:/.-]+$/, "letters, digits and ':', '/', '.', '_', '-'", {
    description: 'Claim with the number of the user at `GITLAB_URL`. Dots separate nested names.',
    defaultNote: '`sub`, if GitLab itself is the issuer',
    example: 'gitlab_user_id',
  }),
  OIDC_ROLE_CLAIM: text(/^[\w:/.-]+$/, "letters, digits and ':', '/', '.', '_', '-'", {
    description: 'Claim with the role: a string or a list of strings. Dots separate nested names.',
    default: 'roles',
    example: 'realm_access.roles',
  }),
  OIDC_ROLE_MAP: text(
    new RegExp(`^${ROLE_OF_VALUE}(,${ROLE_OF_VALUE})*$`),
    'a comma-separated list of value=role, with the roles viewer, operator and admin',
    {
      description:
        'Role for each value of the claim. The highest role applies; a caller without one is refused.',
      default: 'viewer=viewer,operator=operator,admin=admin',
      example: 'platform-team=admin,developers=viewer',
    },
  ),
  OIDC_SCOPE_CLAIM: text(/^[\w:/.-]+$/, "letters, digits and ':', '/', '.', '_', '-'", {
    description:
      'Claim with the groups of a person: a string or a list of strings. Callers then see and change only projects of these groups; without a group, nothing.',
    defaultNote: 'callers see all projects',
    example: 'groups_direct',
  }),
  OIDC_SCOPE_MAP: text(
    new RegExp(`^${PATTERN_OF_VALUE}(,${PATTERN_OF_VALUE})*$`),
    'a comma-separated list of value=pattern, where a value may be repeated',
    {
      description:
        'Pattern of project paths for each value of `OIDC_SCOPE_CLAIM`. The pattern `**` stands for the whole installation.',
      defaultNote: 'the values are paths of GitLab groups',
      example: 'developers=web,developers=shared/*,platform-team=**',
    },
  ),
};

/** Defaults that a repository may override, and the handling of secrets. */
export const content = {
  CHUNK_SIZE: integer(100, 100_000, {
    description: 'Length of a chunk in characters, for repositories that set none.',
    default: 7000,
  }),
  CHUNK_OVERLAP: integer(0, 50_000, {
    description: 'Characters that neighbouring chunks share, within a tenth; less than half of `CHUNK_SIZE`.',
    default: 1500,
  }),
  MAX_FILE_BYTES: integer(1, 104_857_600, {
    description: 'Files above this size are not indexed, for repositories that set no limit.',
    default: 1_048_576,
  }),
  SECRETS_POLICY: choice(['redact', 'skip', 'off'], {
    description:
      'Handling of files with secrets: `redact` indexes a file without them, `skip` skips the file, `off` does not search for secrets. After a change all files are read again; `redact` and `skip` then remove secrets from the index.',
    default: 'redact',
  }),
};

/** The defaults fit most installations. */
export const tuning = {
  WORKER_CONCURRENCY: integer(1, 100, {
    description: 'Concurrent runs of one worker. Of three or more, one is kept free for manual runs.',
    default: 5,
  }),
  MAX_RUN_SECONDS: integer(1, 604_800, {
    description: 'Time limit of one run. Stored files are kept, and the next run continues from there.',
    default: 1800,
  }),
  REQUEST_TIMEOUT_SECONDS: integer(1, 300, {
    description: 'Time limit of one request to GitLab or to an embedding server.',
    default: 60,
  }),
  SCHEDULE_POLL_SECONDS: integer(1, 300, {
    description: 'Interval at which the database is polled for due, new and changed schedules.',
    default: 5,
  }),
  MISFIRE_GRACE_SECONDS: integer(0, 604_800, {
    description:
      'A tick that is claimed later than this is recorded as missed. The default of new schedules.',
    default: 300,
  }),
  LEASE_TTL_SECONDS: integer(1, 3600, {
    description:
      'Time after which a lease expires without renewal. A killed pod blocks its repository for so long.',
    default: 60,
  }),
  LEASE_RENEW_SECONDS: integer(1, 1200, {
    description: 'Interval of lease renewals; at most a third of `LEASE_TTL_SECONDS`, so that two may fail.',
    default: 15,
  }),
  REAPER_INTERVAL_SECONDS: integer(1, 3600, {
    description: 'Interval of searches for interrupted runs.',
    default: 15,
  }),
  VERIFY_INTERVAL_DAYS: integer(0, 3650, {
    description:
      'Every repository is verified at least once in this time, spread over it and after all other runs; a difference is repaired. 0: only on request.',
    default: 7,
  }),
  FRESHNESS_TARGET_SECONDS: integer(1, 604_800, {
    description:
      'A push or tick should be in the index after at most this time. `repotide_due_syncs_total` counts how often that is so, and alerts watch it; nothing else depends on it.',
    default: 900,
  }),
  DECLARED_RESOURCES: text(/^[^\0]+$/, 'a file or a folder', {
    description:
      'YAML file, or folder of such files, in the format of `repotide apply`. The leader makes the service equal to them: at its start, when they change, and every DECLARED_RESOURCES_SECONDS.',
    defaultNote: 'nothing is declared',
    example: '/etc/repotide/resources',
  }),
  DECLARED_RESOURCES_MODE: choice(['apply', 'prune', 'report'], {
    description:
      'What the leader does with DECLARED_RESOURCES. `apply` creates and changes. `prune` also deletes what the files declared before and no longer do. `report` changes nothing and shows the difference.',
    default: 'apply',
  }),
  DECLARED_RESOURCES_SECONDS: integer(10, 86_400, {
    description: 'How often the service is compared with DECLARED_RESOURCES while the files stay the same.',
    default: 300,
  }),
  EXECUTION_RETENTION_DAYS: integer(0, 36_500, {
    description:
      'Executions are deleted by whole months (UTC), once a month has ended this many days ago, except the newest ten of each schedule and repository. The totals of the history are kept. 0 keeps all executions.',
    default: 365,
  }),
};
