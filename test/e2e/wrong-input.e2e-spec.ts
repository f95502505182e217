import { createServer, type AddressInfo, type Server } from 'node:net';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  type GitLabStandIn,
  type GitRepository,
} from '@devkit';
import {
  createEmbeddedInstallation,
  createInstallation,
  type Installation,
  type Service,
} from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  startSync,
  type List,
  type RepositoryRow,
} from '../support/service-resources.js';

let directory: string;
let git: GitRepository;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-wrong-input-'));
  git = await createGitRepository(join(directory, 'git'));
  git.write('src/main.ts', 'export const answer = 42;\n');
  await git.commit('A file');
  const empty = await createGitRepository(join(directory, 'empty'));
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/project', gitDir: git.directory, defaultBranch: 'main' });
  await gitlab.addProject({ path: 'group/empty', gitDir: empty.directory, defaultBranch: 'main' });
  installation = await createEmbeddedInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  service = await installation.serve();
});

afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Problem {
  code: string;
  detail: string;
  errors?: { field: string; message: string }[];
}

async function total(path: string): Promise<number> {
  return (await service.get<List<object>>(path)).total;
}

describe('a running service refuses and does not store', () => {
  let repository: RepositoryRow;
  beforeAll(async () => {
    repository = await register(service, 'group/project');
  });

  it.each([
    [{ cron_expression: '61 * * * *' }, 'cron_invalid', 'cron_expression', /minute.*61/i],
    [{ cron_expression: 'every day' }, 'cron_invalid', 'cron_expression', /2 field.*expected five/],
    [{ timezone: 'Mars/Olympus' }, 'timezone_invalid', 'timezone', /Mars\/Olympus/],
  ])('the schedule %j', async (wrong, code, field, words) => {
    const body = { repository_id: repository.id, cron_expression: '0 3 * * *', ...wrong };
    const answer = await service.call<Problem>('POST', '/api/v1/schedules', body);
    expect(answer).toMatchObject({ status: 422, body: { code, errors: [{ field }] } });
    expect(answer.body.detail).toMatch(words);
    expect(await total('/api/v1/schedules')).toBe(0);
  });

  it.each([
    [{ project_path: 'group/nowhere' }, 'project_not_found', 'project_path'],
    [{ project_path: 'group/project', branch: 'gone' }, 'branch_not_found', 'branch'],
    [{ project_path: 'group/project', chunk_overlap: 6_999 }, 'chunk_overlap_invalid', 'chunk_overlap'],
  ])('the repository %j', async (body, code, field) => {
    const answer = await service.call<Problem>('POST', '/api/v1/repositories', body);
    expect(answer).toMatchObject({ status: 422, body: { code, errors: [{ field }] } });
    expect(await total('/api/v1/repositories')).toBe(1);
  });

  it.each([
    ['a request without a token', null, 'token_missing'],
    ['a request with a wrong token', 'not-the-token', 'token_rejected'],
  ])('%s', async (_name, token, code) => {
    const answer = await service.call<Problem>('GET', '/api/v1/repositories', undefined, token);
    expect(answer).toMatchObject({ status: 401, body: { code } });
  });
});

describe('a repository that GitLab no longer shows', () => {
  it('fails its run with the name of the deleted branch, and keeps its index', async () => {
    await git.branch('passing');
    const repository = await register(service, 'group/project', { branch: 'passing' });
    const first = await executionThat(service, await startSync(service, repository), isOver);
    expect(first).toMatchObject({ status: 'completed', files_added: 1 });
    await git.deleteBranch('passing');

    const second = await executionThat(service, await startSync(service, repository), isOver);
    expect(second).toMatchObject({ status: 'failed', error_code: 'branch_not_found' });
    expect(second.error_message).toContain('passing');
    expect(await total(`/api/v1/repositories/${repository.id}/files?status=indexed`)).toBe(1);
  });

  it('fails its run when the token was revoked; the error does not contain the token', async () => {
    gitlab.addToken({ name: 'short', value: 'glpat-short-lived-0123456789', scopes: ['read_api'] });
    const other = await createInstallation({
      GITLAB_URL: gitlab.url,
      GITLAB_TOKEN: 'glpat-short-lived-0123456789',
    });
    try {
      const first = other.run(['sync', 'group/project']);
      expect([await first.ended, first.stderr()]).toEqual([0, expect.anything()]);
      gitlab.endToken('short', 'revoked');
      const second = other.run(['sync', 'group/project']);
      expect(await second.ended).toBe(1);
      const said = second.stdout() + second.stderr();
      expect(said).toContain('source_token_rejected');
      expect(said).toContain('GITLAB_TOKEN');
      expect(said).not.toContain('short-lived');
    } finally {
      await other.remove();
    }
  });

  it('can be registered while it is empty; its run fails with repository_empty', async () => {
    const repository = await register(service, 'group/empty', { branch: 'main' });
    const row = await executionThat(service, await startSync(service, repository), isOver);
    expect(row).toMatchObject({ status: 'failed', error_code: 'repository_empty' });
    expect(row.error_message).toContain('no commit yet');
    const nameless = await service.call<Problem>('POST', '/api/v1/repositories', {
      project_path: 'group/empty',
    });
    expect(nameless).toMatchObject({ status: 422, body: { code: 'branch_required' } });
  });
});

describe('embeddings', () => {
  it('are retried while the server is down: the row has the reason, and the run completes when the server is back', async () => {
    const reserved = await startEmbeddingStandIn();
    const port = Number(new URL(reserved.url).port);
    await reserved.stop();
    const env = { GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token, EMBEDDING_URL: reserved.url };
    const other = await createInstallation({ ...env, REAPER_INTERVAL_SECONDS: '1' });
    try {
      const asked = await other.serve();
      const id = await startSync(asked, await register(asked, 'group/project'));
      const waiting = await executionThat(asked, id, ({ error_code }) => error_code !== null);
      expect(waiting).toMatchObject({ status: 'queued', attempt: 2, error_code: 'embedding_unavailable' });
      expect(waiting.available_at).not.toBeNull();
      expect(waiting.error_message).toContain('EMBEDDING_URL');
      expect(waiting.error_message).toContain(reserved.url);

      const back = await startEmbeddingStandIn({ port });
      try {
        // Shortens the wait before the second attempt.
        await other.withDatabase((database) =>
          database.query('UPDATE schedule_execution_logs SET available_at = clock_timestamp()'),
        );
        const row = await executionThat(asked, id, isOver);
        expect(row).toMatchObject({ status: 'completed', chunks_upserted: 1, error_code: null });
      } finally {
        await back.stop();
      }
    } finally {
      await other.remove();
    }
  });

  it('with a new vector length go to a new index, and the old one does not change', async () => {
    const other = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
    const pointsOf = () =>
      other.withDatabase((database) =>
        database.query<{ dimensions: number; status: string; points: string[] }>(
          `SELECT g.dimensions, g.status, array_agg(p::text ORDER BY p.id) AS points
            FROM index_generations g JOIN vector_points p ON p.collection = g.physical_name
            GROUP BY g.id ORDER BY g.dimensions`,
        ),
      );
    try {
      const first = other.run(['sync', 'group/project'], { EMBEDDING_DIMENSIONS: '64' });
      expect([await first.ended, first.stderr()]).toEqual([0, expect.anything()]);
      const [before] = await pointsOf();
      expect(before).toMatchObject({ dimensions: 64, status: 'active', points: [expect.anything()] });
      const second = other.run(['sync', 'group/project'], { EMBEDDING_DIMENSIONS: '128' });
      expect([await second.ended, second.stderr()]).toEqual([0, expect.anything()]);
      expect(await pointsOf()).toEqual([
        { ...before, status: 'retired' },
        { dimensions: 128, status: 'active', points: [expect.anything()] },
      ]);
    } finally {
      await other.remove();
    }
  });
});

describe('serve fails with an exit code and a reason, and leaves nothing running', () => {
  async function expectRefusal(
    env: Record<string, string>,
    words: readonly string[],
    exitCode = 1,
  ): Promise<string> {
    const other = await createEmbeddedInstallation({});
    try {
      const command = other.run(['serve'], { PORT: '0', HOST: '127.0.0.1', ...env });
      expect([await command.ended, command.stderr()]).toEqual([exitCode, expect.anything()]);
      for (const word of words) expect(command.stderr()).toContain(word);
      expect(await other.databaseServer()).toBeNull();
      return command.stdout() + command.stderr();
    } finally {
      await other.remove();
    }
  }

  it('when the database is down', async () => {
    const url = 'postgres://someone:hard-to-guess@127.0.0.1:9/repotide';
    const said = await expectRefusal({ DATABASE_URL: url }, ['DATABASE_URL', '127.0.0.1:9']);
    expect(said).not.toContain('hard-to-guess');
  });

  it('when the port is taken', async () => {
    const holder = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = holder.address() as AddressInfo;
    await expectRefusal({ PORT: String(port) }, [`127.0.0.1:${port}`, 'PORT', 'port_in_use']);
    holder.close();
  });

  it('when another service uses the data directory, which keeps running', async () => {
    const { dataDir } = installation;
    const holder = String(service.command.process.pid);
    const words = ['data_dir_in_use', dataDir, holder, 'REPOTIDE_DATA_DIR', 'DATABASE_URL'];
    await expectRefusal({ REPOTIDE_DATA_DIR: dataDir }, words);
    expect(await service.call('GET', '/health/ready', undefined, null)).toMatchObject({ status: 200 });
  });

  it('when the data directory cannot be written', async () => {
    // Root can write everywhere except in directories that the kernel protects.
    const dataDir = process.getuid?.() === 0 ? '/sys/kernel/repotide' : join(directory, 'read-only');
    if (process.getuid?.() !== 0) await mkdir(dataDir).then(() => chmod(dataDir, 0o555));
    const words = ['data_dir_not_writable', dataDir, 'REPOTIDE_DATA_DIR'];
    await expectRefusal({ REPOTIDE_DATA_DIR: dataDir }, words);
  });

  it('when variables are wrong, and names all of them', async () => {
    const env = { PORT: 'abc', CHUNK_OVERLAP: '-1', GITLAB_URL: 'gitlab.example.com' };
    const words = ['PORT', '"abc"', 'CHUNK_OVERLAP', 'GITLAB_URL', 'docs/configuration.md'];
    await expectRefusal(env, words, 78);
  });
});

describe('a command beside the running service', () => {
  const run = async (...args: string[]) => {
    const command = installation.run([...args, '--json']);
    const code = await command.ended;
    const json = code === null || command.stdout() === '' ? null : (JSON.parse(command.stdout()) as unknown);
    return { code, json, stderr: command.stderr() };
  };

  it('shares its database, and lets it do the runs', async () => {
    expect(await run('sync', 'group/project', '--branch', 'main')).toMatchObject({
      code: 0,
      json: { status: 'completed', requested_by: 'cli', pod_name: expect.not.stringMatching(/^cli-/) },
      stderr: expect.stringContaining('The running service executes the run'),
    });
    const verified = await run('verify', '--all');
    const rows = verified.json as { status: string; report: unknown }[];
    expect(rows).toContainEqual(
      expect.objectContaining({ handler: 'verify', status: 'completed', report: expect.anything() }),
    );
    expect(await run('search', 'answer')).toMatchObject({
      code: 0,
      json: expect.arrayContaining([expect.objectContaining({ path: 'src/main.ts' })]),
    });
    expect(await run('status')).toMatchObject({
      code: 0,
      json: { total_repositories: await total('/api/v1/repositories') },
    });
    expect(await service.call('GET', '/health/ready', undefined, null)).toMatchObject({ status: 200 });
  });
});

describe('the command line', () => {
  it.each([
    [['serf'], 2, 'Did you mean serve?'],
    [['search', '--limit', '0', 'words'], 2, 'expected a whole number from 1 to 100'],
    [['demo', '/'], 1, 'is not inside a git repository'],
  ])('refuses %j with exit code %i', async (args, code, words) => {
    const command = installation.run(args);
    expect([await command.ended, command.stderr()]).toEqual([code, expect.stringContaining(words)]);
  });
});
