import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startGitLabStandIn, type GitLabStandIn } from '@devkit';
import {
  ExecutionStore,
  GenerationStore,
  type ManifestEntry,
  ManifestStore,
  RepositoryStore,
  zeroCounters,
} from '@core/domain';
import { activeGeneration } from '../support/active-generation.js';
import { GitFixture } from '../integration/gitlab/git-fixture.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

interface RepositoryBody {
  id: string;
  revision: number;
  project_path: string;
  [field: string]: unknown;
}

let git: GitFixture;
let empty: GitFixture;
let gitlab: GitLabStandIn;
let api: TestApi;
const client = () => request(api.url);
const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const register = (body: object) => client().post('/api/v1/repositories').set(as('admin')).send(body);
const countOf = async (): Promise<number> => {
  const answer = await client().get('/api/v1/repositories').set(as('viewer'));
  return (answer.body as { total: number }).total;
};

async function registered(path: string): Promise<RepositoryBody> {
  await gitlab.addProject({ path, gitDir: git.dir });
  const answer = await register({ project_path: path });
  expect(answer.status).toBe(201);
  return answer.body as RepositoryBody;
}

beforeAll(async () => {
  git = new GitFixture();
  git.write('src/main.ts', 'export const answer = 42;\n');
  git.stage();
  git.commit('first');
  git.git('branch', 'release/1.0');
  empty = new GitFixture();
  gitlab = await startGitLabStandIn();
  api = await startTestApi({
    gitlab: { url: gitlab.url, token: gitlab.token },
    // Other servers of the tests have other ports.
    env: { OUTGOING_ALLOWED_HOSTS: 'http://127.0.0.1:*' },
  });
});
afterAll(async () => {
  await api.stop();
  await gitlab.stop();
  git.remove();
  empty.remove();
});

describe('registering a repository', () => {
  it('looks the project up and fills in the defaults', async () => {
    const project = await gitlab.addProject({ path: 'shop/cart', gitDir: git.dir });
    const answer = await register({ project_path: 'shop/cart' });
    expect(answer.status).toBe(201);
    const body = answer.body as RepositoryBody;
    expect(body).toMatchObject({
      provider: 'gitlab',
      base_url: gitlab.url,
      project_id: project.id,
      project_path: 'shop/cart',
      branch: 'main',
      collection_name: 'repotide',
      include_globs: [],
      exclude_globs: [],
      max_file_bytes: 1_048_576,
      chunk_size: 7000,
      chunk_overlap: 1500,
      credential_id: null,
      last_synced_commit: null,
      last_sync_at: null,
      revision: 1,
    });
    expect(answer.headers['location']).toBe(`/api/v1/repositories/${body.id}`);
    expect(answer.headers['etag']).toBe('"1"');
    const shown = await client().get(`/api/v1/repositories/${body.id}`).set(as('viewer'));
    expect(shown.body).toEqual(body);
  });

  it('accepts a project id, a branch with slashes, and settings of the repository', async () => {
    const project = await gitlab.addProject({ path: 'shop/settings', gitDir: git.dir });
    const answer = await register({
      project_id: project.id,
      branch: 'release/1.0',
      base_url: `${gitlab.url}/`,
      collection_name: 'shop',
      include_globs: ['src/**'],
      exclude_globs: ['**/*.snap'],
      chunk_size: 1000,
      chunk_overlap: 100,
      max_file_bytes: 5000,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      project_path: 'shop/settings',
      branch: 'release/1.0',
      base_url: gitlab.url,
      collection_name: 'shop',
      include_globs: ['src/**'],
      chunk_size: 1000,
    });
  });

  it('refuses a request without a body', async () => {
    const answer = await client().post('/api/v1/repositories').set(as('admin'));
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'validation_failed',
      errors: [{ field: 'body' }],
    });
  });

  it('accepts an empty repository when its branch is named', async () => {
    await gitlab.addProject({ path: 'shop/empty', gitDir: empty.dir });
    const without = await register({ project_path: 'shop/empty' });
    expect(without.status).toBe(422);
    expect(without.body).toMatchObject({ code: 'branch_required', errors: [{ field: 'branch' }] });
    const named = await register({ project_path: 'shop/empty', branch: 'main' });
    expect(named.status).toBe(201);
  });

  it('refuses the same project and branch twice', async () => {
    const first = await registered('shop/twice');
    const again = await register({ project_path: 'shop/twice', branch: 'main' });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 'repository_exists', repository_id: first.id });
  });

  it.each([
    [{ project_path: 'shop/unknown' }, 422, 'project_not_found', 'project_path'],
    [{ project_id: 987_654 }, 422, 'project_not_found', 'project_id'],
    [{ project_path: 'shop/refusals', branch: 'nope' }, 422, 'branch_not_found', 'branch'],
    [{ project_path: 'shop/refusals', base_url: 'ftp://host' }, 422, 'source_url_invalid', 'base_url'],
    [
      { project_path: 'shop/refusals', collection_name: 'a/b' },
      422,
      'collection_name_invalid',
      'collection_name',
    ],
    [{ project_path: 'shop/refusals', chunk_overlap: 4000 }, 422, 'chunk_overlap_invalid', 'chunk_overlap'],
    [{ project_path: 'shop/refusals', include_globs: ['src/['] }, 422, 'glob_invalid', 'include_globs'],
    [{ project_path: 'shop/refusals', exclude_globs: ['!(a|b)'] }, 422, 'glob_invalid', 'exclude_globs'],
    [{}, 400, 'validation_failed', 'project_path'],
    [{ project_path: 'shop/refusals', project_id: 1 }, 400, 'validation_failed', 'project_path'],
    [{ project_path: 'no-group' }, 400, 'validation_failed', 'project_path'],
    [{ project_path: 'shop/\u0000' }, 400, 'validation_failed', 'project_path'],
    [{ project_path: 'shop/refusals', branch: null }, 400, 'validation_failed', 'branch'],
    [{ project_path: 'shop/refusals', branch: '' }, 400, 'validation_failed', 'branch'],
    [{ project_path: 'shop/refusals', include_globs: 'src' }, 400, 'validation_failed', 'include_globs'],
    [{ project_path: 'shop/refusals', include_globs: [1] }, 400, 'validation_failed', 'include_globs'],
    [{ project_path: 'shop/refusals', chunk_size: '7000' }, 400, 'validation_failed', 'chunk_size'],
    [{ project_path: 'shop/refusals', chunk_sizes: 7000 }, 400, 'validation_failed', 'chunk_sizes'],
  ])('refuses %j with %i %s, and stores nothing', async (body, status, code, field) => {
    await gitlab.addProject({ path: 'shop/refusals', gitDir: git.dir });
    const before = await countOf();
    const answer = await register(body);
    expect(answer.body).toMatchObject({ status, code, errors: [{ field }] });
    expect(await countOf()).toBe(before);
  });

  it('does not repeat a password in the address', async () => {
    const answer = await register({
      project_path: 'shop/x',
      base_url: 'https://me:s3cret@gitlab.example.com',
    });
    expect(answer.body).toMatchObject({ code: 'source_url_invalid' });
    expect(answer.text).not.toContain('s3cret');
  });

  it('does not answer 401 when GitLab refuses the token of the service', async () => {
    await gitlab.addProject({ path: 'shop/locked', gitDir: git.dir });
    gitlab.endToken('default', 'revoked');
    try {
      const answer = await register({ project_path: 'shop/locked' });
      expect(answer.status).toBe(502);
      expect(answer.body).toMatchObject({ code: 'source_token_rejected' });
      expect(answer.text).not.toContain(gitlab.token);
    } finally {
      gitlab.addToken({ name: 'default', value: gitlab.token, scopes: ['read_api'] });
    }
  });

  it('returns the time when GitLab accepts requests again', async () => {
    // A separate host, because a Retry-After pauses all requests to the host.
    const busy = await startGitLabStandIn();
    try {
      busy.settings.rateLimits.api = { requests: 1, periodSeconds: 60 };
      await register({ project_path: 'shop/x', base_url: busy.url });
      const answer = await register({ project_path: 'shop/x', base_url: busy.url });
      expect(answer.body).toMatchObject({
        status: 429,
        type: expect.stringMatching(/^urn:repotide:problem:/),
      });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await busy.stop();
    }
  });

  it('answers 503 when GitLab cannot be reached', async () => {
    const answer = await register({ project_path: 'shop/x', base_url: 'http://127.0.0.1:9' });
    expect(answer.status).toBe(503);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });
});

describe('the list of repositories', () => {
  it('is paged and filtered', async () => {
    await registered('lists/one');
    await registered('lists/two');
    const total = await countOf();
    const list = (query: string) => client().get(`/api/v1/repositories${query}`).set(as('viewer'));
    const page = (await list('?limit=1&offset=1')).body as { items: RepositoryBody[]; total: number };
    expect(page.items).toHaveLength(1);
    expect(page.total).toBe(total);
    const filtered = (await list('?project_path=lists/two')).body as {
      items: RepositoryBody[];
      total: number;
    };
    expect(filtered.items.map(({ project_path }) => project_path)).toEqual(['lists/two']);
    expect(filtered.total).toBe(1);
    expect((await list('?branch=other')).body).toEqual({ items: [], total: 0 });
  });

  it('finds by a part of the path, in any case, without wildcards', async () => {
    await registered('Lists/Pay_ments');
    await registered('lists/payments');
    const found = async (search: string) => {
      const answer = await client()
        .get('/api/v1/repositories')
        .query({ search, sort: 'project_path' })
        .set(as('viewer'));
      const { items } = answer.body as { items: RepositoryBody[] };
      return items.map(({ project_path }) => project_path).toSorted();
    };
    expect(await found('S/PAY')).toEqual(['Lists/Pay_ments', 'lists/payments']);
    expect(await found('pay_ments')).toEqual(['Lists/Pay_ments']);
    expect(await found('pay%')).toEqual([]);
  });

  it('includes deleted repositories on request', async () => {
    const deleted = await registered('lists/gone');
    const kept = await registered('lists/kept');
    await client().delete(`/api/v1/repositories/${deleted.id}`).set(as('admin')).expect(204);
    const list = async (query: object) => {
      const answer = await client().get('/api/v1/repositories').query(query).set(as('viewer'));
      const { items } = answer.body as { items: { id: string; deleted_at: string | null }[] };
      return Object.fromEntries(items.map(({ id, deleted_at }) => [id, deleted_at]));
    };
    const id = `${deleted.id},${kept.id}`;
    expect(await list({ id })).toEqual({ [kept.id]: null });
    expect(await list({ id, include_deleted: true })).toEqual({
      [kept.id]: null,
      [deleted.id]: expect.stringMatching(/^20/),
    });
    const refused = await client().get('/api/v1/repositories?id=some').set(as('viewer'));
    expect(refused.body).toMatchObject({ status: 400, errors: [{ field: 'id' }] });
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=ten',
    'limit=1.5',
    'limit=',
    'offset=-1',
    'limt=5',
    'limit=1&limit=2',
  ])('refuses ?%s', async (query) => {
    const answer = await client().get(`/api/v1/repositories?${query}`).set(as('viewer'));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
  });
});

describe('changing a repository', () => {
  it('changes only the given fields', async () => {
    const before = await registered('edit/some');
    const answer = await client()
      .patch(`/api/v1/repositories/${before.id}`)
      .set(as('admin'))
      .send({ exclude_globs: ['dist/**'] });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBe('"2"');
    expect(answer.body).toMatchObject({ exclude_globs: ['dist/**'], chunk_size: 7000, revision: 2 });
  });

  it('refuses an edit with an older revision', async () => {
    const { id } = await registered('edit/race');
    const patch = (ifMatch: string) =>
      client()
        .patch(`/api/v1/repositories/${id}`)
        .set({ ...as('admin'), 'If-Match': ifMatch })
        .send({ max_file_bytes: 1000 });
    expect((await patch('"1"')).status).toBe(200);
    const late = await patch('"1"');
    expect(late.status).toBe(412);
    expect(late.body).toMatchObject({ code: 'revision_mismatch' });
    expect((await patch('*')).status).toBe(200);
    const malformed = await patch('1');
    expect(malformed.status).toBe(400);
    expect(malformed.body).toMatchObject({ code: 'if_match_invalid' });
  });

  it('checks chunk size and overlap together with the stored values', async () => {
    const { id } = await registered('edit/chunks');
    const answer = await client()
      .patch(`/api/v1/repositories/${id}`)
      .set(as('admin'))
      .send({ chunk_size: 2000 });
    expect(answer.body).toMatchObject({ status: 422, code: 'chunk_overlap_invalid' });
  });

  it('refuses an edit without fields', async () => {
    const { id } = await registered('edit/nothing');
    const answer = await client().patch(`/api/v1/repositories/${id}`).set(as('admin')).send({});
    expect(answer.body).toMatchObject({ status: 400, code: 'nothing_to_change' });
  });

  it('refuses fields that cannot change', async () => {
    const { id } = await registered('edit/fixed');
    const answer = await client()
      .patch(`/api/v1/repositories/${id}`)
      .set(as('admin'))
      .send({ collection_name: 'x' });
    expect(answer.body).toMatchObject({ status: 400, errors: [{ field: 'collection_name' }] });
  });

  it('changes the branch to one that exists and is not registered', async () => {
    const { id, project_path } = await registered('edit/branch');
    const other = (await register({ project_path, branch: 'release/1.0' })).body as RepositoryBody;
    const patch = (branch: string) =>
      client().patch(`/api/v1/repositories/${id}`).set(as('admin')).send({ branch });
    const unknown = await patch('nope');
    expect(unknown.body).toMatchObject({
      status: 422,
      code: 'branch_not_found',
      errors: [{ field: 'branch' }],
    });
    const taken = await patch('release/1.0');
    expect(taken.body).toMatchObject({ status: 409, code: 'repository_exists', repository_id: other.id });
    await client().delete(`/api/v1/repositories/${other.id}`).set(as('admin')).expect(204);
    expect((await patch('release/1.0')).body).toMatchObject({ id, branch: 'release/1.0', revision: 2 });
  });
});

describe('deleting a repository', () => {
  it('shows the progress of the purge, and when it completed', async () => {
    const { id } = await registered('gone/purged');
    const purge = () => client().get(`/api/v1/repositories/${id}/purge`).set(as('viewer'));
    expect((await purge()).body).toMatchObject({ status: 404, code: 'purge_not_found' });
    await client().delete(`/api/v1/repositories/${id}`).set(as('admin')).expect(204);
    expect((await purge()).body).toMatchObject({ status: 'waiting', purged_at: null, execution_id: null });

    const executions = api.get(ExecutionStore);
    const request = { repositoryId: id, trigger: 'recovery', requestedBy: null, fullSync: false } as const;
    const { id: executionId } = await executions.enqueue({ ...request, handler: 'purge' });
    const run = await startAttempt(executions, executionId, 'pod-a');
    await executions.heartbeat(run!, { ...zeroCounters(), chunksDeleted: 40 });
    expect((await purge()).body).toMatchObject({
      status: 'running',
      execution_id: executionId,
      chunks_deleted: 40,
    });
    await api.get(RepositoryStore).markPurged(id);
    expect((await purge()).body).toMatchObject({
      status: 'purged',
      repository_id: id,
      purged_at: expect.any(String),
    });
  });

  it('hides the repository, starts its purge, and allows a new registration', async () => {
    const { id } = await registered('gone/soon');
    const wakesBefore = api.wakeCount();
    const deleted = await client().delete(`/api/v1/repositories/${id}`).set(as('admin')).expect(204, '');
    expect(deleted.headers['location']).toBe(`/api/v1/repositories/${id}/purge`);
    expect(api.wakeCount()).toBeGreaterThan(wakesBefore);
    for (const path of ['', '/files', '/tree']) {
      const answer = await client().get(`/api/v1/repositories/${id}${path}`).set(as('viewer'));
      expect(answer.body).toMatchObject({ status: 404, code: 'repository_not_found' });
    }
    await client().delete(`/api/v1/repositories/${id}`).set(as('admin')).expect(404);
    await client().post(`/api/v1/repositories/${id}/sync`).set(as('admin')).expect(404);
    const again = await register({ project_path: 'gone/soon' });
    expect(again.status).toBe(201);
    expect((again.body as RepositoryBody).id).not.toBe(id);
  });
});

describe('a manual sync', () => {
  it('queues one run, and refuses a second one with the id of the first', async () => {
    const { id } = await registered('sync/now');
    const sync = (body?: object) =>
      client().post(`/api/v1/repositories/${id}/sync`).set(as('operator')).send(body);
    const first = await sync();
    expect(first.status).toBe(202);
    const { task_id: taskId, execution_id: executionId } = first.body as Record<string, string>;
    expect(taskId).toBe(executionId);

    const store = api.get(ExecutionStore);
    const shown = await client().get(`/api/v1/executions/${executionId}`).set(as('viewer'));
    expect(shown.body).toMatchObject({
      id: executionId,
      repository_id: id,
      schedule_session_id: null,
      trigger: 'manual',
      status: 'queued',
      requested_by: 'test-operator',
      full_sync: false,
    });
    await startAttempt(store, executionId!, 'pod-a');
    const second = await sync();
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({
      code: 'run_in_progress',
      status: 409,
      execution_id: executionId,
      pod_name: 'pod-a',
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('indexes every file again on request', async () => {
    const { id } = await registered('sync/full');
    const answer = await client()
      .post(`/api/v1/repositories/${id}/sync`)
      .set(as('operator'))
      .send({ full: true });
    const { execution_id: executionId } = answer.body as Record<string, string>;
    const shown = await client().get(`/api/v1/executions/${executionId}`).set(as('viewer'));
    expect(shown.body).toMatchObject({ full_sync: true });
  });

  it.each([{ full: 'yes' }, { full: null }, { all: true }])('refuses %j', async (body) => {
    const answer = await client()
      .post(`/api/v1/repositories/${UNKNOWN_ID}/sync`)
      .set(as('operator'))
      .send(body);
    expect(answer.status).toBe(400);
  });
});

describe('the files of a repository', () => {
  const entry = (path: string, more: Partial<ManifestEntry> = {}): ManifestEntry => ({
    path,
    mode: '100644',
    blobSha: 'a'.repeat(40),
    fingerprint: 'f1',
    sizeBytes: 100,
    language: 'typescript',
    chunkCount: 1,
    indexedAt: new Date('2026-11-20T09:00:00Z'),
    skipReason: null,
    skipDetail: null,
    lastError: null,
    secretsFound: 0,
    secretDetail: null,
    ...more,
  });

  async function indexed(path: string): Promise<string> {
    const { id } = await registered(path);
    const executions = api.get(ExecutionStore);
    await activeGeneration(api.get(GenerationStore), 'repotide');
    const manifest = api.get(ManifestStore);
    const { id: executionId } = await executions.enqueue({
      repositoryId: id,
      trigger: 'manual',
      requestedBy: null,
      fullSync: false,
    });
    const run = await startAttempt(executions, executionId, 'pod-a');
    const skipped = { indexedAt: null, chunkCount: 0, language: null };
    const upserts = [
      entry('README.md', { language: 'markdown' }),
      entry('src/main.ts'),
      entry('src/app/deep.ts'),
      entry('src/logo.png', { ...skipped, skipReason: 'binary' }),
      entry('src/broken.ts', { ...skipped, lastError: 'The server answered 500.' }),
    ];
    await manifest.commitBatch(run!, { upserts, deletes: [] }, zeroCounters());
    return id;
  }

  it('are listed by status and by prefix', async () => {
    const id = await indexed('contents/files');
    const list = async (query: string) => {
      const answer = await client().get(`/api/v1/repositories/${id}/files${query}`).set(as('viewer'));
      expect(answer.status).toBe(200);
      return answer.body as { items: Record<string, unknown>[]; total: number };
    };
    expect((await list('')).total).toBe(5);
    const skipped = await list('?status=skipped');
    expect(skipped.items).toEqual([
      expect.objectContaining({
        path: 'src/logo.png',
        status: 'skipped',
        skip_reason: 'binary',
        chunk_count: 0,
      }),
    ]);
    const failed = await list('?status=failed');
    expect(failed.items).toEqual([
      expect.objectContaining({
        path: 'src/broken.ts',
        status: 'failed',
        last_error: 'The server answered 500.',
      }),
    ]);
    const below = await list('?path_prefix=src/app');
    expect(below.items.map(({ path, status }) => [path, status])).toEqual([['src/app/deep.ts', 'indexed']]);
    const bad = await client().get(`/api/v1/repositories/${id}/files?status=lost`).set(as('viewer'));
    expect(bad.body).toMatchObject({ status: 400, errors: [{ field: 'status', found: 'lost' }] });
  });

  it('are counted by folder', async () => {
    const id = await indexed('contents/tree');
    const tree = (query = '') => client().get(`/api/v1/repositories/${id}/tree${query}`).set(as('viewer'));
    expect((await tree()).body).toEqual({
      items: [{ path: 'src', parent_path: '', file_count: 4, indexed_file_count: 2, size_bytes: 400 }],
      total: 1,
    });
    expect((await tree('?path=/src/')).body).toMatchObject({
      items: [{ path: 'src/app', parent_path: 'src' }],
    });
    expect((await tree('?path=lib')).body).toMatchObject({ status: 404, code: 'folder_not_found' });
  });

  it('are an empty tree before the first run', async () => {
    const { id } = await registered('contents/none');
    const answer = await client().get(`/api/v1/repositories/${id}/tree`).set(as('viewer'));
    expect(answer.body).toEqual({ items: [], total: 0 });
  });
});

describe('ids', () => {
  it.each(['/api/v1/repositories/', '/api/v1/schedules/', '/api/v1/executions/'])(
    'under %s cause 400 when malformed and 404 when unknown',
    async (path) => {
      const malformed = await client().get(`${path}42`).set(as('viewer'));
      expect(malformed.body).toMatchObject({ status: 400, errors: [{ field: 'id' }] });
      const unknown = await client().get(`${path}${UNKNOWN_ID}`).set(as('viewer'));
      expect(unknown.status).toBe(404);
    },
  );
});
