import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createIndexWorld, type IndexWorld, PROJECT, runToItsEnd } from '../support/index-world.js';
import { type Service } from '../support/installation.js';

describe('the service with SOURCE_TRANSPORT=auto', () => {
  let world: IndexWorld;
  let service: Service;
  let scratch: string;
  let id: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'repotide-scratch-'));
    world = await createIndexWorld({ SOURCE_TRANSPORT: 'auto', TMPDIR: scratch });
    await world.git.write('src/tide.ts', 'export const tide = 1;\n').write('README.md', '# Tide\n').commit();
    service = await world.installation.serve();
    ({ id } = await service.post<{ id: string }>('/api/v1/repositories', { project_path: PROJECT }));
  });
  afterAll(async () => {
    await world.remove();
    await rm(scratch, { recursive: true, force: true });
  });

  const sync = () =>
    runToItsEnd(service, `/api/v1/repositories/${id}/sync`) as Promise<{
      status: string;
      fetch_strategy?: string;
    }>;

  it('reads a repository through git, and the execution says so', async () => {
    expect(await sync()).toMatchObject({ status: 'completed', fetch_strategy: 'head 1, tree 2 (git)' });
    await world.git.write('src/tide.ts', 'export const tide = 2;\n').commit();
    expect(await sync()).toMatchObject({ fetch_strategy: 'head 1, tree 1, objects 1 (git)' });
    const { items } = await service.post<{ items: { text: string }[] }>('/api/v1/search', {
      query: 'tide = 2',
    });
    expect(items.map(({ text }) => text)).toContain('export const tide = 2;');
  });

  it('uses the API where git is not allowed, and the execution says why', async () => {
    world.gitlab.settings.git.isEnabled = false;
    await world.git.write('src/tide.ts', 'export const tide = 3;\n').commit();
    const run = await sync();
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.fetch_strategy).toMatch(/ \(rest: source_access_denied\)$/);
  });

  it('keeps objects until it ends, and the token in no file and in no line of the log', async () => {
    const kept = async () => (await readdir(scratch)).filter((name) => name.startsWith('repotide-git-'));
    const secrets = [world.gitlab.token, Buffer.from(`oauth2:${world.gitlab.token}`).toString('base64')];
    expect(await kept()).toHaveLength(1);
    for (const entry of await readdir(scratch, { recursive: true, withFileTypes: true })) {
      const bytes = entry.isFile() ? await readFile(join(entry.parentPath, entry.name)) : Buffer.alloc(0);
      for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
    }
    expect(await service.command.end('SIGTERM')).toBe(0);
    expect(await kept()).toEqual([]);
    const log = service.command.stdout() + service.command.stderr();
    expect(log).toContain('git cannot be used');
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});
