import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { freePort } from '../support/free-port.js';

const METRICS_TOKEN = 'token-of-the-scraper-7531902468';

let installation: Installation;
let service: Service;
let metricsUrl: string;
beforeAll(async () => {
  installation = await createInstallation({ GITLAB_URL: 'http://127.0.0.1:9' });
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}`;
  service = await installation.serve({ METRICS_PORT: String(port), METRICS_TOKEN, API_DOCS: 'off' });
});
afterAll(() => installation.remove());

const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describe('a port of its own for the metrics', () => {
  it('serves them to a scrape with the token', async () => {
    const answer = await fetch(`${metricsUrl}/metrics`, withToken(METRICS_TOKEN));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('version=0.0.4');
    expect(await answer.text()).toContain('repotide_active_runs 0');
    expect(
      (await fetch(`${metricsUrl}/metrics`, { method: 'HEAD', ...withToken(METRICS_TOKEN) })).status,
    ).toBe(200);
  });

  it.each([
    ['without a token', {}],
    ['with another token', withToken('another-token-of-someone')],
    ['with the admin token of the API', withToken('admin-token-of-the-tests')],
  ])('refuses a scrape %s', async (_what, init) => {
    const answer = await fetch(`${metricsUrl}/metrics`, init);
    expect([answer.status, await answer.text()]).toEqual([401, '']);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each([
    ['GET', '/api/v1/identity', 404],
    ['GET', '/health/live', 404],
    ['GET', '/', 404],
    ['GET', '/metrics/..%2fapi', 404],
    ['POST', '/metrics', 405],
  ])('answers %s %s with %i', async (method, path, status) => {
    expect((await fetch(metricsUrl + path, { method, ...withToken(METRICS_TOKEN) })).status).toBe(status);
  });

  it('removes them from the port of the API, with and without the token', async () => {
    for (const init of [{}, withToken(METRICS_TOKEN), withToken('admin-token-of-the-tests')]) {
      const answer = await fetch(`${service.url}/metrics`, init);
      const { code, detail } = (await answer.json()) as { code: string; detail: string };
      expect([answer.status, code, detail]).toEqual([
        404,
        'route_not_found',
        expect.stringContaining('METRICS_PORT'),
      ]);
    }
  });

  it('that is taken prevents the start, which names the setting', async () => {
    const { port } = new URL(metricsUrl);
    const settings = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: port };
    const command = installation.run(['serve'], settings);
    expect(await command.ended).not.toBe(0);
    expect(command.stderr()).toMatch(/set METRICS_PORT or HOST to a free address/);
  });
});

describe('the description of the API that is switched off', () => {
  it.each([
    '/docs',
    '/docs/',
    '/docs-json',
    '/docs-yaml',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui-init.js',
  ])('is not at %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await service.call<{ code: string }>(method, path, undefined, null);
      expect([method, answer.status, answer.body.code]).toEqual([method, 404, 'route_not_found']);
    }
  });

  it('is in no other page', async () => {
    const text = await (await fetch(`${service.url}/llms.txt`)).text();
    expect(text).not.toContain('/docs');
    expect(text).toContain('POST /api/v1/search');
  });

  it('leaves the API itself as it is', async () => {
    expect((await service.call('GET', '/api/v1/identity')).status).toBe(200);
    expect((await service.call<{ code: string }>('PUT', '/api/v1/identity')).status).toBe(405);
  });
});

describe('the token of the metrics at the port of the API', () => {
  it('is required there too', async () => {
    const other = await installation.serve({ METRICS_TOKEN });
    const answers = await Promise.all(
      [{}, withToken('another-token-of-someone'), withToken(METRICS_TOKEN)].map(async (init) => {
        const { status } = await fetch(`${other.url}/metrics`, init);
        return status;
      }),
    );
    expect(answers).toEqual([401, 401, 200]);
  });
});
