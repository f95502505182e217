import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';

const ADMIN_TOKEN = 'admin-token-of-the-defences-0123456789';
const ORIGIN = 'https://elsewhere.example';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LIMIT = 25;

let installation: Installation;
let service: Service;
beforeAll(async () => {
  installation = await createInstallation({ GITLAB_URL: 'http://127.0.0.1:9' });
  service = await installation.serve({
    REPOTIDE_ADMIN_TOKEN: ADMIN_TOKEN,
    API_RATE_LIMIT_PER_MINUTE: String(LIMIT),
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => installation.remove());

/** Each test has its own caller, because the rate limit counts each caller separately. */
async function newCaller(name: string): Promise<Record<string, string>> {
  const { token } = await service.post<{ token: string }>('/api/v1/tokens', { name, role: 'viewer' });
  return { Authorization: `Bearer ${token}` };
}

const send = (path: string, headers: Record<string, string>, method = 'GET', body?: string) =>
  rawRequest(service.url, { method, path, headers, body });

const namesOf = ({ headers }: RawAnswer, prefix: string) =>
  Object.keys(headers).filter((name) => name.startsWith(prefix));

describe('a service with default settings', () => {
  it('allows no other origin to read an answer', async () => {
    const caller = await newCaller('foreign page');
    for (const [path, headers] of [
      ['/', {}],
      ['/health/live', {}],
      ['/docs-json', {}],
      ['/api/v1/identity', {}],
      ['/api/v1/identity', caller],
      ['/api/v1/no-such-route', caller],
    ] as const) {
      const answer = await send(path, { ...headers, Origin: ORIGIN });
      expect([path, namesOf(answer, 'access-control-')]).toEqual([path, []]);
    }
  });

  it.each(['GET', 'POST', 'PATCH', 'DELETE'])('refuses the preflight of a %s', async (method) => {
    const asked = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization',
    };
    for (const path of ['/api/v1/repositories', '/api/v1/settings', '/webhooks/gitlab']) {
      const answer = await send(path, asked, 'OPTIONS');
      expect([path, answer.status >= 400, namesOf(answer, 'access-control-')]).toEqual([path, true, []]);
    }
  });

  it('sends security headers with pages, responses and problems', async () => {
    for (const path of ['/', '/docs', '/health/live', '/api/v1/identity', '/nothing']) {
      const { headers } = await send(path, {});
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'content-security-policy': expect.stringMatching(/default-src '(self|none)'/),
          'x-content-type-options': 'nosniff',
          'x-frame-options': expect.stringMatching(/^(DENY|SAMEORIGIN)$/),
          'referrer-policy': 'no-referrer',
        }),
      ]);
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });

  it('repeats a harmless request id, and replaces a harmful one', async () => {
    expect((await send('/health/live', { 'X-Request-Id': 'ci-42.a_b' })).headers['x-request-id']).toBe(
      'ci-42.a_b',
    );
    for (const hostile of [
      'a b',
      '"}{"level":"fatal',
      'x'.repeat(5_000),
      '<script>',
      "';--",
      '\xff',
      '${jndi:x}',
    ]) {
      const answer = await send('/api/v1/identity', { 'X-Request-Id': hostile });
      expect([hostile, answer.headers['x-request-id']]).toEqual([hostile, expect.stringMatching(UUID)]);
      expect(JSON.parse(answer.body)).toMatchObject({ request_id: answer.headers['x-request-id'] });
    }
  });

  it('accepts bodies of up to 1 MiB', async () => {
    const caller = { ...(await newCaller('sender')), 'Content-Type': 'application/json' };
    const bodyOf = (bytes: number) => `{"query":"${'x'.repeat(bytes - 12)}"}`;
    const fits = await send('/api/v1/search', caller, 'POST', bodyOf(1_048_576));
    expect([fits.status, JSON.parse(fits.body)]).toEqual([
      400,
      expect.objectContaining({ code: 'validation_failed' }),
    ]);
    const tooLarge = await send('/api/v1/search', caller, 'POST', bodyOf(1_048_577));
    expect([tooLarge.status, JSON.parse(tooLarge.body)]).toEqual([
      413,
      expect.objectContaining({ code: 'body_too_large' }),
    ]);
  });

  it('counts the requests of each token separately', async () => {
    const [busy, calm] = [await newCaller('busy'), await newCaller('calm')];
    const statuses: number[] = [];
    let refused: RawAnswer | undefined;
    // A new minute may begin during the test. Requests counted before it cannot fill the new window.
    for (let sent = 0; sent < 2 * LIMIT + 1 && refused === undefined; sent += 1) {
      const answer = await send('/api/v1/identity', busy);
      statuses.push(answer.status);
      if (answer.status !== 200) refused = answer;
    }
    expect(statuses.length).toBeGreaterThan(LIMIT);
    expect([refused?.status, JSON.parse(refused?.body ?? '{}')]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limit_exceeded' }),
    ]);
    const seconds = Number(refused?.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await send('/api/v1/identity', calm)).status).toBe(200);
  });

  it('refuses more guesses than a client address may make, and lets its callers work', async () => {
    const attacker = { 'X-Forwarded-For': '203.0.113.9' };
    const caller = { ...attacker, ...(await newCaller('colleague of the attacker')) };
    expect((await send('/api/v1/identity', caller)).status).toBe(200);
    const answers: RawAnswer[] = [];
    for (let guess = 0; guess < 40; guess += 1)
      answers.push(await send('/api/v1/identity', { ...attacker, Authorization: `Bearer guess-${guess}` }));
    const codes = answers.map(({ body }) => (JSON.parse(body) as { code: string }).code);
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'token_rejected'));
    expect(codes.filter((code) => code === 'too_many_failures').length).toBeGreaterThan(10);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await send('/api/v1/identity', caller)).status).toBe(200);
    const stranger = { 'X-Forwarded-For': '203.0.113.10', Authorization: 'Bearer another-guess' };
    expect((await send('/api/v1/identity', stranger)).status).toBe(401);
    expect(service.command.stdout()).toContain('"client_address":"203.0.113.9"');
  });

  it('answers a stranger before the body has arrived', async () => {
    // The announced body is never sent: a service that waited for it would not answer.
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '1000000' };
    for (const extra of [{}, { Authorization: 'Bearer not-a-token', 'X-Forwarded-For': '203.0.113.11' }]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${service.url}/api/v1/search`, {
          ...{ method: 'POST', headers: { ...headers, ...extra }, agent: false },
        });
        sent.on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode);
          sent.destroy();
        });
        sent.on('error', reject);
        sent.flushHeaders();
      });
      expect(status).toBe(401);
    }
  });

  it('refuses compressed bodies, whose size is unknown', async () => {
    const caller = { ...(await newCaller('compressor')), 'Content-Type': 'application/json' };
    const body = gzipSync(JSON.stringify({ query: 'x'.repeat(100_000) }));
    const answer = await rawRequest(service.url, {
      method: 'POST',
      path: '/api/v1/search',
      headers: { ...caller, 'Content-Encoding': 'gzip' },
      body,
    });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      415,
      expect.objectContaining({ code: 'unsupported_media_type' }),
    ]);
  });
});
