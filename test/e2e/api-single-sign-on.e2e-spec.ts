import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.js';
import { type TestApi, startTestApi } from '../support/api-app.js';

let issuer: OidcIssuer;
let api: TestApi;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  api = await startTestApi({
    env: {
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: 'repotide',
      OIDC_ROLE_CLAIM: 'realm_access.roles',
      OIDC_ROLE_MAP: 'platform=admin,developers=viewer',
    },
  });
});
afterAll(async () => {
  await api.stop();
  await issuer.close();
});

const roles = (...values: unknown[]) => ({ sub: '7', realm_access: { roles: values } });
const call = (token: string, path = '/api/v1/repositories') =>
  request(api.url)
    .get(path)
    .set({ Authorization: `Bearer ${token}` });

async function codeOf(token: string, path?: string): Promise<[number, string | undefined]> {
  const answer = await call(token, path);
  return [answer.status, (answer.body as { code?: string }).code];
}

describe('a JSON web token', () => {
  it.each(['RS256', 'ES256'] as const)(
    'signed with %s is accepted for what its role may do',
    async (algorithm) => {
      const token = await issuer.sign(roles('developers'), { algorithm });
      expect((await call(token)).status).toBe(200);
      expect(await codeOf(token, '/api/v1/audit')).toEqual([403, 'role_required']);
    },
  );

  it('gets the highest of its roles, and its name is in the audit log', async () => {
    const token = await issuer.sign({ ...roles('developers', 'platform', 3), preferred_username: 'ann' });
    const made = await request(api.url)
      .post('/api/v1/tokens')
      .set({ Authorization: `Bearer ${token}` })
      .send({ name: 'ci', role: 'viewer' });
    expect(made.body).toMatchObject({ created_by: 'ann' });
    const audit = await call(token, '/api/v1/audit?actor_id=oidc:7&kind=change');
    expect(audit.body).toMatchObject({
      total: 1,
      items: [{ actor_name: 'ann', actor_role: 'admin', action: 'token.create', outcome: 'succeeded' }],
    });
  });

  it('has the first of its names without a control character', async () => {
    const names = { preferred_username: 'a\u0000b', nickname: 'zoe' };
    const token = await issuer.sign({ ...roles('platform'), ...names });
    const made = await request(api.url)
      .post('/api/v1/tokens')
      .set({ Authorization: `Bearer ${token}` })
      .send({ name: 'ci', role: 'viewer' });
    expect(made.body).toMatchObject({ created_by: 'zoe' });
  });

  it('is checked with the cached keys of the issuer', async () => {
    const before = issuer.keyRequests();
    for (let count = 0; count < 5; count++) await call(await issuer.sign(roles('developers'))).expect(200);
    expect(issuer.keyRequests()).toBe(before);
  });

  it('is accepted a little after its end, because clocks differ', async () => {
    expect((await call(await issuer.sign(roles('developers'), { expiresIn: -10 }))).status).toBe(200);
  });

  it.each([
    ['expired', {}, { expiresIn: -120 }],
    ['for another audience', { aud: 'elsewhere' }, {}],
    ['of another issuer', { iss: 'https://evil.test' }, {}],
    ['without an end', { exp: undefined }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['not valid yet', { nbf: Math.floor(Date.now() / 1000) + 600 }, {}],
    ['with an empty subject', { sub: '' }, {}],
    ['with a blank subject', { sub: '  ' }, {}],
    ['with a control character in its subject', { sub: 'a\u0000b' }, {}],
    ['with a subject that is no text', { sub: 7 as never }, {}],
    ['valid for a hundred years', {}, { expiresIn: 100 * 365 * 86_400 }],
    ['issued to another client', { azp: 'another-client' }, {}],
    ['that is an ID token by its type', { typ: 'ID' }, {}],
    ['that is a refresh token', { typ: 'Refresh' }, {}],
    ['that is an ID token by its nonce', { nonce: 'n-0S6' }, {}],
    ['that is an ID token by the hash of an access token', { at_hash: '77QmUPtjPfzWtF2AnpK9RQ' }, {}],
    ['that is an ID token of Cognito', { token_use: 'id' }, {}],
    ['of another type', {}, { type: 'logout+jwt' }],
    ['signed by another key', {}, { key: 'foreign' }],
    ['signed with the public key as a secret', {}, { algorithm: 'HS256' }],
  ] as const)('%s is refused', async (_what, claims, options) => {
    const token = await issuer.sign({ ...roles('platform'), ...claims }, options);
    expect(await codeOf(token)).toEqual([401, 'token_rejected']);
  });

  it.each([
    ['of RFC 9068', {}, { type: 'at+jwt' }],
    ['of Keycloak', { typ: 'Bearer', azp: 'repotide', nonce: 'n-0S6' }, {}],
    ['for several audiences', { aud: ['account', 'repotide'], azp: 'repotide' }, {}],
  ] as const)('that is an access token %s is accepted', async (_what, claims, options) => {
    const token = await issuer.sign({ ...roles('platform'), ...claims } as never, options);
    expect((await call(token)).status).toBe(200);
  });

  it('is refused without a signature, and when it was changed', async () => {
    const [head, body, signature] = (await issuer.sign(roles('developers'))).split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString()) as object;
    const raised = encode({ ...claims, ...roles('platform') });
    expect(await codeOf(`${head}.${raised}.${signature}`)).toEqual([401, 'token_rejected']);
    expect(await codeOf(`${encode({ alg: 'none' })}.${raised}.x`)).toEqual([401, 'token_rejected']);
    expect(await codeOf('a.b.c')).toEqual([401, 'token_rejected']);
  });

  it.each([
    ['no role', { sub: '7' }],
    ['an unknown role', roles('root')],
    ['a role that JavaScript knows', roles('constructor', '__proto__')],
    ['a claim of another form', { sub: '7', realm_access: 'platform' }],
  ])('with %s is refused', async (_what, claims) => {
    expect(await codeOf(await issuer.sign(claims))).toEqual([403, 'role_required']);
  });

  it('works beside API tokens', async () => {
    const answer = await request(api.url)
      .get('/api/v1/repositories')
      .set({ Authorization: api.authorization('viewer') });
    expect(answer.status).toBe(200);
  });
});

describe('an issuer that does not answer', () => {
  it('causes a 503, not a 401; API tokens still work', async () => {
    const broken = await startOidcIssuer();
    const other = await startTestApi({ env: { OIDC_ISSUER: broken.url, OIDC_AUDIENCE: 'repotide' } });
    try {
      const token = await broken.sign({ sub: '7', roles: 'viewer' });
      broken.breakDown();
      const answer = await request(other.url)
        .get('/api/v1/repositories')
        .set({ Authorization: `Bearer ${token}` });
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([503, 'issuer_unavailable']);
      const own = await request(other.url)
        .get('/api/v1/repositories')
        .set({ Authorization: other.authorization('viewer') });
      expect(own.status).toBe(200);
    } finally {
      await other.stop();
      await broken.close();
    }
  });
});
