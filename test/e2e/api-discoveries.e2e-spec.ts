import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository, type GitLabStandIn, startGitLabStandIn } from '@devkit';
import request from 'supertest';
import { Hints } from '@core/domain';
import { DiscoveryRunnerModule } from '../../apps/server/src/app.module.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { metricOf } from '../support/scrape.js';

interface Row {
  id: string;
  status: string;
  [field: string]: unknown;
}
interface List {
  items: Row[];
  total: number;
}

let folder: string;
let gitlab: GitLabStandIn;
let api: TestApi;
const client = () => request(api.url);
const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const create = (body: object) => client().post('/api/v1/discoveries').set(as('admin')).send(body);
const run = (id: string, body: object = {}, headers: object = {}) =>
  client()
    .post(`/api/v1/discoveries/${id}/run`)
    .set({ ...as('operator'), ...headers })
    .send(body);
const get = async (path: string) => (await client().get(`/api/v1/${path}`).set(as('viewer'))).body as unknown;
const wake = () => api.get(Hints).publish({ kind: 'schedules_changed' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repotide-discoveries-'));
  const git = await createGitRepository(join(folder, 'work'));
  await git.write('a.txt', 'a\n').commit('First');
  gitlab = await startGitLabStandIn();
  for (const path of ['team/a', 'team/b', 'team/sub/c', 'solo/x'])
    await gitlab.addProject({ path, gitDir: git.directory });
  api = await startTestApi({ gitlab, modules: [DiscoveryRunnerModule] });
});
afterAll(async () => {
  await api.stop();
  await gitlab.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Wakes the runner until the newest run of a discovery has ended. */
async function endOfRun(id: string, runs: number): Promise<Row> {
  let newest: Row | undefined;
  await eventually(async () => {
    wake();
    const { items, total } = (await get(`discoveries/${id}/runs`)) as List;
    newest = items[0];
    return total >= runs && !['queued', 'running'].includes(newest?.status ?? 'queued');
  });
  return newest!;
}

describe('a discovery', () => {
  it('registers a group with spread schedules, shows the outcome, and keeps the repositories when it is deleted', async () => {
    const created = await create({ group_path: 'team', schedule: { cron_expression: 'H H(1-4) * * *' } });
    expect(created.status).toBe(201);
    const { id } = created.body as Row;
    expect(created.headers['location']).toBe(`/api/v1/discoveries/${id}`);
    expect(created.body).toMatchObject({
      name: 'team',
      group_path: 'team',
      base_url: gitlab.url,
      grace_hours: 24,
      schedule: { cron_expression: 'H H(1-4) * * *', timezone: 'UTC' },
    });
    expect(await endOfRun(id, 1)).toMatchObject({
      trigger: 'cron',
      status: 'completed',
      projects_listed: 3,
      added: 3,
      error_code: null,
      pod_name: 'pod-a',
    });

    const repositories = ((await get('repositories')) as List).items.filter(
      (row) => row['discovery_id'] === id,
    );
    expect(repositories.map((row) => row['project_path']).sort()).toEqual(['team/a', 'team/b', 'team/sub/c']);
    const schedules = (await get('schedules')) as List;
    const own = schedules.items.filter((row) =>
      repositories.some((each) => each.id === row['repository_id']),
    );
    expect(own).toHaveLength(3);
    for (const { cron_expression: cron } of own) expect(cron).toMatch(/^\d{1,2} [1-4] \* \* \*$/);

    expect((await client().delete(`/api/v1/discoveries/${id}`).set(as('admin'))).status).toBe(204);
    expect((await client().get(`/api/v1/discoveries/${id}`).set(as('viewer'))).status).toBe(404);
    const [first] = repositories;
    expect(await get(`repositories/${first!.id}`)).toMatchObject({ discovery_id: null });
  });

  it('is not created by a request without a body', async () => {
    const answer = await client().post('/api/v1/discoveries').set(as('admin'));
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'validation_failed',
      errors: [{ field: 'body' }],
    });
  });

  it('answers a dry run at once and registers nothing', async () => {
    const { id } = (await create({ group_path: 'solo', is_active: false })).body as Row;
    const answer = await run(id, { dry_run: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      projects_listed: 1,
      add: [{ project_path: 'solo/x', branch: 'main' }],
      kept: 0,
      retire: [],
      skipped: [],
    });
    expect((await get(`discoveries/${id}/runs`)) as List).toMatchObject({ total: 0 });
  });

  it('refuses to remove many repositories, and removes them with force', async () => {
    const { id } = (await create({ name: 'loss', group_path: 'solo', schedule: null, grace_hours: 0 }))
      .body as Row;
    expect(await endOfRun(id, 1)).toMatchObject({ added: 1 });
    const failedBefore = await metricOf(api, 'repotide_discovery_runs_total', { status: 'failed' });
    const retiredBefore = await metricOf(api, 'repotide_discovered_repositories_total', {
      change: 'retired',
    });
    gitlab.projectById(4).hidden = true;
    gitlab.addGroup('solo');
    const dry = await run(id, { dry_run: true });
    expect(dry.status).toBe(409);
    expect(dry.body).toMatchObject({ code: 'discovery_loss_refused', projects_lost: 1 });
    expect((await run(id)).status).toBe(202);
    expect(await endOfRun(id, 2)).toMatchObject({ status: 'failed', error_code: 'discovery_loss_refused' });
    expect((await run(id, { force: true })).status).toBe(202);
    const ended = await endOfRun(id, 3);
    gitlab.projectById(4).hidden = false;
    expect(ended).toMatchObject({
      status: 'completed',
      retired: 1,
      force: true,
      requested_by: 'test-operator',
    });
    const shown = (await get(`discoveries/${id}/runs/${ended.id}`)) as Row;
    expect(shown).toEqual(ended);
    expect(await metricOf(api, 'repotide_discovery_runs_total', { status: 'failed' })).toBe(failedBefore + 1);
    expect(await metricOf(api, 'repotide_discovered_repositories_total', { change: 'retired' })).toBe(
      retiredBefore + 1,
    );
  });
});

describe('the discoveries resource', () => {
  it.each([
    [{ group_path: 'nobody' }, 422, 'group_not_found', 'group_path'],
    [{ group_path: 'team', cron_expression: 'H/0 * * * *' }, 422, 'cron_invalid', 'cron_expression'],
    [
      { group_path: 'team', schedule: { cron_expression: '99 * * * *' } },
      422,
      'cron_invalid',
      'schedule.cron_expression',
    ],
    [{ group_path: 'team', schedule: { timezone: 'Mars' } }, 422, 'timezone_invalid', 'schedule.timezone'],
    [{ group_path: 'team', include_projects: ['team/['] }, 422, 'glob_invalid', 'include_projects'],
    [{ group_path: 'team', collection_name: '!' }, 422, 'collection_name_invalid', 'collection_name'],
    [
      { group_path: 'team', chunk_size: 200, chunk_overlap: 300 },
      422,
      'chunk_overlap_invalid',
      'chunk_overlap',
    ],
    [{ group_path: 7 }, 400, 'validation_failed', 'group_path'],
    [{ archived_projects: 'perhaps' }, 400, 'validation_failed', 'archived_projects'],
    [{ schedule: 'hourly' }, 400, 'validation_failed', 'schedule'],
    [{ grace_hours: -1 }, 400, 'validation_failed', 'grace_hours'],
  ])('a discovery with %j is refused', async (body, status, code, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, errors: [expect.objectContaining({ field })] });
  });

  it('is edited with its revision, and its name is unique', async () => {
    const { id, revision } = (await create({ name: 'edited', group_path: 'team', is_active: false }))
      .body as Row;
    expect((await create({ name: 'edited', group_path: 'team' })).body).toMatchObject({
      code: 'discovery_exists',
    });
    const edit = (body: object, etag: string) =>
      client()
        .patch(`/api/v1/discoveries/${id}`)
        .set({ ...as('admin'), 'If-Match': etag })
        .send(body);
    const edited = await edit({ exclude_projects: ['team/b'], is_active: true }, `"${String(revision)}"`);
    expect(edited.body).toMatchObject({ exclude_projects: ['team/b'], is_active: true, revision: 2 });
    expect((edited.body as Row)['next_run_at']).not.toBeNull();
    expect((await edit({ grace_hours: 1 }, '"1"')).status).toBe(412);
    expect((await edit({}, '"2"')).status).toBe(400);
    await client().delete(`/api/v1/discoveries/${id}`).set(as('admin'));
  });

  it('recognises a repeated request by its idempotency key', async () => {
    const { id } = (await create({ name: 'keyed', group_path: 'team', schedule: null, is_active: false }))
      .body as Row;
    const key = { 'Idempotency-Key': 'discover-once' };
    const first = await run(id, {}, key);
    const again = await run(id, {}, key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect((again.body as Row).id).toBe((first.body as Row).id);
    expect((await run(id, { force: true }, key)).body).toMatchObject({ code: 'idempotency_key_reused' });
    await endOfRun(id, 1);
    await client().delete(`/api/v1/discoveries/${id}`).set(as('admin'));
  });

  it('requires a role, and its changes are in the audit log', async () => {
    const { id } = (await create({ name: 'roles', group_path: 'team', is_active: false })).body as Row;
    const path = `/api/v1/discoveries/${id}`;
    expect((await client().post('/api/v1/discoveries').set(as('operator')).send({})).status).toBe(403);
    expect((await client().patch(path).set(as('operator')).send({ grace_hours: 1 })).status).toBe(403);
    expect((await client().delete(path).set(as('operator'))).status).toBe(403);
    expect((await client().post(`${path}/run`).set(as('viewer')).send({})).status).toBe(403);
    await client().delete(path).set(as('admin'));
    const entries = await client().get(`/api/v1/audit?subject_id=${id}`).set(as('admin'));
    const actions = (entries.body as List).items.map((row) => row['action']);
    expect(actions).toEqual(expect.arrayContaining(['discovery.create', 'discovery.delete']));
  });
});
