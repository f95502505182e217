import { type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server } from 'node:tls';
import { startQdrantDouble, type QdrantDouble } from '@devkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.js';
import { createIndexWorld, type IndexWorld, PROJECT, runToItsEnd } from '../support/index-world.js';
import { ADMIN_TOKEN, type Service } from '../support/installation.js';
import { register } from '../support/service-resources.js';
import { startTls } from '../support/tls-server.js';

/** Names that only the proxy can resolve: a request that does not go through it finds no server. */
const at = (name: string, { port }: { port: string | number }): string => `${name}.test:${port}`;

describe('the service behind a forward proxy', () => {
  let directory: string;
  let world: IndexWorld;
  let qdrant: QdrantDouble;
  let proxy: ForwardProxy;
  let tls: Server;
  let hosts: { gitlab: string; embedding: string; qdrant: string };
  let env: Record<string, string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-proxy-'));
    [world, qdrant, proxy] = await Promise.all([
      createIndexWorld(),
      startQdrantDouble(),
      startForwardProxy(),
    ]);
    const [server, authority] = await startTls(Number(new URL(world.gitlab.url).port), directory, [
      'gitlab.test',
    ]);
    tls = server;
    hosts = {
      gitlab: at('gitlab', server.address() as AddressInfo),
      embedding: at('embedding', new URL(world.embedding.url)),
      qdrant: at('qdrant', new URL(qdrant.url)),
    };
    env = {
      SOURCE_TRANSPORT: 'auto',
      NODE_EXTRA_CA_CERTS: authority,
      GITLAB_URL: `https://${hosts.gitlab}`,
      EMBEDDING_URL: world.embedding.url.replace(/[^/]+:\d+/, hosts.embedding),
      QDRANT_URL: `http://${hosts.qdrant}`,
      HTTP_PROXY: proxy.url,
      https_proxy: proxy.url,
    };
    await world.git.write('src/tide.ts', 'export const tide = 1;\n').commit();
  });
  afterAll(async () => {
    await world?.remove();
    tls?.close();
    await Promise.all([qdrant?.close(), proxy?.close()]);
    await rm(directory, { recursive: true, force: true });
  });

  async function sync(service: Service) {
    const { id } = await register(service, PROJECT);
    const run = await runToItsEnd(service, `/api/v1/repositories/${id}/sync`);
    return { id, run };
  }

  it('reads git and GitLab through a tunnel, and embeds and stores through the proxy', async () => {
    const service = await world.installation.serve(env);
    const { id, run } = await sync(service);
    expect(run).toMatchObject({ status: 'completed', fetch_strategy: expect.stringMatching(/\(git\)$/) });
    expect(new Set(proxy.accepted)).toEqual(new Set(Object.values(hosts)));
    await service.call('DELETE', `/api/v1/repositories/${id}`);
    await service.stop();
    const output = service.command.stdout() + service.command.stderr();
    expect(output).toContain('Requests go through a forward proxy');
    expect(output).not.toContain(proxy.password);
    expect(output).not.toContain(encodeURIComponent(proxy.password));
  });

  it('reaches the hosts of NO_PROXY and this machine directly', async () => {
    proxy.accepted.length = 0;
    const service = await world.installation.serve({
      ...env,
      GITLAB_URL: world.gitlab.url,
      EMBEDDING_URL: world.embedding.url,
      NO_PROXY: 'qdrant.test',
    });
    // Only the proxy knows the name.
    const { body } = await service.call<object>('GET', '/health/ready');
    expect(body).toMatchObject({ checks: { vector_store: { status: 'down' } } });
    expect(proxy.accepted).toEqual([]);
    await service.stop();
  });

  it('takes the requests of the command line to a service', async () => {
    proxy.accepted.length = 0;
    const service = await world.installation.serve();
    const address = at('repotide', new URL(service.url));
    const command = world.installation.run(['repo', 'list', '--json'], {
      REPOTIDE_URL: `http://${address}`,
      REPOTIDE_TOKEN: ADMIN_TOKEN,
      HTTP_PROXY: proxy.url,
    });
    expect([await command.ended, command.stderr()]).toEqual([0, '']);
    expect(JSON.parse(command.stdout())).toEqual([]);
    expect(new Set(proxy.accepted)).toEqual(new Set([address]));
    await service.stop();
  });

  it('names the setting when the proxy refuses the password', async () => {
    const wrong = new URL(proxy.url);
    wrong.password = 'wrong';
    const service = await world.installation.serve({
      ...env,
      EMBEDDING_URL: world.embedding.url,
      QDRANT_URL: qdrant.url,
      https_proxy: wrong.href,
    });
    const answer = await service.call('POST', '/api/v1/repositories', { project_path: PROJECT });
    expect(JSON.stringify(answer.body)).toMatch(/PROXY_407.*set them in HTTPS_PROXY/);
    expect(proxy.refusedCount()).toBeGreaterThan(0);
    await service.stop();
  });

  it('refuses to start with an invalid proxy, without its value', async () => {
    const started = world.installation.serve({ ...env, HTTP_PROXY: 'proxy-secret:3128' });
    await expect(started).rejects.toThrow(/HTTP_PROXY: found .*expected the URL of a proxy/);
    await expect(started).rejects.not.toThrow(/proxy-secret/);
    const undecodable = world.installation.serve({ ...env, HTTP_PROXY: 'http://tide:100%@127.0.0.1:3128' });
    await expect(undecodable).rejects.toThrow(/HTTP_PROXY: found .*% is written as %25/);
  });
});
