import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';

let api: TestApi;
const client = () => request(api.url);
const admin = () => ({ Authorization: api.authorization('admin') });
const create = (body: object) => client().post('/api/v1/tokens').set(admin()).send(body);
const use = (token: string) =>
  client()
    .get('/api/v1/repositories')
    .set({ Authorization: `Bearer ${token}` });
const revoke = (tokenId: string) => client().delete(`/api/v1/tokens/${tokenId}`).set(admin());

interface TokenBody {
  id: string;
  token: string;
  name: string;
  last_used_at: string | null;
}

async function newToken(body: object): Promise<TokenBody> {
  const answer = await create(body);
  expect(answer.status).toBe(201);
  return answer.body as TokenBody;
}

async function listed(): Promise<TokenBody[]> {
  return ((await client().get('/api/v1/tokens').set(admin())).body as { items: TokenBody[] }).items;
}

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

describe('API tokens', () => {
  it('are shown once, work at once, and are stored as a hash', async () => {
    const answer = await create({ name: ' ci ', role: 'viewer' });
    expect(answer.headers['cache-control']).toBe('no-store');
    const { token, id } = answer.body as TokenBody;
    expect(token).toMatch(/^rtd_[\w-]{32}$/);
    expect(answer.body).toMatchObject({
      name: 'ci',
      is_valid: true,
      created_by: 'test-admin',
      expires_at: null,
    });
    await use(token).expect(200);
    const list = await client().get('/api/v1/tokens').set(admin());
    expect(list.text).not.toContain(token);
    expect(list.text).not.toContain('hash');
    const kept = await api.database.query('SELECT * FROM api_tokens WHERE id = $1', [id]);
    expect(JSON.stringify(kept)).not.toContain(token);
    expect(JSON.stringify(api.logger.lines)).not.toContain(token);
  });

  it('record the minute of their last use', async () => {
    const { token, id } = await newToken({ name: 'used', role: 'viewer' });
    const lastUse = async () => (await listed()).find((each) => each.id === id)?.last_used_at;
    expect(await lastUse()).toBeNull();
    await use(token).expect(200);
    const first = await lastUse();
    expect(Date.parse(first!)).toBeGreaterThan(0);
    await use(token).expect(200);
    expect(await lastUse()).toBe(first);
  });

  it('are refused once they are revoked or expired', async () => {
    const revoked = await newToken({ name: 'revoked', role: 'viewer' });
    for (let time = 0; time < 2; time++) expect((await revoke(revoked.id)).status).toBe(204);
    const expired = await newToken({ name: 'expired', role: 'viewer', expires_at: '2100-01-01T00:00:00Z' });
    await use(expired.token).expect(200);
    await api.database.query(`UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      expired.id,
    ]);
    for (const { token, id } of [revoked, expired]) {
      expect((await use(token)).body).toMatchObject({ status: 401, code: 'token_rejected' });
      expect((await listed()).find((each) => each.id === id)).toMatchObject({ is_valid: false });
    }
  });

  it('cannot be revoked by their caller, or when it is the last one of an administrator', async () => {
    const [own] = (await listed()).filter(({ name }) => name === 'test-admin');
    expect((await revoke(own!.id)).body).toMatchObject({ status: 409, code: 'last_admin_token' });
    const second = await newToken({ name: 'second', role: 'admin' });
    expect((await revoke(second.id)).status).toBe(204);
    expect((await revoke(own!.id)).status).toBe(409);
  });

  it.each([
    [{ role: 'viewer' }, 'name'],
    [{ name: 'x', role: 'root' }, 'role'],
    [{ name: 'x', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', role: 'viewer', token: 'my own' }, 'token'],
  ])('refuse %j', async (body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ field }] });
  });

  it('are found by their ids', async () => {
    expect((await revoke(UNKNOWN_ID)).body).toMatchObject({ status: 404, code: 'token_not_found' });
    expect((await revoke('x')).status).toBe(400);
  });

  it.each(['get', 'post', 'delete'] as const)('cannot be managed by operators: %s', async (method) => {
    const path = method === 'delete' ? `/api/v1/tokens/${UNKNOWN_ID}` : '/api/v1/tokens';
    const asked = client();
    expect((await asked[method](path).set({ Authorization: api.authorization('operator') })).status).toBe(
      403,
    );
  });
});

describe('the rate limit', () => {
  it('counts each caller separately, and returns the remaining requests and the reset time', async () => {
    const limited = await startTestApi({ env: { API_RATE_LIMIT_PER_MINUTE: '3' } });
    try {
      const ask = (role: 'viewer' | 'operator') =>
        request(limited.url)
          .get('/api/v1/repositories')
          .set({ Authorization: limited.authorization(role) });
      for (const left of ['2', '1', '0']) {
        const { status, headers } = await ask('viewer');
        expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
          200,
          '3',
          left,
        ]);
      }
      const refused = await ask('viewer');
      expect(refused.body).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await ask('operator')).status).toBe(200);
      // Probes have no caller, so they are not limited.
      await request(limited.url).get('/health/live').expect(200);
    } finally {
      await limited.stop();
    }
  });

  it('is off at 0', async () => {
    const open = await startTestApi({ env: { API_RATE_LIMIT_PER_MINUTE: '0' } });
    try {
      const answer = await request(open.url)
        .get('/api/v1/repositories')
        .set({ Authorization: open.authorization('viewer') });
      expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([200, undefined]);
    } finally {
      await open.stop();
    }
  });
});
