import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { createGitRepository } from '../git-fixtures/git-repository.js';
import { type GitLabStandIn, startGitLabStandIn } from './gitlab-stand-in.js';

let folder: string;
let gitlab: GitLabStandIn;
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-refusals-'));
  const repository = await createGitRepository(join(folder, 'work'), { bare: true });
  await repository.write('README.md', 'hello\n').commit();
  now = Date.UTC(2024, 0, 1);
  gitlab = await startGitLabStandIn({ now: () => now });
  await gitlab.addProject({ path: 'group/demo', gitDir: repository.directory });
});

afterEach(async () => {
  await gitlab.stop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(path: string, headers: Record<string, string> = bearer(gitlab.token), method = 'GET') {
  const answer = await request(`${gitlab.url}/api/v4${path}`, { method: method as 'GET', headers });
  const text = await answer.body.text();
  const isJson = text !== '' && answer.headers['content-type'] === 'application/json';
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

const FILE = '/projects/1/repository/files/README.md/raw?ref=main';

describe('tokens of the GitLab stand-in', () => {
  it('are accepted in either header', async () => {
    expect((await ask('/projects/1')).status).toBe(200);
    expect((await ask('/projects/1', { 'private-token': gitlab.token })).status).toBe(200);
    expect(gitlab.requests.map(({ token }) => token)).toEqual(['accepted', 'accepted']);
  });

  it('are refused when they are unknown, expired or revoked', async () => {
    const unknown = await ask('/projects/1', bearer('nope'));
    expect([unknown.status, unknown.body]).toEqual([401, { message: '401 Unauthorized' }]);
    gitlab.endToken('default', 'revoked');
    const revoked = await ask('/projects/1');
    expect(revoked.status).toBe(401);
    expect(revoked.body).toMatchObject({ error: 'invalid_token' });
    expect(gitlab.requests.map(({ token }) => token)).toEqual(['rejected', 'rejected']);
  });

  it('never appear in the log', async () => {
    await ask(`/projects/1?private_token=${gitlab.token}&page_token=abc`);
    expect(JSON.stringify(gitlab.requests)).not.toContain(gitlab.token);
    expect(gitlab.requests[0]?.query).toEqual({ page_token: 'abc' });
  });

  it('with the scope read_repository can read files and nothing else', async () => {
    gitlab.addToken({ name: 'narrow', value: 'narrow-value', scopes: ['read_repository'] });
    expect((await ask(FILE, bearer('narrow-value'))).body).toBe('hello\n');
    const refused = await ask('/projects/1/repository/tree', bearer('narrow-value'));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: 'insufficient_scope', scope: 'api read_api' });
  });

  it('see no project without a role, and no code as a guest', async () => {
    const repository = join(folder, 'work');
    gitlab.addToken({ name: 'guest', value: 'guest-value', scopes: ['read_api'] });
    await gitlab.addProject({ path: 'group/closed', gitDir: repository, roles: { guest: 'guest' } });
    const stranger = await ask('/projects/group%2Fclosed');
    expect([stranger.status, stranger.body]).toEqual([404, { message: '404 Project Not Found' }]);
    const shown = await ask('/projects/group%2Fclosed', bearer('guest-value'));
    expect(shown.body).not.toHaveProperty('default_branch');
    const code = await ask('/projects/group%2Fclosed/repository/tree', bearer('guest-value'));
    expect([code.status, code.body]).toEqual([403, { message: '403 Forbidden' }]);
    expect((await ask('/projects/1', {})).status).toBe(404);
  });

  it('are not needed for a public project', async () => {
    await gitlab.addProject({ path: 'group/open', gitDir: join(folder, 'work'), visibility: 'public' });
    expect((await ask('/projects/group%2Fopen/repository/tree', {})).status).toBe(200);
  });
});

describe('moved, hidden and archived projects of the GitLab stand-in', () => {
  it('redirect a former path to the project id and keep the rest of the URL', async () => {
    gitlab.moveProject(1, 'elsewhere/demo');
    const moved = await ask('/projects/group%2Fdemo/repository/tree?recursive=true');
    expect(moved.status).toBe(301);
    expect(moved.headers.location).toBe(`${gitlab.url}/api/v4/projects/1/repository/tree?recursive=true`);
    expect((await ask('/projects/group%2Fdemo')).headers.location).toBe(`${gitlab.url}/api/v4/projects/1`);
    expect((await ask('/projects/elsewhere%2Fdemo')).body).toMatchObject({ id: 1 });
    expect(
      (await ask('/projects/group%2Fdemo/repository/files/README.md?ref=main', undefined, 'HEAD')).status,
    ).toBe(405);
  });

  it('answer 404 when the deletion is pending, and can be read when archived', async () => {
    const project = await gitlab.addProject({ path: 'group/other', gitDir: join(folder, 'work') });
    project.archived = true;
    expect((await ask(`/projects/${project.id}`)).body).toMatchObject({ archived: true });
    expect((await ask(`/projects/${project.id}/repository/tree`)).status).toBe(200);
    project.hidden = true;
    expect((await ask(`/projects/${project.id}`)).body).toEqual({ message: '404 Project Not Found' });
  });

  it('have no other routes', async () => {
    for (const path of ['/', '/users', '/projects/1/nope', '/projects/1/repository/branches/a/b']) {
      const answer = await ask(path);
      expect([answer.status, answer.body]).toEqual([404, { error: '404 Not Found' }]);
    }
    expect((await ask('/projects/1/repository/tree', undefined, 'POST')).status).toBe(405);
  });
});

describe('rate limits of the GitLab stand-in', () => {
  it('count down in headers, then answer 429 with Retry-After', async () => {
    gitlab.settings.rateLimits.api = { requests: 2, periodSeconds: 60 };
    now += 15_000;
    const first = await ask('/projects/1');
    const reset = Date.UTC(2024, 0, 1) / 1000 + 60;
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-observed': '1',
      'ratelimit-remaining': '1',
      'ratelimit-reset': `${reset}`,
    });
    await ask('/projects/1');
    const refused = await ask('/projects/1');
    expect([refused.status, refused.body]).toEqual([429, 'Retry later\n']);
    expect(refused.headers).toMatchObject({
      'content-type': 'text/plain',
      'retry-after': '45',
      'ratelimit-remaining': '0',
      'ratelimit-resettime': new Date(reset * 1000).toUTCString(),
    });
    now += 45_000;
    expect((await ask('/projects/1')).status).toBe(200);
  });

  it('send no headers while they are off', async () => {
    expect((await ask('/projects/1')).headers).not.toHaveProperty('ratelimit-limit');
  });

  it('count files separately from other requests', async () => {
    gitlab.settings.rateLimits.files = { requests: 1, periodSeconds: 60 };
    expect((await ask(FILE)).status).toBe(200);
    expect((await ask(FILE)).status).toBe(429);
    expect((await ask('/projects/1')).status).toBe(200);
  });

  it('limit archives without headers, and answer 429 with an object as message', async () => {
    gitlab.settings.rateLimits.api = { requests: 100, periodSeconds: 60 };
    for (let count = 0; count < 5; count += 1) {
      expect((await ask('/projects/1/repository/archive.tar.gz')).status).toBe(200);
    }
    const refused = await ask('/projects/1/repository/archive.tar.gz');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      message: { error: 'This archive has been requested too many times. Try again later.' },
    });
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(refused.headers['ratelimit-remaining']).toBe('94');
    now += 60_000;
    expect((await ask('/projects/1/repository/archive.tar.gz')).status).toBe(200);
  });

  it('limit the lookup of projects', async () => {
    gitlab.settings.rateLimits.project = { requests: 1, periodSeconds: 60 };
    await ask('/projects/1');
    expect((await ask('/projects/1')).body).toMatchObject({
      message: { error: expect.stringMatching(/Try again later/) },
    });
    expect((await ask('/projects/1/repository/tree')).status).toBe(200);
  });
});

describe('the log of the GitLab stand-in', () => {
  it('keeps method, path, query and status in order', async () => {
    await ask('/projects/group%2Fdemo/repository/tree?recursive=true');
    await ask('/projects/1/repository/branches/nope');
    expect(gitlab.requests).toMatchObject([
      {
        method: 'GET',
        path: '/api/v4/projects/group%2Fdemo/repository/tree',
        query: { recursive: 'true' },
        status: 200,
        fault: null,
        failure: null,
      },
      { path: '/api/v4/projects/1/repository/branches/nope', status: 404 },
    ]);
    gitlab.resetLog();
    expect(gitlab.requests).toHaveLength(0);
  });
});
