import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import request from 'supertest';
import { ApiTokens, ScopedRepositories, UserSessions } from '@adapters/postgres';
import { systemClock, Logger, Clock, CodeRights, RequestLimits } from '@core/domain';
import { loadConfig } from '@platform/config';
import { AccessModule } from '../../apps/server/src/access/access.module.js';
import { OpenRoute } from '../../apps/server/src/access/role.js';
import * as token from '../../apps/server/src/injection-tokens.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { silentLogger } from '../support/silent-logger.js';
import { UNKNOWN_ID } from '../support/registration.js';

@ApiExcludeController()
@Controller('broken')
@OpenRoute()
class BrokenController {
  @Get()
  fail(): never {
    throw new Error('the password of the database is hunter2');
  }
}
@Module({ controllers: [BrokenController] })
class BrokenModule {}

/** Dependencies of the access guard; no request reaches it. */
const PORTS_OF_ACCESS = [
  { provide: ApiTokens, useValue: {} },
  { provide: ScopedRepositories, useValue: {} },
  { provide: UserSessions, useValue: {} },
  { provide: CodeRights, useValue: {} },
  { provide: Clock, useValue: systemClock },
  { provide: RequestLimits, useValue: {} },
  { provide: Logger, useValue: silentLogger },
  { provide: token.CONFIG, useValue: loadConfig({}) },
];

let api: TestApi;
const client = () => request(api.url);
const call = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) => client()[method](path);
const asViewer = () => ({ Authorization: api.authorization('viewer') });
const asAdmin = () => ({ Authorization: api.authorization('admin') });

beforeAll(async () => {
  api = await startTestApi({ modules: [BrokenModule] });
});
afterAll(() => api.stop());

describe('authentication', () => {
  it('refuses a request without a token and explains how to send one', async () => {
    const answer = await client().get('/api/v1/repositories');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="repotide"');
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      code: 'token_missing',
      status: 401,
      instance: '/api/v1/repositories',
    });
  });

  it.each(['Bearer wrong', 'Basic YTpi', 'Bearer', 'Bearer a b'])('refuses "%s"', async (authorization) => {
    const answer = await client().get('/api/v1/repositories').set({ Authorization: authorization });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('wrong');
  });

  it('accepts the scheme in any case', async () => {
    const authorization = api.authorization('viewer').replace('Bearer', 'bearer');
    await client().get('/api/v1/repositories').set({ Authorization: authorization }).expect(200);
  });

  it.each([
    ['post', '/api/v1/repositories', 'operator', 'admin'],
    ['patch', `/api/v1/repositories/${UNKNOWN_ID}`, 'operator', 'admin'],
    ['delete', `/api/v1/repositories/${UNKNOWN_ID}`, 'operator', 'admin'],
    ['post', `/api/v1/repositories/${UNKNOWN_ID}/sync`, 'viewer', 'operator'],
    ['post', '/api/v1/schedules', 'operator', 'admin'],
    ['patch', `/api/v1/schedules/${UNKNOWN_ID}`, 'operator', 'admin'],
    ['delete', `/api/v1/schedules/${UNKNOWN_ID}`, 'operator', 'admin'],
    ['post', `/api/v1/schedules/${UNKNOWN_ID}/pause`, 'viewer', 'operator'],
    ['post', `/api/v1/schedules/${UNKNOWN_ID}/resume`, 'viewer', 'operator'],
    ['post', `/api/v1/executions/${UNKNOWN_ID}/cancel`, 'viewer', 'operator'],
  ] as const)('%s %s refuses %s and lets %s pass', async (method, path, refused, allowed) => {
    const answer = await call(method, path).set({ Authorization: api.authorization(refused) });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'role_required' });
    const passed = await call(method, path).set({ Authorization: api.authorization(allowed) });
    expect([400, 404]).toContain(passed.status);
  });

  it('checks the role before the body, so that a refused caller learns nothing', async () => {
    const answer = await client().post('/api/v1/repositories').set(asViewer()).send({ nonsense: 1 });
    expect(answer.status).toBe(403);
  });

  it('refuses to start with a route without a role', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get()
      answer(): string {
        return 'secret';
      }
    }
    @Module({ imports: [AccessModule], controllers: [ForgottenController] })
    class ForgottenModule {}
    @Global()
    @Module({ providers: PORTS_OF_ACCESS, exports: PORTS_OF_ACCESS.map(({ provide }) => provide) })
    class PortsModule {}
    @Module({ imports: [PortsModule, ForgottenModule] })
    class RootModule {}
    const app = await NestFactory.create(RootModule, { logger: false, abortOnError: false });
    await expect(app.init()).rejects.toThrow('ForgottenController.answer');
    await app.close();
  });
});

describe('metrics', () => {
  it('are served to a direct request, and not through a proxy', async () => {
    await client().get('/metrics').expect(200);
    for (const header of ['X-Forwarded-For', 'Forwarded', 'Via']) {
      const answer = await client().get('/metrics').set(header, '203.0.113.7');
      expect([header, answer.status, (answer.body as { code: string }).code]).toEqual([
        header,
        403,
        'metrics_not_public',
      ]);
    }
  });
});

describe('problem details', () => {
  it.each([
    ['get', '/api/v1/nothing-here', 404, 'route_not_found'],
    ['get', '/nothing', 404, 'route_not_found'],
    ['put', '/api/v1/repositories', 405, 'method_not_allowed'],
    ['delete', '/health/live', 405, 'method_not_allowed'],
    ['post', '/', 405, 'method_not_allowed'],
    ['delete', '/docs-json', 405, 'method_not_allowed'],
  ] as const)('%s %s answers %i', async (method, path, status, code) => {
    const answer = await call(method, path).set(asAdmin());
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ status, code, type: `urn:repotide:problem:${code}` });
  });

  it('list the methods of a path', async () => {
    const answer = await client().put(`/api/v1/repositories/${UNKNOWN_ID}`).set(asAdmin()).send({});
    expect(answer.headers['allow']).toBe('GET, PATCH, DELETE');
  });

  it('refuses malformed JSON', async () => {
    const answer = await client()
      .post('/api/v1/search')
      .set({ ...asViewer(), 'Content-Type': 'application/json' })
      .send('{"query": ');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'malformed_request' });
  });

  it('refuses a body that is too large', async () => {
    const answer = await client()
      .post('/api/v1/search')
      .set(asViewer())
      .send({ query: 'x'.repeat(1_100_000) });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ code: 'body_too_large' });
  });

  it('refuses a body that is not JSON', async () => {
    const answer = await client().post('/api/v1/search').set(asViewer()).type('form').send({ query: 'x' });
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each(['[]', '"text"', 'null', '1'])('refuses the body %s, which is no object', async (body) => {
    const answer = await client()
      .post('/api/v1/search')
      .set({ ...asViewer(), 'Content-Type': 'application/json' })
      .send(body);
    expect(answer.status).toBe(400);
  });

  it('refuses a path that cannot be decoded', async () => {
    const answer = await client().get('/api/v1/repositories/%FF').set(asViewer());
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('list every wrong field, and no value of an unknown one', async () => {
    const answer = await client().post('/api/v1/repositories').set(asAdmin()).send({
      project_id: 'seven',
      chunk_size: 1,
      gitlab_token: 'glpat-very-secret',
      credential_id: 'glpat-2',
    });
    expect(answer.status).toBe(400);
    const { errors } = answer.body as { errors: { field: string; found?: unknown }[] };
    expect(errors.map(({ field }) => field).sort()).toEqual([
      'chunk_size',
      'credential_id',
      'gitlab_token',
      'project_id',
    ]);
    expect(errors.find(({ field }) => field === 'chunk_size')?.found).toBe(1);
    expect(answer.text).not.toContain('glpat');
  });

  it('hide the message of an unknown error, which is only in the log', async () => {
    const answer = await client().get('/broken');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    const { request_id: requestId } = answer.body as { request_id: string };
    const line = api.logger.lines.find(
      ({ level, fields }) => level === 'error' && fields['request_id'] === requestId,
    );
    expect(line?.fields['err']).toMatchObject({ message: 'the password of the database is hunter2' });
  });
});

describe('request ids', () => {
  it('are repeated when the caller sends one, and generated otherwise', async () => {
    const own = await client().get('/health/live').set({ 'X-Request-Id': 'ci-42' });
    expect(own.headers['x-request-id']).toBe('ci-42');
    const given = await client().get('/health/live');
    expect(given.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('cannot be used to forge a log line', async () => {
    const answer = await client().get('/health/live').set({ 'X-Request-Id': 'a b"}{"level":"fatal' });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are logged without the query and the token of the request', async () => {
    await client().get('/api/v1/executions?pod_name=sesame').set(asViewer()).expect(200);
    const lines = JSON.stringify(api.logger.lines);
    expect(lines).toContain('/api/v1/executions');
    expect(lines).not.toContain('sesame');
    expect(lines).not.toContain(api.authorization('viewer').slice('Bearer '.length));
  });
});

describe('without a token', () => {
  it('liveness and readiness are answered', async () => {
    expect((await client().get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await client().get('/health/ready');
    const up = { status: 'up', error_code: null, limits: [] };
    expect(ready.body).toEqual({
      status: 'ok',
      checks: { database: up, vector_store: up, locks: up },
      roles: ['api', 'scheduler', 'worker'].map((role) => ({ role, status: 'ready', waits_for: [] })),
    });
  });

  it('the API document and its page are served', async () => {
    const page = await client().get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    await client().get('/docs/swagger-ui-bundle.js').expect(200);
    const document = await client().get('/docs-json');
    expect(document.body).toMatchObject({ openapi: '3.0.0' });
  });

  it('answers of the API are marked as not cacheable', async () => {
    for (const path of ['/api/v1/executions', '/api/v1/nothing-here']) {
      const { headers } = await client().get(path).set(asViewer());
      expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
    }
  });

  it('security headers are sent and no other origin is allowed', async () => {
    const { headers } = await client().get('/health/live').set({ Origin: 'https://elsewhere.example' });
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});
