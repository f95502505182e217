import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';

const DAY_MS = 86_400_000;
let api: TestApi;
const client = () => request(api.url);
const admin = () => ({ Authorization: api.authorization('admin') });
const create = (body: object) => client().post('/api/v1/tokens').set(admin()).send(body);
const use = (token: string) =>
  client()
    .get('/api/v1/repositories')
    .set({ Authorization: `Bearer ${token}` });
const rotate = (tokenId: string, body?: object) =>
  client().post(`/api/v1/tokens/${tokenId}/rotate`).set(admin()).send(body);
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const revoke = (tokenId: string) => client().delete(`/api/v1/tokens/${tokenId}`).set(admin());

interface TokenBody {
  id: string;
  token: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  is_valid: boolean;
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
    const expired = await newToken({ name: 'expired', role: 'viewer', expires_at: inDays(1) });
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
    [{ role: 'viewer' }, 'name', 400],
    [{ name: 'x', role: 'root' }, 'role', 400],
    [{ name: 'x', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 422],
    [{ name: 'x', role: 'viewer', token: 'my own' }, 'token', 400],
  ])('refuse %j', async (body, field, status) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
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

describe('the life of API tokens', () => {
  const daysOf = ({ created_at: created, expires_at: expires }: TokenBody) =>
    expires === null ? null : Math.round((Date.parse(expires) - Date.parse(created)) / DAY_MS);

  it('is a year unless it is given, and at most that', async () => {
    expect(daysOf(await newToken({ name: 'default', role: 'viewer' }))).toBe(365);
    expect(daysOf(await newToken({ name: 'short', role: 'viewer', expires_at: inDays(7) }))).toBe(7);
    const refused = await create({ name: 'long', role: 'viewer', expires_at: inDays(366) });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      errors: [
        { field: 'expires_at', message: expect.stringContaining('365 days from now (API_TOKEN_MAX_DAYS)') },
      ],
    });
  });

  it('has no limit at 0', async () => {
    const unlimited = await startTestApi({ env: { API_TOKEN_MAX_DAYS: '0' } });
    try {
      const make = (body: object) =>
        request(unlimited.url)
          .post('/api/v1/tokens')
          .set({ Authorization: unlimited.authorization('admin') })
          .send({ name: 'x', role: 'viewer', ...body });
      expect(daysOf((await make({})).body as TokenBody)).toBeNull();
      expect(daysOf((await make({ expires_at: inDays(4000) })).body as TokenBody)).toBe(4000);
    } finally {
      await unlimited.stop();
    }
  });
});

describe('the rotation of API tokens', () => {
  it('keeps name, role, scope and life, and accepts both tokens during the overlap', async () => {
    const given = { name: 'rotated', role: 'operator', scope: ['alpha', 'beta/*'] };
    const former = await newToken({ ...given, expires_at: inDays(30) });
    const answer = await rotate(former.id, { overlap_seconds: 600 });
    expect(answer.status).toBe(201);
    const next = answer.body as TokenBody;
    expect(next).toMatchObject({ ...given, created_by: 'test-admin', is_valid: true, last_used_at: null });
    expect([next.id === former.id, next.token === former.token]).toEqual([false, false]);
    expect(Math.round((Date.parse(next.expires_at!) - Date.parse(next.created_at)) / DAY_MS)).toBe(30);
    for (const { token } of [former, next]) await use(token).expect(200);
    const kept = (await listed()).find(({ id }) => id === former.id)!;
    expect(Math.abs(Date.parse(kept.expires_at!) - Date.parse(next.created_at) - 600_000)).toBeLessThan(
      60_000,
    );
    await api.database.query(`UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      former.id,
    ]);
    await use(former.token).expect(401);
    await use(next.token).expect(200);
  });

  it('ends the former token at once without an overlap, and never prolongs it', async () => {
    const first = await newToken({ name: 'no overlap', role: 'viewer' });
    expect((await rotate(first.id, { overlap_seconds: 0 })).status).toBe(201);
    await use(first.token).expect(401);
    const second = await newToken({ name: 'ends soon', role: 'viewer', expires_at: inDays(1) });
    await rotate(second.id, { overlap_seconds: 604_800, expires_at: inDays(9) }).expect(201);
    expect((await listed()).find(({ id }) => id === second.id)).toMatchObject({
      expires_at: second.expires_at,
    });
  });

  it('refuses tokens that are not in use, come from the configuration, or do not exist', async () => {
    const { id } = await newToken({ name: 'revoked before', role: 'viewer' });
    await revoke(id);
    expect((await rotate(id)).body).toMatchObject({ status: 409, code: 'token_not_valid' });
    const own = (await listed()).find(({ name }) => name === 'test-admin')!;
    expect((await rotate(own.id)).body).toMatchObject({ status: 409, code: 'token_configured' });
    expect((await rotate(UNKNOWN_ID)).body).toMatchObject({ status: 404, code: 'token_not_found' });
    expect((await rotate(id, { overlap_seconds: 604_801 })).status).toBe(400);
    expect((await rotate(id, { expires_at: inDays(366) })).status).toBe(422);
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
