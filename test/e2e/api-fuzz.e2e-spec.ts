import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { hostileRequest, type HostileRequest } from '../support/fuzz/hostile-request.js';
import { undocumentedOperations } from '../support/fuzz/undocumented-operations.js';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { type ApiDocument, type Operation, operationsOf } from '../support/operations.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';
import {
  executionThat,
  isOver,
  type List,
  register,
  schedule,
  startSync,
} from '../support/service-resources.js';

/**
 * `FUZZ_SEED` repeats a run; `FUZZ_REQUESTS` is the number of requests per operation and round. The long form,
 * `npm run test:fuzz`, sets `FUZZ_MINUTES`: rounds with further seeds follow until then.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 25);
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 0);
const DOOMED = 'doomed';
/** Stands in the name, the content and the collection of a repository outside of the scope of some requests. */
const MARKER = 'zqhiddenmarkzq';
const WEBHOOK_SECRET = 'a-webhook-secret-of-the-fuzzing';
/** What the process may need more after many requests than after the first round. */
const GROWTH_MIB = 256;
const TOKEN = 'admin-token-of-the-fuzzing-0123456789';
const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };

/** For a GET with `If-None-Match: *`, because the row exists. */
const NOT_MODIFIED = 304;
/** Statuses that HTTP itself requires, independent of the route. */
const GENERAL_STATUSES = [NOT_MODIFIED, 400, 404, 405, 413, 415, 431];

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;
let operations: Operation[];
let ids: string[];
let schemas: Record<string, object>;
let witnessBefore: unknown;
let scoped: string;
let hiddenIds: string[];
let restingMiB: number | undefined;
let witness: { repository: string; schedule: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-fuzz-'));
  const git = await createGitRepository(join(directory, 'git'));
  git.write('src/main.ts', 'export const answer = 42;\n');
  await git.commit('A file');
  for (const branch of ['other', DOOMED]) await git.branch(branch);
  const hidden = await createGitRepository(join(directory, 'hidden'));
  hidden.write(`src/${MARKER}.ts`, `export const ${MARKER} = 'where is the answer';\n`);
  await hidden.commit('A file');
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: `hidden/${MARKER}`, gitDir: hidden.directory, defaultBranch: 'main' });
  for (const path of ['group/project', 'found/project']) {
    await gitlab.addProject({ path, gitDir: git.directory, defaultBranch: 'main' });
  }
  installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    // The tests resolve no host name: a hostile address is refused by its spelling.
    OUTGOING_ALLOWED_HOSTS: 'gitlab.invalid',
    REPOTIDE_ENCRYPTION_KEY: 'an-encryption-key-of-the-fuzzing',
    GITLAB_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  service = await installation.serve({ REPOTIDE_ADMIN_TOKEN: TOKEN });
  const document = await service.get<ApiDocument>('/docs-json');
  operations = gentlestFirst(operationsOf(document));
  schemas = document.components.schemas;
  witness = await makeWitness();
  ids = [
    ...(await makeVictims()),
    ...(await makeDiscovery()),
    ...(await makeFailure(() => git.deleteBranch(DOOMED))),
  ];
  hiddenIds = await makeHidden();
  witnessBefore = await lookAtWitness();
});

afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Rows that no request names; they must not change. */
async function makeWitness(): Promise<typeof witness> {
  const repository = await register(service, 'group/project', { collection_name: 'witness' });
  const { id } = await schedule(service, repository.id, { cron_expression: '0 0 29 2 *' });
  await executionThat(service, await startSync(service, repository), isOver);
  return { repository: repository.id, schedule: id };
}

/** Rows whose ids the requests use, so that the requests get past the lookup. */
async function makeVictims(): Promise<string[]> {
  const repository = await register(service, 'group/project', {
    branch: 'other',
    collection_name: 'victims',
  });
  const { id: scheduleId } = await schedule(service, repository.id, { cron_expression: '0 0 29 2 *' });
  const execution = await startSync(service, repository);
  await executionThat(service, execution, isOver);
  const credential = await service.post<{ id: string }>('/api/v1/credentials', {
    name: 'victim',
    token: 'glpat-x',
  });
  const token = await service.post<{ id: string }>('/api/v1/tokens', { name: 'victim', role: 'viewer' });
  return [
    repository.id,
    scheduleId,
    execution,
    credential.id,
    token.id,
    '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11',
  ];
}

/** A discovery that has run and registered a repository. */
async function makeDiscovery(): Promise<string[]> {
  const { id } = await service.post<{ id: string }>('/api/v1/discoveries', {
    group_path: 'found',
    cron_expression: '0 0 29 2 *',
  });
  const runs = () => service.get<List<{ id: string; status: string }>>(`/api/v1/discoveries/${id}/runs`);
  await until('the discovery', async () => (await runs()).items[0]?.status === 'completed');
  return [id, (await runs()).items[0]!.id];
}

/** A failed run, so that the retry operation has a valid target. */
async function makeFailure(breakIt: () => Promise<void>): Promise<string[]> {
  const repository = await register(service, 'group/project', {
    branch: DOOMED,
    collection_name: 'victims',
  });
  await breakIt();
  const execution = await startSync(service, repository);
  await executionThat(service, execution, ({ status }) => status === 'failed');
  return [repository.id, execution];
}

/** A repository that half of the requests name, whose token may not see it. */
async function makeHidden(): Promise<string[]> {
  const repository = await register(service, `hidden/${MARKER}`, { collection_name: MARKER });
  const { id } = await schedule(service, repository.id, { cron_expression: '0 0 29 2 *' });
  const execution = await startSync(service, repository);
  await executionThat(service, execution, isOver);
  const scope = ['group', 'found'];
  const body = { name: 'scoped', role: 'admin', scope };
  scoped = (await service.post<{ token: string }>('/api/v1/tokens', body)).token;
  return [repository.id, id, execution];
}

/** Deletions come last, because later requests to a deleted row only get 404. */
function gentlestFirst(all: readonly Operation[]): Operation[] {
  return all.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

async function lookAtWitness(): Promise<unknown> {
  const { repository, schedule: scheduleId } = witness;
  const search = { query: 'export const answer', repository_ids: [repository], limit: 5 };
  return [
    await service.get(`/api/v1/repositories/${repository}`),
    await service.get(`/api/v1/repositories/${repository}/files`),
    await service.get(`/api/v1/repositories/${repository}/tree`),
    await service.get(`/api/v1/schedules/${scheduleId}`),
    await service.get(`/api/v1/executions?repository_id=${repository}`),
    // The age of the index grows while the test runs.
    JSON.stringify(await service.post('/api/v1/search', search)).replace(/"age_seconds":\d+/g, ''),
  ];
}

/** @param isScoped sends it with a token that may not see the marker. */
async function send(
  { headers, body, method, path }: HostileRequest,
  isScoped = false,
  more: Record<string, string> = {},
): Promise<RawAnswer> {
  const authorization = isScoped ? { Authorization: `Bearer ${scoped}` } : AUTHORIZATION;
  const answer = await rawRequest(service.url, {
    ...{ method, path, body },
    headers: { ...authorization, ...more, ...headers },
  });
  if (isScoped && `${JSON.stringify(answer.headers)}${answer.body}`.includes(MARKER))
    throw new Error(
      `The marker is in the answer ${answer.status} ${answer.body} to ${method} ${path} ${body}`,
    );
  return answer;
}

/** Calls it once, or in the long form with further seeds until the time is over. */
async function inRounds(share: number, round: (seed: number) => Promise<void>): Promise<void> {
  const end = Date.now() + MINUTES * share * 60_000;
  let seed = SEED;
  do {
    await round(seed++);
    restingMiB ??= await residentMiB();
  } while (Date.now() < end);
}

/** Requests to an operation, and whether they are sent with the token that has a scope. Open routes know no scopes. */
function hostileCall(operation: Operation): fc.Arbitrary<[HostileRequest, boolean]> {
  const withScope = operation.role === null ? fc.constant(false) : fc.boolean();
  return withScope.chain((isScoped) => {
    const known = isScoped ? [...ids, ...hiddenIds] : ids;
    return fc.tuple(hostileRequest(operation, { ids: known, schemas }), fc.constant(isScoped));
  });
}

function expectOrderly(answer: RawAnswer, what: unknown, method = 'GET'): void {
  const { status, headers, body } = answer;
  if (status >= 500) throw new Error(`${status} ${body} to ${JSON.stringify(what).slice(0, 2_000)}`);
  expect(headers['x-injected']).toBeUndefined();
  if (status < 400 || method === 'HEAD') return;
  const problem = (body.startsWith('{') ? JSON.parse(body) : { body, what }) as Record<string, unknown>;
  expect([headers['content-type'], problem]).toEqual([
    expect.stringMatching(/^application\/problem\+json/),
    expect.objectContaining({
      status,
      code: expect.stringMatching(/^[a-z][a-z_]+$/),
      type: `urn:repotide:problem:${String(problem.code)}`,
    }),
  ]);
}

async function expectUnharmed(): Promise<void> {
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  expect(await lookAtWitness()).toEqual(witnessBefore);
  const log = (service.command.stderr() + service.command.stdout()).split('\n');
  expect(log.filter((line) => /"level":"error"|unhandled|uncaught/i.test(line))).toEqual([]);
}

describe(`hostile requests, FUZZ_SEED=${SEED}`, () => {
  it(
    `${REQUESTS} to every operation of the API document: no 5xx, no hang, always a problem with a code`,
    async () => {
      await inRounds(0.8, async (seed) => {
        for (const operation of operations) await fuzz(operation, seed);
        await expectUnharmed();
      });
    },
    60_000 + REQUESTS * 20_000 + MINUTES * 120_000,
  );

  async function fuzz(operation: Operation, seed: number): Promise<void> {
    const answersWell = fc.asyncProperty(hostileCall(operation), async ([request, isScoped]) => {
      const answer = await send(request, isScoped);
      expectOrderly(answer, request, request.method);
      if (request.method !== operation.method) return;
      const documented = [...Object.keys(operation.responses).map(Number), ...GENERAL_STATUSES];
      expect([operation.name, documented]).toEqual([operation.name, expect.arrayContaining([answer.status])]);
    });
    await fc.assert(answersWell, { seed, numRuns: REQUESTS, interruptAfterTimeLimit: 120_000 });
  }

  it(
    'to agents and from GitLab: no 5xx, no hang, nothing of a hidden repository, and bounded memory',
    async () => {
      await inRounds(0.2, async (seed) => {
        for (const { operation, headers } of undocumentedOperations(WEBHOOK_SECRET)) {
          const answersWell = fc.asyncProperty(hostileCall(operation), async ([request, isScoped]) => {
            const answer = await send(request, isScoped, headers);
            if (answer.status >= 500) expectOrderly(answer, request, request.method);
          });
          await fc.assert(answersWell, { seed, numRuns: 4 * REQUESTS, interruptAfterTimeLimit: 120_000 });
        }
      });
      await expectUnharmed();
      expect(await residentMiB()).toBeLessThan(restingMiB! + GROWTH_MIB);
    },
    60_000 + REQUESTS * 20_000 + MINUTES * 120_000,
  );
});

async function residentMiB(): Promise<number> {
  const status = await readFile(`/proc/${service.command.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

describe('hostile bodies', () => {
  const search = (body: string | Buffer, headers: Record<string, string> = {}) =>
    rawRequest(service.url, {
      method: 'POST',
      path: '/api/v1/search',
      headers: { ...AUTHORIZATION, 'Content-Type': 'application/json', ...headers },
      body,
    });

  it.each([
    ['more than 1 MiB', JSON.stringify({ query: 'x'.repeat(1_100_000) }), {}, 413],
    [
      'compressed, and 64 MiB once it is inflated',
      gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')),
      { 'Content-Encoding': 'gzip' },
      415,
    ],
    ['compressed badly', Buffer.from('no gzip'), { 'Content-Encoding': 'gzip' }, 415],
    ['packed in a way unknown', '{}', { 'Content-Encoding': 'rot13' }, 415],
    ['deeper than any parser should go', `{"query":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, {}, 400],
    ['in a charset unknown', '{}', { 'Content-Type': 'application/json; charset=latin1' }, 415],
    ['no JSON', '{"query":', {}, 400],
    ['no object', '"text"', {}, 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), {}, 400],
  ] as const)('%s', async (_what, body, headers, status) => {
    const answer = await search(body, headers);
    expectOrderly(answer, _what);
    expect(answer.status).toBe(status);
  });
});

describe('bytes that are not HTTP', () => {
  /** Everything that the server sends until it closes the connection, or until it is silent for a while. */
  const speak = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port, hostname } = new URL(service.url);
      let said = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.setTimeout(60_000, () => socket.destroy(new Error(`No answer to ${text.slice(0, 200)}`)));
      socket.on('data', (part) => (said += part.toString()));
      socket.on('close', () => resolve(said));
      socket.on('error', reject);
    });
  const get = `GET /api/v1/identity HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n`;
  const post = `POST /api/v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\nContent-Type: application/json\r\n`;

  it.each([
    ['a length below zero', `${post}Content-Length: -1\r\n\r\n{}`, 400],
    ['a length that is no number', `${post}Content-Length: 1e3\r\n\r\n{}`, 400],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, 400],
    [
      'a length beside chunks',
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['chunks without sizes', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['a header of 100 kB', `${get}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['a path of 100 kB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['a header name with a blank', `${get}X Y: 1\r\n\r\n`, 400],
    ['a header folded', `${get}X-Y: 1\r\n 2\r\n\r\n`, 400],
    ['a NUL in a header', `${get}X-Y: a\0b\r\n\r\n`, 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a version to come', 'GET / HTTP/9.9\r\n\r\n', 400],
  ])('%s', async (_what, text, status) => {
    const said = await speak(text);
    const [head = '', body = ''] = said.split('\r\n\r\n', 2);
    expect(head.split(' ', 2)).toEqual(['HTTP/1.1', String(status)]);
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/) });
  });

  it('get a response without a body when they are a HEAD that is too long', async () => {
    const said = await speak(`HEAD /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 431 /);
    expect(said.endsWith('\r\n\r\n')).toBe(true);
  });

  it('do not stop the service', expectUnharmed);
});
