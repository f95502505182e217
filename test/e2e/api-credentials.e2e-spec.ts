import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitRepository, type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';

const HUSH = 'glpat-hush-hush';

let api: TestApi;
let gitlab: GitLabStandIn;
let folder: string;
beforeAll(async () => {
  gitlab = await startGitLabStandIn();
  folder = await mkdtemp(join(tmpdir(), 'repotide-credentials-'));
  await (await createGitRepository(folder)).write('a.txt', 'a').commit('first');
  await gitlab.addProject({ path: 'group/shared', gitDir: folder, roles: { app: 'reporter' } });
  api = await startTestApi({
    gitlab: { url: gitlab.url, token: gitlab.token },
    env: { REPOTIDE_ENCRYPTION_KEY: 'a key for the tests alone' },
  });
});
afterAll(async () => {
  await api.stop();
  await gitlab.stop();
  await rm(folder, { recursive: true });
});

const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const call = (method: 'get' | 'post' | 'patch' | 'delete', path = '') =>
  request(api.url)[method](`/api/v1/credentials${path}`).set(as('admin'));

async function create(body: object): Promise<{ id: string }> {
  const answer = await call('post').send(body);
  expect(answer.status).toBe(201);
  return answer.body as { id: string };
}
const oauthOf = (grant: ReturnType<GitLabStandIn['grantOAuth']>, expiresAt = grant.expiresAt) => ({
  client_id: grant.clientId,
  client_secret: grant.clientSecret,
  access_token: grant.accessToken,
  refresh_token: grant.refreshToken,
  expires_at: expiresAt.toISOString(),
});

describe('/api/v1/credentials', () => {
  it('stores a token and never shows it', async () => {
    const answer = await call('post').send({ name: 'ci', token: HUSH });
    expect(answer.status).toBe(201);
    const { id } = answer.body as { id: string };
    expect(answer.headers.location).toBe(`/api/v1/credentials/${id}`);
    expect(answer.body).toMatchObject({
      name: 'ci',
      kind: 'token',
      base_url: gitlab.url,
      repository_count: 0,
    });
    const listed = await call('get');
    const shown = await call('get', `/${id}`);
    expect(listed.body).toEqual({ items: [shown.body], total: 1 });
    expect(JSON.stringify([answer.body, listed.body, shown.body])).not.toContain('hush');
    expect((await call('delete', `/${id}`)).status).toBe(204);
    expect((await call('get', `/${id}`)).status).toBe(404);
  });

  it('refreshes the OAuth token with which a repository is read, and refuses its deletion meanwhile', async () => {
    const { id } = await create({ name: 'app', oauth: oauthOf(gitlab.grantOAuth('app'), new Date(0)) });
    const registered = await request(api.url)
      .post('/api/v1/repositories')
      .set(as('admin'))
      .send({ project_path: 'group/shared', branch: 'main', credential_id: id });
    expect(registered.status).toBe(201);
    expect(registered.body).toMatchObject({ credential_id: id });
    const refused = await call('delete', `/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'credential_in_use' });
    expect((await call('get', `/${id}`)).body).toMatchObject({ kind: 'oauth', repository_count: 1 });
  });

  it('reports that a new login is required, and accepts one', async () => {
    const spent = { ...gitlab.grantOAuth('spent'), refreshToken: 'rt-used-up' };
    const { id } = await create({ name: 'spent', oauth: oauthOf(spent, new Date(0)) });
    const register = () =>
      request(api.url)
        .post('/api/v1/repositories')
        .set(as('admin'))
        .send({ project_path: 'group/other', credential_id: id });
    expect((await register()).body).toMatchObject({ status: 502, code: 'credential_needs_login' });
    expect((await call('get', `/${id}`)).body).toMatchObject({
      needs_login_since: expect.any(String) as unknown,
    });
    const renewed = await call('patch', `/${id}`).send({ oauth: oauthOf(gitlab.grantOAuth('spent')) });
    expect(renewed.body).toMatchObject({ needs_login_since: null });
    expect((await register()).body).toMatchObject({ code: 'project_not_found' });
  });

  it('refuses a new secret from a caller who read an older revision', async () => {
    const { id } = await create({ name: 'guarded', token: HUSH });
    const { etag } = (await call('get', `/${id}`)).headers;
    expect(etag).toBe('"1"');
    const patch = (ifMatch: string) =>
      call('patch', `/${id}`)
        .set({ 'If-Match': ifMatch })
        .send({ token: `${HUSH}-2` });
    const answers = await Promise.all([patch(etag!), patch(etag!)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(answers.find(({ status }) => status === 412)?.body).toMatchObject({ code: 'revision_mismatch' });
    expect(answers.find(({ status }) => status === 200)?.headers.etag).toBe('"2"');
    expect((await patch('2')).body).toMatchObject({ status: 400, code: 'if_match_invalid' });
    expect((await patch('*')).body).toMatchObject({ revision: 3 });
  });

  it('is never sent to another host', async () => {
    const { id } = await create({ name: 'elsewhere', token: HUSH, base_url: 'https://gitlab.example.com/' });
    expect((await call('get', `/${id}`)).body).toMatchObject({ base_url: 'https://gitlab.example.com' });
    gitlab.resetLog();
    const answer = await request(api.url)
      .post('/api/v1/repositories')
      .set(as('admin'))
      .send({ project_path: 'group/shared', credential_id: id });
    expect(answer.body).toMatchObject({
      status: 422,
      code: 'credential_foreign_host',
      errors: [{ field: 'credential_id' }],
    });
    expect(gitlab.requests).toEqual([]);
  });

  it.each([
    ['nothing secret', { name: 'x' }, 400, 'token'],
    ['both kinds', { name: 'x', token: HUSH, oauth: {} }, 400, 'token'],
    ['a token with blanks', { name: 'x', token: `${HUSH} ${HUSH}` }, 400, 'token'],
    [
      'an incomplete OAuth grant',
      { name: 'x', oauth: { access_token: HUSH, client_secret: `${HUSH} x` } },
      400,
      'oauth.client_id',
    ],
    ['no grant at all', { name: 'x', oauth: HUSH }, 400, 'oauth'],
    ['a secret in a wrong field', { name: 'x', token: HUSH, refresh_token: HUSH }, 400, 'refresh_token'],
    ['no address', { name: 'x', token: HUSH, base_url: 'gitlab' }, 422, 'base_url'],
  ])('refuses %s, without repeating a secret', async (_what, body, status, field) => {
    const answer = await call('post').send(body);
    expect(answer.status).toBe(status);
    const { errors } = answer.body as { errors: { field: string }[] };
    expect(errors.map((error) => error.field)).toContain(field);
    expect(answer.text).not.toContain('hush');
  });

  it('is found by name and by id', async () => {
    await create({ name: 'twice', token: HUSH });
    expect((await call('post').send({ name: 'twice', token: HUSH })).body).toMatchObject({
      status: 409,
      code: 'credential_exists',
    });
    const patched = await call('patch', `/${UNKNOWN_ID}`).send({ token: HUSH });
    expect(patched.body).toMatchObject({ status: 404, code: 'credential_not_found' });
  });

  it('encrypts all secrets again on request', async () => {
    const answer = await request(api.url).post('/api/v1/credential-key/rotate').set(as('admin'));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ resealed: 0, unreadable: [] });
  });

  it('requires the role admin, and writes no secret to the log', async () => {
    for (const role of ['viewer', 'operator'] as const) {
      expect((await request(api.url).get('/api/v1/credentials').set(as(role))).status).toBe(403);
    }
    expect(JSON.stringify(api.logger.lines)).not.toContain('hush');
  });
});

describe('without REPOTIDE_ENCRYPTION_KEY', () => {
  it('no credential is stored, and the answer names the variable', async () => {
    const keyless = await startTestApi();
    try {
      const answer = await request(keyless.url)
        .post('/api/v1/credentials')
        .set({ Authorization: keyless.authorization('admin') })
        .send({ name: 'ci', token: HUSH });
      expect(answer.body).toMatchObject({ status: 422, code: 'encryption_key_missing' });
      expect(answer.text).toContain('REPOTIDE_ENCRYPTION_KEY');
    } finally {
      await keyless.stop();
    }
  });
});
