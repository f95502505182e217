import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository } from '@devkit';
import { renderSchema } from '../../clients/generate/render-schema.js';
import { createRepotideClient, type RepotideClient, type Schemas } from '../../clients/typescript/client.js';
import { runCommand, until, type RunningCommand } from '../support/command-line.js';
import { UNKNOWN_ID } from '../support/registration.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TOKEN = 'only-for-trying-it';
const PROJECT = 'demo/project';

const textOf = (path: string) => readFile(join(ROOT, path), 'utf8');

describe('clients/typescript', () => {
  it('has the types of docs/openapi.json; otherwise run `npm run docs:client` and commit them', async () => {
    const expected = await renderSchema(await textOf('docs/openapi.json'));
    const isCurrent = (await textOf('clients/typescript/schema.ts')) === expected;
    // A short comparison, because a diff of the two texts would hide the command in the message.
    expect(isCurrent ? 'current' : 'stale: npm run docs:client').toBe('current');
  });

  it('has the example of the README', async () => {
    const blocks = [...(await textOf('clients/typescript/README.md')).matchAll(/^```ts\n(.*?)^```/gms)];
    expect(blocks.map(([, block]) => block)).toEqual([await textOf('clients/typescript/example.ts')]);
  });
});

describe('the TypeScript client with a running service', () => {
  let directory: string;
  let service: RunningCommand;
  let baseUrl: string;
  let repotide: RepotideClient;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-client-'));
    const git = await createGitRepository(join(directory, 'git'));
    git.write('src/settings.ts', '// Reads the settings.\nexport const settings = process.env;\n');
    git.write('yarn.lock', 'left out by a rule\n');
    await git.commit('Files');
    service = runCommand(['demo', '--serve', git.directory], { PORT: '0', REPOTIDE_ADMIN_TOKEN: TOKEN });
    const address = (): string | undefined => /listens on (http:\S+)/.exec(service.stderr())?.[1];
    await until('the service to listen', () => address() !== undefined);
    baseUrl = address()!;
    repotide = createRepotideClient({ baseUrl, token: TOKEN });
  });

  afterAll(async () => {
    expect(await service.end('SIGTERM')).toBe(0);
    await rm(directory, { recursive: true, force: true });
  });

  async function ended(id: string): Promise<Schemas['ExecutionDto']> {
    let execution: Schemas['ExecutionDto'] | undefined;
    await until('the run to end', async () => {
      ({ data: execution } = await repotide.GET('/api/v1/executions/{id}', { params: { path: { id } } }));
      return execution !== undefined && !['queued', 'running'].includes(execution.status);
    });
    return execution!;
  }

  it('registers, syncs and searches a repository', async () => {
    const body = { project_path: PROJECT, exclude_globs: ['**/*.lock'] };
    const { data: repository, error } = await repotide.POST('/api/v1/repositories', { body });
    expect(error).toBeUndefined();
    expect(repository).toMatchObject(body);
    const id = repository!.id;
    const params = { path: { id } };

    const started = await repotide.POST('/api/v1/repositories/{id}/sync', { params });
    expect(started.response.status).toBe(202);
    const execution = await ended(started.data!.execution_id);
    expect(execution).toMatchObject({ status: 'completed', trigger: 'manual', files_processed: 2 });

    const files = await repotide.GET('/api/v1/repositories/{id}/files', { params });
    const statuses = files.data!.items.map(({ path, status }) => [path, status]);
    expect(statuses.sort()).toEqual([
      ['src/settings.ts', 'indexed'],
      ['yarn.lock', 'skipped'],
    ]);

    const search = { query: 'settings', repository_ids: [id], limit: 1 };
    const { data: found } = await repotide.POST('/api/v1/search', { body: search });
    expect(found!.items).toMatchObject([{ path: 'src/settings.ts', start_line: 1 }]);

    const query = { repository_id: id };
    const { data: summary } = await repotide.GET('/api/v1/history/summary', { params: { query } });
    expect(summary).toMatchObject({ total_runs: 1, success_rate: 1, totals: { files_processed: 2 } });

    const listed = await repotide.GET('/api/v1/executions', {
      params: { query: { ...query, status: ['completed', 'partial'] } },
    });
    expect(listed.data!.items.map((each) => each.id)).toEqual([execution.id]);

    const deleted = await repotide.DELETE('/api/v1/repositories/{id}', { params });
    expect([deleted.response.status, deleted.error]).toEqual([204, undefined]);
  });

  it('returns the problem of a refused call', async () => {
    const { data, error, response } = await repotide.GET('/api/v1/repositories/{id}', {
      params: { path: { id: UNKNOWN_ID } },
    });
    const problem: Schemas['ProblemDto'] | undefined = error;
    expect([response.status, data, problem?.code]).toEqual([404, undefined, 'repository_not_found']);

    const wrong = await repotide.POST('/api/v1/search', { body: { query: 'x', limit: 1_000 } });
    expect(wrong.error?.errors?.map(({ field }) => field)).toEqual(['limit']);
  });

  it('reports an unknown token', async () => {
    const stranger = createRepotideClient({ baseUrl, token: 'not-a-token' });
    const { error } = await stranger.GET('/api/v1/repositories');
    expect([error?.status, error?.code]).toEqual([401, 'token_rejected']);
  });

  it('runs the example of its README', async () => {
    const loader = join(ROOT, 'test/support/register-typescript.mjs');
    const args = ['--no-warnings', '--import', loader, 'clients/typescript/example.ts'];
    const env = { PATH: process.env.PATH, URL: baseUrl, TOKEN, PROJECT };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    expect(stderr).toContain('"status":"completed"');
    expect(stdout.split('\n')).toContain('src/settings.ts:1-2');
  });
});
