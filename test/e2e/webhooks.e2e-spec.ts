import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { PushStore } from '@adapters/postgres';
import { zeroCounters, ExecutionStore, type Repository, RepositoryStore } from '@core/domain';
import { newRepository } from '../integration/postgres/fixtures.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { startAttempt } from '../support/start-attempt.js';

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;
const PATH = '/webhooks/gitlab';
const DEBOUNCE_SECONDS = 77;

let api: TestApi;
let executions: ExecutionStore;
let pushes: PushStore;

beforeAll(async () => {
  const env = { GITLAB_WEBHOOK_SECRET: SECRET, WEBHOOK_DEBOUNCE_SECONDS: String(DEBOUNCE_SECONDS) };
  api = await startTestApi({ env });
  executions = api.get(ExecutionStore);
  pushes = api.get(PushStore);
});
afterAll(() => api.stop());

const register = (changes: Partial<Repository> = {}): Promise<Repository> =>
  api.get(RepositoryStore).create(newRepository(changes));

/** The fields of GitLab's push event that the service reads. */
function pushTo(repository: Repository, changes: object = {}) {
  return {
    object_kind: 'push',
    event_name: 'push',
    before: '0'.repeat(40),
    after: 'a'.repeat(40),
    ref: `refs/heads/${repository.branch}`,
    checkout_sha: 'a'.repeat(40),
    project_id: repository.projectId,
    project: {
      path_with_namespace: repository.projectPath,
      web_url: `${repository.baseUrl}/${repository.projectPath}`,
      default_branch: 'main',
    },
    commits: [],
    total_commits_count: 0,
    ...changes,
  };
}

const send = (event: object, headers: Record<string, string> = { 'X-Gitlab-Token': SECRET }) =>
  request(api.url).post(PATH).set('X-Gitlab-Event', 'Push Hook').set(headers).send(event);

function signed(event: object, changes: { key?: Buffer; at?: Date; id?: string; body?: string } = {}) {
  const { key = KEY, at = new Date(), id = randomUUID() } = changes;
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return request(api.url)
    .post(PATH)
    .set({
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature} v1a,other`,
    })
    .send(changes.body ?? body);
}

async function runsOf(repository: Repository) {
  return (await executions.list({ repositoryId: repository.id }, { limit: 20, offset: 0 })).items;
}

/** Starts the queued execution and stops at `running`. */
async function start(executionId: string) {
  const run = await startAttempt(executions, executionId, 'pod-a');
  if (run === null) throw new Error('It did not start.');
  return run;
}

const outcome = {
  status: 'completed',
  counters: zeroCounters(),
  fromCommit: null,
  toCommit: null,
  errorCode: null,
  errorMessage: null,
} as const;

describe('a push to a registered branch', () => {
  it('queues one run after the debounce, also for later pushes', async () => {
    const repository = await register();
    const first = await send(pushTo(repository));
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ status: 'accepted', reason: null });
    const again = await send(pushTo(repository));
    expect(again.body).toEqual({ status: 'accepted', reason: null, execution_ids: [] });
    const [run, ...others] = await runsOf(repository);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      trigger: 'webhook',
      status: 'queued',
      handler: 'repository_sync',
      fullSync: false,
    });
    expect((first.body as { execution_ids: string[] }).execution_ids).toEqual([run?.id]);
    expect((run!.availableAt!.getTime() - run!.queuedAt.getTime()) / 1000).toBeCloseTo(DEBOUNCE_SECONDS, 0);
  });

  it('queues runs for every repository of the project at that branch, even if GitLab uses another host name', async () => {
    const one = await register({ baseUrl: 'https://git.test', branch: 'dev' });
    const { projectId, projectPath } = one;
    const alias = await register({
      baseUrl: 'http://gitlab.internal:8080',
      branch: 'dev',
      projectId,
      projectPath,
    });
    const otherBranch = await register({
      baseUrl: 'https://git.test',
      branch: 'main',
      projectId,
      projectPath,
    });
    const otherHost = await register({ baseUrl: 'https://git.test.example', branch: 'dev', projectId });
    await send(pushTo(one));
    const counts = await Promise.all(
      [one, alias, otherBranch, otherHost].map(async (r) => (await runsOf(r)).length),
    );
    expect(counts).toEqual([1, 1, 0, 0]);
  });

  it('is matched by X-Gitlab-Instance too, and by a prefix of the address', async () => {
    const repository = await register({ baseUrl: 'https://Code.test/gitlab' });
    const event = pushTo(repository, { project: { path_with_namespace: 'moved/away' } });
    const answer = await send(event, {
      'X-Gitlab-Token': SECRET,
      'X-Gitlab-Instance': 'https://code.test/gitlab',
    });
    expect(answer.body).toMatchObject({ status: 'accepted' });
    expect(await runsOf(repository)).toHaveLength(1);
  });

  it('is included in a manual run that starts in the meantime', async () => {
    const repository = await register();
    await send(pushTo(repository));
    const manual = await executions.enqueue({
      repositoryId: repository.id,
      trigger: 'manual',
      requestedBy: 'ann',
      fullSync: false,
    });
    const runs = await runsOf(repository);
    expect(runs.map(({ id, status, errorCode }) => [id, status, errorCode])).toEqual([
      [manual.id, 'queued', null],
      [runs[1]?.id, 'skipped', 'coalesced'],
    ]);
    expect((await send(pushTo(repository))).body).toMatchObject({ status: 'accepted', execution_ids: [] });
  });

  it('during a run is followed by exactly one more run', async () => {
    const repository = await register();
    const { id } = await executions.enqueue({
      repositoryId: repository.id,
      trigger: 'manual',
      requestedBy: null,
      fullSync: false,
    });
    const run = await start(id);
    for (let push = 0; push < 3; push++) expect((await send(pushTo(repository))).status).toBe(202);
    expect(await pushes.queueFollowUps()).toEqual([]);
    await executions.finish(run, outcome);
    const followUps = (await Promise.all([1, 2, 3].map(() => pushes.queueFollowUps()))).flat();
    expect(followUps).toMatchObject([{ repositoryId: repository.id, trigger: 'webhook', status: 'queued' }]);
    expect(followUps[0]?.availableAt).not.toBeNull();
    expect(await runsOf(repository)).toHaveLength(2);
    await executions.finish(await start(followUps[0]!.id), outcome);
    expect(await pushes.queueFollowUps()).toEqual([]);
  });

  it('is not lost when it arrives while a run starts or ends', async () => {
    const repository = await register();
    for (let round = 0; round < 15; round++) {
      const { id } = await executions.enqueue({
        repositoryId: repository.id,
        trigger: 'manual',
        requestedBy: null,
        fullSync: false,
      });
      const starting = start(id);
      const [, run] = await Promise.all([send(pushTo(repository)), starting]);
      const [pushed] = await Promise.all([send(pushTo(repository)), executions.finish(run, outcome)]);
      expect(pushed.status).toBe(202);
      await pushes.queueFollowUps();
      // A run starts after the push, whether the push came before or after the end of the former run.
      const live = (await runsOf(repository)).filter(({ status }) => status === 'queued');
      expect(live).toHaveLength(1);
      await executions.abandonQueued(live[0]!.id, 'cancelled', 'cancel_requested', 'End of the round.');
    }
  });
});

describe('an event that needs no run', () => {
  it.each([
    ['another kind', { object_kind: 'tag_push', ref: 'refs/tags/v1' }, 'not_a_push'],
    ['a tag', { ref: 'refs/tags/v1' }, 'not_a_branch'],
    ['a deleted branch', { after: '0'.repeat(40), checkout_sha: null }, 'branch_deleted'],
    ['a deleted branch of a SHA-256 repository', { after: '0'.repeat(64) }, 'branch_deleted'],
    ['an unregistered project', { project_id: 999_999_999 }, 'not_registered'],
    ['an unregistered branch', { ref: 'refs/heads/other' }, 'not_registered'],
    ['a push in an unknown format', { project_id: 'abc' }, 'push_not_understood'],
  ])('an event is ignored with status 200: %s', async (_name, changes, reason) => {
    const repository = await register();
    const answer = await send(pushTo(repository, changes));
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ status: 'ignored', reason, execution_ids: [] });
    expect(await runsOf(repository)).toEqual([]);
  });
});

describe('the signature of an event', () => {
  it('is checked over the body as it was sent', async () => {
    const repository = await register();
    expect((await signed(pushTo(repository))).body).toMatchObject({ status: 'accepted' });
    expect((await signed(pushTo(repository), { key: Buffer.from(SECRET) })).status).toBe(202);
  });

  it.each([
    ['no proof', {}, 'webhook_unproven'],
    ['a wrong token', { 'X-Gitlab-Token': `${SECRET.slice(0, -1)}!` }, 'webhook_token_rejected'],
  ])('an event is refused with %s', async (_name, headers, code) => {
    const answer = await send(pushTo(await register()), headers);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([401, code]);
    expect(answer.text).not.toContain(SECRET.slice(6, 20));
  });

  it('a signature is refused when body, key or time differ', async () => {
    const event = pushTo(await register());
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    const codes = await Promise.all([
      signed(event, { body: JSON.stringify({ ...event, project_id: 1 }) }),
      signed(event, { key: randomBytes(32) }),
      signed(event, { at: minutes(-6) }),
      signed(event, { at: minutes(6) }),
    ]);
    expect(codes.map(({ status, body }) => `${status} ${(body as { code: string }).code}`)).toEqual([
      '401 webhook_signature_rejected',
      '401 webhook_signature_rejected',
      '401 webhook_timestamp_stale',
      '401 webhook_timestamp_stale',
    ]);
  });

  it('is accepted once: a repeated delivery does nothing', async () => {
    const repository = await register();
    const id = randomUUID();
    const first = await signed(pushTo(repository), { id });
    await executions.abandonQueued(
      (first.body as { execution_ids: string[] }).execution_ids[0]!,
      'cancelled',
      'x',
      'x',
    );
    expect((await signed(pushTo(repository), { id })).body).toMatchObject({ status: 'repeated' });
    const headers = { 'X-Gitlab-Token': SECRET, 'Idempotency-Key': id };
    expect((await send(pushTo(repository), headers)).body).toMatchObject({ status: 'repeated' });
    expect(await runsOf(repository)).toHaveLength(1);
  });

  it('can be repeated after a day', async () => {
    const id = randomUUID();
    const repository = await register();
    await signed(pushTo(repository), { id });
    await api.database.query(
      `UPDATE webhook_deliveries SET received_at = received_at - interval '25 hours' WHERE delivery_id = $1`,
      [id],
    );
    await pushes.queueFollowUps();
    expect(await api.database.query('SELECT 1 FROM webhook_deliveries WHERE delivery_id = $1', [id])).toEqual(
      [],
    );
  });
});

describe('the body of an event', () => {
  it('may be larger than other bodies', async () => {
    const padding = 'x'.repeat(20_000_000);
    const answer = await send(pushTo(await register(), { padding }));
    expect(answer.body).toMatchObject({ status: 'accepted' });
    const elsewhere = await request(api.url)
      .post('/api/v1/search')
      .set('Authorization', api.authorization('viewer'))
      .send({ query: padding.slice(0, 1_100_000) });
    expect(elsewhere.status).toBe(413);
  });

  it('is not read without a valid signature or token', async () => {
    const answer = await request(api.url)
      .post(PATH)
      .set({ 'Content-Type': 'application/json', 'Content-Length': '25000000' })
      .send('{');
    expect(answer.status).toBe(401);
  });

  it('the body of an event must be JSON', async () => {
    const answer = await request(api.url)
      .post(PATH)
      .set({ 'Content-Type': 'application/json', 'X-Gitlab-Token': SECRET })
      .send('{"object_kind":');
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([400, 'malformed_request']);
  });
});

describe('without GITLAB_WEBHOOK_SECRET', () => {
  it('webhooks are off, and the error names the setting', async () => {
    const off = await startTestApi();
    try {
      const answer = await request(off.url)
        .post(PATH)
        .set('X-Gitlab-Token', 'x')
        .send({ object_kind: 'push' });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'webhooks_disabled' });
      expect(answer.text).toContain('GITLAB_WEBHOOK_SECRET');
    } finally {
      await off.stop();
    }
  });
});
