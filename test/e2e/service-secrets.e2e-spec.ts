import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase } from '@adapters/postgres';
import { variableEntries } from '@platform/config';
import { until } from '../support/command-line.js';
import { type Service } from '../support/installation.js';
import { type ApiDocument, type Operation, operationsOf, pathOf } from '../support/operations.js';
import { withRedis } from '../support/redis.js';
import { redisTexts } from '../support/redis-texts.js';
import { createSecretWorld, UNREACHABLE_URL, PROJECT, type SecretWorld } from '../support/secret-world.js';
import {
  type ExecutionRow,
  executionThat,
  isOver,
  type List,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';
import { silentLogger } from '../support/silent-logger.js';
import { storedTexts } from '../support/stored-texts.js';

/** A stream ends with its execution; the executions of these requests have ended. */
const ANSWER_LIMIT_MS = 30_000;

let world: SecretWorld;
let service: Service;
/** All answers of the service, except those that show a new token once. */
const answers: string[] = [];

beforeAll(async () => {
  world = await createSecretWorld();
  service = await world.installation.serve({ ...world.env });
});
afterAll(() => world.remove());

async function ask(method: string, path: string, body?: object, headers: object = {}): Promise<number> {
  const answer = await fetch(service.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${world.env['REPOTIDE_ADMIN_TOKEN']}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  answers.push(JSON.stringify([...answer.headers]), await answer.text());
  return answer.status;
}

async function sync(repository: RepositoryRow): Promise<ExecutionRow> {
  return executionThat(service, await startSync(service, repository), isOver, 120_000);
}

/** The answer of a careless server or proxy: it repeats the request's credentials, at the start and far into a long line. */
const echo = (secret: string): string =>
  `no entry with ${secret}; seen ${'-'.repeat(100)} and ${secret} ${'-'.repeat(100)} ${secret}`;

const inDatabase = async (): Promise<string> => {
  const database = await connectDatabase({ url: world.env['DATABASE_URL']!, logger: silentLogger });
  return storedTexts(database).finally(() => database.close());
};
const inRedis = (): Promise<string> =>
  withRedis(`redis://:${world.redisPassword}@127.0.0.1:${world.redis.port}`, redisTexts);

async function expectNothingStored(): Promise<void> {
  const [rows, keys] = [await inDatabase(), await inRedis()];
  expect(rows).toContain(PROJECT);
  expect(keys).toContain('repotide:');
  expect({ rows: world.secrets.foundIn(rows), keys: world.secrets.foundIn(keys) }).toEqual({
    rows: [],
    keys: [],
  });
}

describe('the secrets of the service itself', () => {
  it('are present in every setting that contains one', () => {
    const names = variableEntries.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
    const elsewhere = ['REDIS_URL'];
    expect(names.filter((name) => !(name in world.env) && !elsewhere.includes(name))).toEqual([]);
  });

  it('are found by the search when they are present', () => {
    const { env, secrets } = world;
    const token = env['REPOTIDE_ADMIN_TOKEN']!;
    for (const form of [token, token.slice(0, 20), Buffer.from(`user:${token}`).toString('base64')])
      expect(secrets.foundIn(`x ${form} y`)).toEqual(['REPOTIDE_ADMIN_TOKEN']);
    expect(secrets.foundIn('nothing to see')).toEqual([]);
  });

  it('appear in no response, event, metric, log line, row or key, during syncs, refusals and outages', async () => {
    const credentials = await storeCredentials();
    const repository = await register(service, PROJECT);
    const done = await sync(repository);
    expect(done.error_code).toBeNull();
    const schedule = await service.post<{ id: string }>('/api/v1/schedules', {
      repository_id: repository.id,
      cron_expression: '0 0 29 2 *',
    });
    const discovery = await discover();
    const webhook = await webhookThatIsTested();
    await expectNothingStored();

    expect(await refuseByGitLab(repository)).toEqual([
      ...[
        'source_token_rejected',
        'source_access_denied',
        'source_request_refused',
        'source_request_refused',
      ],
    ]);
    expect(await refuseByEmbeddingServer(repository)).toEqual([
      'embedding_key_rejected',
      'embedding_request_refused',
    ]);
    expect(await refuseByQdrant(repository)).toEqual([
      ...['vector_store_key_rejected', 'vector_store_forbidden', 'vector_store_refused'],
    ]);
    await refuseCredentials(repository, credentials);
    await refuseCallers();
    await loseRedis();
    expect(await ask('POST', '/api/v1/credential-key/rotate')).toBe(200);

    const ids = [repository.id, done.id, schedule.id, discovery, credentials.oauth, webhook];
    expect((await readEverything(ids, discovery)).sort()).toEqual([
      // No questions are set and nothing is declared here; other tests read them.
      'GET /api/v1/collections/{name}/gate',
      'GET /api/v1/declarations/{name}',
      'GET /api/v1/repositories/{id}/purge',
    ]);
    expect(await ask('DELETE', `/api/v1/repositories/${repository.id}`)).toBe(204);
    expect(await ask('GET', `/api/v1/repositories/${repository.id}/purge`)).toBe(200);
    expect(answers.join()).toContain('event: ');
    expect(answers.join()).toContain('vector_store_forbidden');
    expect(world.secrets.foundIn(answers.join('\n'))).toEqual([]);
    await expectNothingStored();
    expect(await service.stop()).toBe(0);
    const log = service.command.stdout() + service.command.stderr();
    expect(log).toContain('"level":"debug"');
    expect(log.split('\n').filter((line) => world.secrets.foundIn(line).length > 0)).toEqual([]);
  }, 600_000);
});

interface StoredCredentials {
  /** The id of the stored credential, as is `elsewhere`. */
  oauth: string;
  elsewhere: string;
  grant: ReturnType<SecretWorld['gitlab']['grantOAuth']>;
}

async function storeCredentials(): Promise<StoredCredentials> {
  const { secrets, gitlab } = world;
  const grant = gitlab.grantOAuth('app');
  const oauth = {
    client_id: grant.clientId,
    client_secret: secrets.add('OAuth client_secret', grant.clientSecret),
    access_token: secrets.add('OAuth access_token', grant.accessToken),
    refresh_token: secrets.add('OAuth refresh_token', grant.refreshToken),
    expires_at: new Date(0).toISOString(),
  };
  const create = async (body: object): Promise<string> =>
    (await service.post<{ id: string }>('/api/v1/credentials', body)).id;
  const token = secrets.plant('credential', 'glpat-');
  expect(await ask('POST', '/api/v1/credentials', { name: 'ci', token })).toBe(201);
  const token2 = secrets.plant('credential of another host', 'glpat-');
  const elsewhere = await create({ name: 'elsewhere', base_url: UNREACHABLE_URL, token: token2 });
  const change = { token: secrets.plant('credential changed', 'glpat-') };
  expect(await ask('PATCH', `/api/v1/credentials/${elsewhere}`, change)).toBe(200);
  const made = await service.post<{ token: string }>('/api/v1/tokens', {
    name: 'shown once',
    role: 'viewer',
  });
  secrets.add('API token', made.token);
  return { elsewhere, grant, oauth: await create({ name: 'app', oauth }) };
}

async function discover(): Promise<string> {
  const { id } = await service.post<{ id: string }>('/api/v1/discoveries', { group_path: 'team' });
  await until('the discovery to end', async () => {
    const runs = await service.get<List<{ status: string }>>(`/api/v1/discoveries/${id}/runs`);
    return runs.items.some(({ status }) => !['queued', 'running'].includes(status));
  });
  return id;
}

/** GitLab answers with the request that it received. @returns the errors of runs. */
async function refuseByGitLab(repository: RepositoryRow): Promise<(string | null)[]> {
  const { gitlab } = world;
  const errors: (string | null)[] = [];
  const inJson = { message: echo(gitlab.token) };
  for (const [status, body] of [
    [401, inJson],
    [403, inJson],
    [422, inJson],
    [400, `no ${gitlab.token}`],
  ] as const) {
    const clear = gitlab.faults.add({ effect: { kind: 'status', status, body } });
    errors.push((await sync(repository)).error_code);
    clear();
  }
  return errors;
}

async function refuseByEmbeddingServer(repository: RepositoryRow): Promise<(string | null)[]> {
  const { embedding, env } = world;
  const error = { message: echo(env['EMBEDDING_API_KEY']!) };
  const errors: (string | null)[] = [];
  for (const status of [401, 400]) {
    await world.write(`export const status = ${status};\n`);
    embedding.faults.add({ effect: { kind: 'status', status, body: { error } } });
    errors.push((await sync(repository)).error_code);
    expect(await ask('POST', '/api/v1/search', { query: `words ${status}` })).toBeGreaterThanOrEqual(400);
    embedding.faults.clear();
  }
  return errors;
}

async function refuseByQdrant(repository: RepositoryRow): Promise<(string | null)[]> {
  const { qdrant, env } = world;
  const errors: (string | null)[] = [];
  for (const status of [401, 403, 400]) {
    await world.write(`export const refused = ${status};\n`);
    qdrant.plan({ kind: 'status', status, error: echo(env['QDRANT_API_KEY']!), times: 1_000 });
    errors.push((await sync(repository)).error_code);
    expect(await ask('POST', '/api/v1/search', { query: 'answer' })).toBeGreaterThanOrEqual(400);
    qdrant.clearFaults();
  }
  return errors;
}

/** GitLab is unreachable, and a token refresh is refused with an answer that repeats the request. */
async function refuseCredentials(
  { id }: RepositoryRow,
  { elsewhere, oauth, grant }: StoredCredentials,
): Promise<void> {
  const lost = { project_path: 'team/lost', base_url: UNREACHABLE_URL, credential_id: elsewhere };
  expect(await ask('POST', '/api/v1/repositories', lost)).toBe(503);
  const echoed = {
    error: 'invalid_grant',
    error_description: echo(`${grant.clientSecret} ${grant.refreshToken}`),
  };
  const clear = world.gitlab.faults.add({
    url: /oauth/,
    effect: { kind: 'status', status: 400, body: echoed },
  });
  expect(await ask('PATCH', `/api/v1/repositories/${id}`, { credential_id: oauth })).toBe(502);
  clear();
}

/** Requests with wrong credentials, and with secrets in fields that are not for secrets. */
async function refuseCallers(): Promise<void> {
  const { secrets } = world;
  const headers = { Authorization: `Bearer ${secrets.plant('a wrong token')}` };
  expect(await ask('GET', '/api/v1/identity', undefined, headers)).toBe(401);
  const hook = { 'X-Gitlab-Token': secrets.plant('a wrong webhook secret') };
  expect(await ask('POST', '/webhooks/gitlab', { object_kind: 'push' }, hook)).toBe(401);
  const query = `access_token=${secrets.plant('a token in a query')}`;
  expect(await ask('GET', `/api/v1/executions?${query}`)).toBe(400);
  const token = secrets.plant('a credential without a name', 'glpat-');
  expect(await ask('POST', '/api/v1/credentials', { name: 7, token })).toBe(400);
  const tokem = secrets.plant('a credential misspelt');
  expect(await ask('POST', '/api/v1/credentials', { name: 'x', tokem })).toBe(400);
}

async function loseRedis(): Promise<void> {
  await world.redis.kill();
  const isMissed = async (): Promise<boolean> => {
    await ask('GET', '/health/ready');
    return /"paused"/.test(answers.at(-1)!);
  };
  await until('Redis to be missed', isMissed);
  await ask('GET', '/api/v1/cluster');
  await world.redis.start();
  await until('Redis to be back', async () => !(await isMissed()));
}

/** Values of query parameters without which an operation answers nothing. */
const QUERY: Readonly<Record<string, string>> = { cron_expression: '0 0 1 1 *' };

function requiredQuery({ parameters = [] }: Operation): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  return required.length === 0
    ? ''
    : `?${required.map(({ name }) => `${name}=${encodeURIComponent(QUERY[name]!)}`).join('&')}`;
}

/** Registers a webhook for events, and sends it one. Its secret is in one answer alone. @returns its id. */
async function webhookThatIsTested(): Promise<string> {
  const body = { name: 'chat', url: UNREACHABLE_URL, events: ['run.finished'] };
  const webhook = await service.post<{ id: string; secret: string }>('/api/v1/event-webhooks', body);
  world.secrets.add('event webhook', webhook.secret);
  expect(await ask('POST', `/api/v1/event-webhooks/${webhook.id}/test`)).toBe(200);
  return webhook.id;
}

/** Calls every GET operation for all rows. @returns the operations that never succeeded. */
async function readEverything(ids: string[], discovery: string): Promise<string[]> {
  const document = await service.get<ApiDocument>('/docs-json');
  const runs = await service.get<List<{ id: string }>>(`/api/v1/discoveries/${discovery}/runs`);
  const collections = await service.get<List<{ name: string }>>('/api/v1/collections');
  const pathsOf = (operation: Operation): string[] => {
    if (!operation.template.includes('{')) return [pathOf(operation, () => '') + requiredQuery(operation)];
    if (operation.template.includes('{name}'))
      return collections.items.map(({ name }) => pathOf(operation, () => name));
    if (operation.template.includes('{run_id}'))
      return runs.items.map(({ id }) => pathOf(operation, (name) => (name === 'run_id' ? id : discovery)));
    return ids.map((id) => pathOf(operation, () => id));
  };
  const silent: string[] = [];
  for (const operation of operationsOf(document).filter(({ method }) => method === 'GET')) {
    const statuses: number[] = [];
    const own = { Authorization: `Bearer ${world.env['METRICS_TOKEN']}` };
    const headers = operation.template === '/metrics' ? own : {};
    for (const path of pathsOf(operation)) statuses.push(await ask('GET', path, undefined, headers));
    if (!statuses.some((status) => status < 300)) silent.push(operation.name);
  }
  for (const path of ['/', '/docs', '/docs-json']) await ask('GET', path);
  return silent;
}
