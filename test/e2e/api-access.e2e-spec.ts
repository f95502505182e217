import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Role } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.js';
import { type ApiDocument, type Operation, operationsOf, pathOf } from '../support/operations.js';
import { rawRequest } from '../support/raw-http.js';
import { UNKNOWN_ID } from '../support/registration.js';

const ADMIN_TOKEN = 'admin-token-of-the-walk-0123456789';
const ROLES: readonly Role[] = ['viewer', 'operator', 'admin'];
const REALM = 'Bearer realm="repotide"';

/** Statuses that any route may answer to a malformed HTTP request, so they are not documented for each route. */
const GENERAL_STATUSES = ['405', '413', '415'];

interface Refusal {
  authorization: string | undefined;
  status: number;
  code: string;
  challenge: string;
}

let issuer: OidcIssuer;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;
let operations: Operation[];
let tokens: Record<Role, string>;
/** Tokens of the single sign-on issuer, by role. */
let signed: Record<Role, string>;
let strangers: Record<string, string>;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  gitlab = await startGitLabStandIn();
  installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  service = await installation.serve({
    REPOTIDE_ADMIN_TOKEN: ADMIN_TOKEN,
    REPOTIDE_ENCRYPTION_KEY: 'an-encryption-key-of-the-walk',
    GITLAB_WEBHOOK_SECRET: 'a-webhook-secret-of-the-walk',
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: 'repotide',
  });
  operations = operationsOf(await service.get<ApiDocument>('/docs-json'));
  tokens = {
    viewer: (await newToken({ name: 'viewer', role: 'viewer' })).token,
    operator: (await newToken({ name: 'operator', role: 'operator' })).token,
    admin: ADMIN_TOKEN,
  };
  signed = {
    viewer: await sign('viewer'),
    operator: await sign('operator'),
    admin: await sign('admin'),
  };
  strangers = {
    'an unknown token': 'rtd_unknown',
    'an expired token': await expiredToken(),
    'a revoked token': await revokedToken(),
    'an expired JSON web token': await issuer.sign({ sub: '7', roles: 'admin' }, { expiresIn: -120 }),
    'a JSON web token of a foreign key': await issuer.sign({ sub: '7', roles: 'admin' }, { key: 'foreign' }),
    'a JSON web token for another audience': await issuer.sign({ sub: '7', roles: 'admin', aud: 'other' }),
  };
});

afterAll(async () => {
  await installation.remove();
  await Promise.all([issuer.close(), gitlab.stop()]);
});

const sign = (role: Role): Promise<string> => issuer.sign({ sub: role, roles: role }, { expiresIn: 3600 });

function newToken(body: object): Promise<{ id: string; token: string }> {
  return service.post('/api/v1/tokens', body);
}

const statusWith = async (token: string): Promise<number> =>
  (await service.call('GET', '/api/v1/identity', undefined, token)).status;

/** The token has the role admin, so that only its expiry can be the reason for a refusal. */
async function expiredToken(): Promise<string> {
  const expires_at = new Date(Date.now() + 3_000).toISOString();
  const { token } = await newToken({ name: 'expired', role: 'admin', expires_at });
  expect(await statusWith(token)).toBe(200);
  await until('a token to expire', async () => (await statusWith(token)) === 401);
  return token;
}

async function revokedToken(): Promise<string> {
  const { id, token } = await newToken({ name: 'revoked', role: 'admin' });
  expect(await statusWith(token)).toBe(200);
  expect((await service.call('DELETE', `/api/v1/tokens/${id}`)).status).toBe(204);
  return token;
}

async function ask(operation: Operation, authorization?: string): Promise<Response> {
  const path = pathOf(operation, () => UNKNOWN_ID);
  return fetch(service.url + path, {
    method: operation.method,
    headers: {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(operation.requestBody && { 'Content-Type': 'application/json' }),
    },
    body: operation.requestBody && '{}',
  });
}

async function expectRefusal(operation: Operation, refusal: Refusal): Promise<void> {
  const { authorization, status, code, challenge } = refusal;
  const answer = await ask(operation, authorization);
  const body = (await answer.json()) as Record<string, unknown>;
  const seen = {
    name: operation.name,
    status: answer.status,
    code: body.code,
    type: answer.headers.get('content-type')?.split(';', 1)[0],
    challenge: answer.headers.get('www-authenticate'),
    isDocumented: String(answer.status) in operation.responses,
  };
  const type = 'application/problem+json';
  expect(seen).toEqual({ name: operation.name, status, code, type, challenge, isDocumented: true });
  const [, token] = authorization?.split(' ') ?? [];
  if (token !== undefined) expect(JSON.stringify(body)).not.toContain(token);
}

const guarded = (): Operation[] => operations.filter(({ role }) => role !== null);

describe('every route of the API document', () => {
  it('names a required role or is public', () => {
    expect(guarded().length).toBeGreaterThan(40);
    for (const { name, template, role } of operations)
      expect([name, role !== null]).toEqual([name, template.startsWith('/api/')]);
    expect(new Set(guarded().map(({ role }) => role))).toEqual(new Set(ROLES));
  });

  it('refuses a request without a token, or with another scheme', async () => {
    for (const operation of guarded())
      for (const authorization of [undefined, 'Basic YWRtaW46YWRtaW4=', 'Bearer', `Bearer ${ADMIN_TOKEN} x`])
        await expectRefusal(operation, {
          authorization,
          status: 401,
          code: 'token_missing',
          challenge: REALM,
        });
  });

  it('refuses tokens that are unknown, expired, revoked, or of another issuer', async () => {
    for (const operation of guarded())
      for (const token of Object.values(strangers))
        await expectRefusal(operation, {
          authorization: `Bearer ${token}`,
          status: 401,
          code: 'token_rejected',
          challenge: `${REALM}, error="invalid_token"`,
        });
  });

  it('refuses every role below the one that it names', async () => {
    let count = 0;
    for (const operation of guarded())
      for (const role of ROLES.slice(0, ROLES.indexOf(operation.role!)))
        for (const token of [tokens[role], signed[role]]) {
          count += 1;
          await expectRefusal(operation, {
            authorization: `Bearer ${token}`,
            status: 403,
            code: 'role_required',
            challenge: `${REALM}, error="insufficient_scope"`,
          });
        }
    expect(count).toBeGreaterThan(40);
  });

  it('accepts that role and every higher one, and answers as documented', async () => {
    for (const operation of guarded())
      for (const role of ROLES.slice(ROLES.indexOf(operation.role!)))
        for (const token of [tokens[role], signed[role]]) {
          const answer = await ask(operation, `Bearer ${token}`);
          await answer.body?.cancel();
          const documented = [...Object.keys(operation.responses), ...GENERAL_STATUSES];
          expect([operation.name, role, documented]).toEqual([
            operation.name,
            role,
            expect.arrayContaining([String(answer.status)]),
          ]);
          expect([operation.name, role, answer.status]).not.toEqual([operation.name, role, 401]);
          expect([operation.name, role, answer.status]).not.toEqual([operation.name, role, 403]);
          expect([operation.name, role, answer.status < 500]).toEqual([operation.name, role, true]);
        }
  });

  it('refuses other spellings of its path without a token', async () => {
    const spellings = [
      (path: string) => path.toUpperCase(),
      (path: string) => `${path}/`,
      (path: string) => `/${path}`,
      (path: string) => `/health/../${path.slice(1)}`,
      (path: string) => `/health/..%2f${path.slice(1)}`,
      (path: string) => path.replace('/api/', '/%61pi/'),
      (path: string) => `${path};role=admin`,
      (path: string) => `${path}%00`,
      (path: string) => `${path}?access_token=${ADMIN_TOKEN}&token=${ADMIN_TOKEN}`,
    ];
    for (const { name, method, template } of guarded())
      for (const spell of spellings) {
        const path = spell(pathOf({ template }, () => UNKNOWN_ID));
        const answer = await rawRequest(service.url, { method, path });
        expect([name, [400, 401, 404, 405]]).toEqual([name, expect.arrayContaining([answer.status])]);
      }
  });

  it('is public or checks another proof when it names no role', async () => {
    for (const operation of operations.filter(({ role }) => role === null)) {
      const answer = await ask(operation);
      await answer.body?.cancel();
      const others: Record<string, number> = { '/webhooks/gitlab': 401, '/auth/sign-out': 204 };
      expect([operation.name, answer.status]).toEqual([operation.name, others[operation.template] ?? 200]);
    }
  });
});
