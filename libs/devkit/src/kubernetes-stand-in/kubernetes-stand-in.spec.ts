import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { type KubernetesStandIn, startKubernetesStandIn } from './kubernetes-stand-in.js';

let cluster: KubernetesStandIn;
let agent: Agent;

beforeEach(async () => {
  cluster = await startKubernetesStandIn();
  agent = new Agent({ connect: { ca: accountFile('ca.crt') } });
});

afterEach(async () => {
  await agent.destroy();
  await cluster.stop();
});

function accountFile(name: string): string {
  return readFileSync(join(cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '', name), 'utf8');
}

const PODS = '/api/v1/namespaces/repotide/pods';

function ask(path: string, token: string | null = accountFile('token'), method: 'GET' | 'POST' = 'GET') {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  return request(`${cluster.url}${path}`, { dispatcher: agent, method, headers });
}

async function answer(...call: Parameters<typeof ask>): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await ask(...call);
  return { status: statusCode, body: await body.json() };
}

/** The lines of a watch until it ends. */
async function watch(query: string): Promise<{ type: string; object: Record<string, unknown> }[]> {
  const { body } = await ask(`${PODS}?watch=true&timeoutSeconds=1&${query}`);
  const lines = (await body.text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });
}

async function version(): Promise<string> {
  const { body } = await answer(PODS);
  return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

describe('the Kubernetes stand-in', () => {
  it('lists and gets pods, with times as Kubernetes writes them', async () => {
    cluster.setPod('a');
    const { body } = await answer(`${PODS}?labelSelector=app.kubernetes.io%2Finstance%3Drepotide`);
    expect(body).toMatchObject({ kind: 'PodList', items: [{ metadata: { name: 'a' } }] });
    expect(await answer(`${PODS}?labelSelector=other`)).toMatchObject({ body: { items: [] } });
    const pod = await answer(`${PODS}/a`);
    expect(pod.body).toEqual((body as { items: unknown[] }).items[0]);
    expect(JSON.stringify(pod.body)).toMatch(/"creationTimestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/);
  });

  it.each<[string, Parameters<typeof ask>, number, string]>([
    ['a wrong token', [PODS, 'wrong'], 401, 'Unauthorized'],
    ['no token', [PODS, null], 403, 'Forbidden'],
    ['another namespace', ['/api/v1/namespaces/default/pods'], 403, 'Forbidden'],
    ['an absent pod', [`${PODS}/absent`], 404, 'NotFound'],
    ['another resource', ['/api/v1/nodes'], 404, 'NotFound'],
    ['a write', [PODS, undefined, 'POST'], 405, 'MethodNotAllowed'],
    ['a bad selector', [`${PODS}?labelSelector=a%3Db%3Dc`], 400, 'BadRequest'],
    ['an unsupported parameter', [`${PODS}?limit=1`], 400, 'BadRequest'],
  ])('refuses %s with a Status', async (_, call, code, reason) => {
    const { status, body } = await answer(...call);
    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
  });

  it('forbids single verbs with the error of Kubernetes, and allows them again', async () => {
    cluster.forbid('list');
    expect(await answer(PODS)).toMatchObject({
      status: 403,
      body: {
        message:
          'pods is forbidden: User "system:serviceaccount:repotide:repotide" cannot list resource "pods" ' +
          'in API group "" in the namespace "repotide"',
      },
    });
    expect((await answer(`${PODS}/a`)).status).toBe(404);
    cluster.allow();
    expect((await answer(PODS)).status).toBe(200);
  });

  it('sends a watch the changes since its version, then ends it', async () => {
    const from = await version();
    cluster.setPod('a');
    cluster.restartContainer('a');
    cluster.deletePod('a');
    const events = await watch(`resourceVersion=${from}`);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(cluster.watchCount()).toBe(0);
  });

  it('shows a pod that leaves a selection as deleted, and one that enters it as added', async () => {
    const from = await version();
    cluster.setPod('a', { labels: { tier: 'api' } });
    cluster.setPod('a', { labels: { tier: 'worker' } });
    cluster.setPod('a', { labels: { tier: 'api' } });
    const events = await watch(`resourceVersion=${from}&labelSelector=tier%3Dworker`);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('sends bookmarks to watches that request them', async () => {
    const from = await version();
    cluster.compact();
    const [bookmark] = await watch(`resourceVersion=${Number(from) + 1}&allowWatchBookmarks=true`);
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: `${Number(from) + 1}` } },
    });
    expect(await watch(`resourceVersion=${Number(from) + 1}`)).toEqual([]);
  });

  it('answers 410 to a watch from a version that it no longer stores', async () => {
    const from = await version();
    cluster.compact();
    expect(await watch(`resourceVersion=${from}`)).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
  });

  it('can break watches, and ends those of disconnected clients', async () => {
    const { body } = await ask(`${PODS}?watch=true&resourceVersion=${await version()}`);
    cluster.cutWatches();
    await expect(body.text()).rejects.toThrow();
    const second = await ask(`${PODS}?watch=true&resourceVersion=${await version()}`);
    const ended = expect(second.body.text()).rejects.toThrow();
    await agent.destroy();
    await ended;
    while (cluster.watchCount() > 0) await new Promise(setImmediate);
    expect(cluster.requests.filter(({ failure }) => failure !== null)).toEqual([]);
  });

  it('ends open watches and removes its files on stop', async () => {
    const dir = cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '';
    expect(existsSync(dir)).toBe(true);
    const silent = await ask(`${PODS}?watch=true&resourceVersion=${await version()}`);
    const ended = expect(silent.body.text()).rejects.toThrow();
    cluster.silenceWatches();
    await cluster.stop();
    await cluster.stop();
    await ended;
    expect(existsSync(dir)).toBe(false);
  });
});
