import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createGitLabSourceFactory, OutgoingHosts } from '@adapters/gitlab';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { ownLimiter } from '../support/limiter.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { silentLogger } from '../support/silent-logger.js';

const TOKEN = 'glpat-only-for-its-own-host';

/** A server on the loopback address, which a `base_url` from the API must not reach. */
let internal: Server;
let port: number;
let seen: { url: string | undefined; authorization: string | undefined }[];
let answer: { status: number; headers: Record<string, string>; body?: string };
let api: TestApi;
const post = (path: string, body: object, to = api) =>
  request(to.url)
    .post(path)
    .set({ Authorization: to.authorization('admin') })
    .send(body);

beforeAll(async () => {
  seen = [];
  internal = createServer(({ url, headers }, response) => {
    seen.push({ url, authorization: headers.authorization });
    response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}');
  });
  answer = { status: 200, headers: { 'Content-Type': 'application/json' } };
  await new Promise<void>((resolve) => void internal.listen(0, '127.0.0.1', resolve));
  ({ port } = internal.address() as AddressInfo);
  api = await startTestApi({
    gitlab: { url: 'https://gitlab.example.com', token: TOKEN },
    env: { REPOTIDE_ENCRYPTION_KEY: 'a-key-of-these-tests-only' },
  });
});
afterAll(async () => {
  await api.stop();
  internal.closeAllConnections();
  await new Promise((resolve) => void internal.close(resolve));
});

const LOOPBACK = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
  ],
  ...['localhost', 'LocalHost.', 'gitlab.localhost', '①②⑦.⓪.⓪.①', '[::1]', '[::]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
];

function hostileUrls(): [string, string][] {
  const refused = [
    ...LOOPBACK.map((host) => `http://${host}:${port}`),
    ...LOOPBACK.map((host) => `https://${host}/gitlab`),
    ...['http://169.254.169.254/latest/meta-data', 'http://[fd00:ec2::254]', 'http://100.100.100.200'],
    ...[
      'http://10.0.0.1',
      'http://172.16.0.1',
      'http://192.168.0.1',
      'http://100.64.0.1',
      'http://[fe80::1]',
    ],
    ...[`http:\\\\127.0.0.1:${port}`, `ht\ntp://127.0.0.1:${port}`, `  http:127.0.0.1:${port}  `],
  ];
  const invalid = [
    ...[`http://gitlab.example.com@127.0.0.1:${port}`, `http://user:word@127.0.0.1:${port}`],
    ...[`http://127.0.0.1:${port}?x`, `http://127.0.0.1:${port}#@gitlab.example.com`, 'file:///etc/passwd'],
    ...[
      'gopher://127.0.0.1:70',
      'ftp://127.0.0.1',
      'javascript:alert(1)',
      'data:text/plain,x',
      'ws://127.0.0.1',
    ],
    ...[
      'unix:/var/run/docker.sock',
      '//127.0.0.1',
      'http://',
      'http://[::1',
      'http://127.0.0.1:99999',
      '127.0.0.1',
    ],
  ];
  return [
    ...refused.map((url): [string, string] => [url, 'url_not_allowed']),
    ...invalid.map((url): [string, string] => [url, 'source_url_invalid']),
  ];
}

describe('a base_url that comes through the API', () => {
  it('is refused when it leads to a private address, in any spelling', async () => {
    for (const [base_url, code] of hostileUrls()) {
      const repository = await post('/api/v1/repositories', { project_path: 'a/b', base_url });
      const credential = await post('/api/v1/credentials', {
        name: `to ${base_url}`,
        token: 'glpat-x',
        base_url,
      });
      for (const { status, body } of [repository, credential]) {
        const errors = [expect.objectContaining({ field: 'base_url' })];
        expect({ base_url, status, body: body as object }).toMatchObject({
          base_url,
          status: 422,
          body: { code, errors },
        });
        if (code === 'url_not_allowed')
          expect((body as { detail: string }).detail).toContain('OUTGOING_ALLOWED_HOSTS');
        expect(JSON.stringify(body)).not.toContain('user:word');
      }
    }
    expect(seen).toEqual([]);
  });

  it('is refused when connecting if its name resolves to a private address then', async () => {
    const addresses = ['93.184.216.34', '127.0.0.1'];
    const outgoing = new OutgoingHosts({
      allowed: ['public', 'http://8.8.8.0/24:*'],
      operatorUrls: [],
      resolve: (_name, _options, give) => give(null, [{ address: addresses.at(-1)!, family: 4 }]),
    });
    const source = await createGitLabSourceFactory({
      limiter: ownLimiter(),
      ...{ defaultToken: TOKEN, outgoing, userAgent: 'repotide-test', logger: silentLogger },
      ...{ requestTimeoutMs: 5_000, maxRetries: 2 },
    }).open(
      { baseUrl: `http://rebinding.example.com:${port}`, credentialId: null },
      AbortSignal.timeout(30_000),
    );
    const asked = source.findProject('a/b', AbortSignal.timeout(30_000));
    await expect(asked).rejects.toMatchObject({ kind: 'invalid', code: 'url_not_allowed' });
    expect(seen).toEqual([]);
  });
});

describe('OUTGOING_ALLOWED_HOSTS', () => {
  let directory: string;
  let gitlab: GitLabStandIn;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-outgoing-'));
    const git = await createGitRepository(join(directory, 'git'));
    git.write('a.ts', 'export const a = 1;\n');
    await git.commit('A file');
    gitlab = await startGitLabStandIn();
    await gitlab.addProject({ path: 'a/b', gitDir: git.directory, defaultBranch: 'main' });
  });
  afterAll(async () => {
    await gitlab.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it.each([
    ['a network', 'http://127.0.0.0/8:*', '127.0.0.1', 201],
    ['an address', 'http://127.0.0.1:*', '2130706433', 201],
    ['a name, whatever it resolves to', 'http://localhost:*', 'localhost', 201],
    ['the network that a name resolves to', 'public,http://127.0.0.0/8:*,::1', '127.0.0.1', 201],
    ['another network', 'http://10.0.0.0/8:*', '127.0.0.1', 422],
    ['another port of the host', 'http://127.0.0.1:1', '127.0.0.1', 422],
    ['another scheme of the host', '127.0.0.1:*', '127.0.0.1', 422],
  ])(
    'OUTGOING_ALLOWED_HOSTS with %s decides about the host',
    async (_what, OUTGOING_ALLOWED_HOSTS, host, status) => {
      const other = await startTestApi({
        gitlab: { url: 'https://gitlab.example.com', token: TOKEN },
        env: { OUTGOING_ALLOWED_HOSTS, REPOTIDE_ENCRYPTION_KEY: 'a-key-of-these-tests-only' },
      });
      try {
        const base_url = `http://${host}:${new URL(gitlab.url).port}`;
        const made = await post('/api/v1/credentials', { name: 'own', token: gitlab.token, base_url }, other);
        expect(made.status).toBe(status);
        if (status !== 201) return;
        const { id: credential_id } = made.body as { id: string };
        const body = { project_path: 'a/b', base_url, credential_id };
        expect(await post('/api/v1/repositories', body, other)).toMatchObject({ status: 201 });
      } finally {
        await other.stop();
      }
    },
  );

  it('allows no other port and scheme of the host of GITLAB_URL, and no error repeats what a server answered', async () => {
    const own = await startTestApi({
      gitlab: { url: gitlab.url, token: gitlab.token },
      env: { REPOTIDE_ENCRYPTION_KEY: 'a-key-of-these-tests-only' },
    });
    try {
      seen = [];
      for (const base_url of [`http://127.0.0.1:${port}`, gitlab.url.replace('http:', 'https:')])
        for (const [path, body] of [
          ['/api/v1/repositories', { project_path: 'a/b', base_url }],
          ['/api/v1/credentials', { name: base_url, token: 'glpat-x', base_url }],
        ] as const)
          expect(await post(path, body, own)).toMatchObject({
            status: 422,
            body: { code: 'url_not_allowed' },
          });
      expect(seen).toEqual([]);
    } finally {
      await own.stop();
    }
    const told = await startTestApi({ gitlab: { url: `http://127.0.0.1:${port}`, token: TOKEN } });
    try {
      for (const status of [400, 401, 403, 404, 409, 418, 422, 429, 500, 503]) {
        const words = 'the-database-password-of-the-neighbour';
        for (const body of [
          words,
          JSON.stringify({ message: words, error: words, error_description: [words] }),
        ]) {
          answer = { status, headers: {}, body };
          const refused = await post('/api/v1/repositories', { project_path: 'a/b' }, told);
          expect([status, refused.status >= 400, refused.text.includes(words)]).toEqual([
            status,
            true,
            false,
          ]);
        }
        answer = { status, headers: {}, body: '{"message":' + '['.repeat(30_000) + ']'.repeat(30_000) + '}' };
        const deep = await post('/api/v1/repositories', { project_path: 'a/b' }, told);
        expect([status, deep.status, (deep.body as { code: string }).code]).not.toEqual([
          status,
          500,
          'internal_error',
        ]);
      }
    } finally {
      await told.stop();
    }
  });

  it('is not needed for the server of GITLAB_URL, and no redirect takes the token to another host', async () => {
    const own = await startTestApi({ gitlab: { url: `http://127.0.0.1:${port}`, token: TOKEN } });
    try {
      for (const status of [301, 302, 303, 307, 308])
        for (const location of [
          `http://localhost:${port}/stolen`,
          'http://169.254.169.254/stolen',
          `//[::1]:${port}/stolen`,
        ]) {
          seen = [];
          answer = { status, headers: { Location: location } };
          const refused = await post('/api/v1/repositories', { project_path: 'a/b' }, own);
          expect(refused).toMatchObject({ status: 422, body: { code: 'source_redirect_refused' } });
          expect(refused.text).not.toContain('stolen');
          expect(seen.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`]);
        }
    } finally {
      await own.stop();
    }
  });
});
