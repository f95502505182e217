import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GitServer, startGitServer } from '@devkit';
import { createIndexWorld, type IndexWorld, runToItsEnd } from '../support/index-world.js';
import { until } from '../support/command-line.js';
import { type Service } from '../support/installation.js';
import { schedule, ticks } from '../support/service-resources.js';

describe('the service with a repository of a plain git server', () => {
  let world: IndexWorld;
  let server: GitServer;
  let service: Service;
  let url: string;
  let id: string;

  beforeAll(async () => {
    server = await startGitServer();
    world = await createIndexWorld({
      REPOTIDE_ENCRYPTION_KEY: 'a key of this test',
      OUTGOING_ALLOWED_HOSTS: server.url,
    });
    await world.git.write('src/tide.ts', 'export const tide = 1;\n').write('README.md', '# Tide\n').commit();
    url = `${server.url}/team/tide.git`;
    server.add('team/tide.git', world.git.directory);
    service = await world.installation.serve();
  });
  afterAll(async () => {
    await world.remove();
    await server.stop();
  });

  it('is registered by its URL with user and token', async () => {
    const { user: username, token, url: base_url } = server;
    const credential = { name: 'tide', username, token, base_url };
    const { id: credential_id } = await service.post<{ id: string }>('/api/v1/credentials', credential);
    const row = await service.post<{ id: string }>('/api/v1/repositories', {
      git_url: `${url}/`,
      credential_id,
    });
    expect(row).toMatchObject({
      provider: 'git',
      base_url: server.url,
      project_id: null,
      project_path: url,
      branch: 'main',
    });
    ({ id } = row);
  });

  it('is synced, and the execution says by what', async () => {
    const run = await runToItsEnd(service, `/api/v1/repositories/${id}/sync`);
    expect(run).toMatchObject({ status: 'completed', fetch_strategy: expect.stringMatching(/\(git\)$/) });
  });

  it('runs on a schedule', async () => {
    await world.git.write('src/tide.ts', 'export const tide = 2;\n').commit();
    await schedule(service, id);
    // The test does not wait for the end of the minute.
    await world.database.query(
      `UPDATE schedule_sessions SET next_run_at = date_trunc('minute', clock_timestamp())`,
    );
    const isOverByTick = async () =>
      (await ticks(service, { id })).some(({ status }) => status === 'completed');
    await until('the run of a tick', isOverByTick);
  });

  it('is found by search, under its URL', async () => {
    const { items } = await service.post<{ items: object[] }>('/api/v1/search', { query: 'tide = 2' });
    expect(items[0]).toMatchObject({
      project_path: url,
      path: 'src/tide.ts',
      text: 'export const tide = 2;',
    });
  });

  it('is verified', async () => {
    expect(await runToItsEnd(service, `/api/v1/repositories/${id}/verify`)).toMatchObject({
      status: 'completed',
    });
  });

  it('shows its token in no line of the log', () => {
    const log = service.command.stdout() + service.command.stderr();
    for (const secret of [server.token, Buffer.from(`${server.user}:${server.token}`).toString('base64')])
      expect(log).not.toContain(secret);
  });
});
