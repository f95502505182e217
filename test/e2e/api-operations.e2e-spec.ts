import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ExecutionStore, LeaseManager, type Repository, type StartedRun, zeroCounters } from '@core/domain';
import { AuditLog, PodRegistry } from '@adapters/postgres';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

let api: TestApi;
let repository: Repository;
let repositoryId: string;
const client = () => request(api.url);
const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const audit = async (query: string) => {
  const answer = await client().get(`/api/v1/audit?${query}`).set(as('admin'));
  expect(answer.status).toBe(200);
  return answer.body as { items: Record<string, unknown>[]; total: number };
};

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  repository = await api.register();
  repositoryId = repository.id;
});
afterAll(() => api.stop());

const executions = () => api.get(ExecutionStore);

async function startRun(): Promise<StartedRun> {
  const request = { repositoryId, trigger: 'manual', requestedBy: null, fullSync: false } as const;
  const { id } = await executions().enqueue(request);
  return (await startAttempt(executions(), id, 'pod-a'))!;
}

describe('locks', () => {
  const leases = () => api.get(LeaseManager);
  const release = (reason: string | null, id = repositoryId) =>
    client()
      .delete(`/api/v1/locks/${id}${reason === null ? '' : `?reason=${encodeURIComponent(reason)}`}`)
      .set(as('admin'));

  it('show the holder, the repository and the time', async () => {
    const run = await startRun();
    const lease = await leases().acquire(run);
    const body: unknown = (await client().get('/api/v1/locks').set(as('viewer'))).body;
    expect(body).toEqual({
      total: 1,
      items: [
        {
          repository_id: repositoryId,
          project_path: repository.projectPath,
          branch: repository.branch,
          pod_name: 'pod-a',
          execution_id: run.executionId,
          fence: run.fence,
          held_since: run.execution.startedAt!.toISOString(),
          expires_at: null,
          execution_status: 'running',
          heartbeat_at: run.execution.heartbeatAt!.toISOString(),
          cancel_requested_at: null,
        },
      ],
    });
    await lease!.release();
    expect((await client().get('/api/v1/locks').set(as('viewer'))).body).toEqual({ items: [], total: 0 });
  });

  it('are released with a reason: the run of the holder ends, and the release is in the audit log', async () => {
    const run = await startRun();
    const lease = await leases().acquire(run);
    expect((await release('The pod hangs & does not answer.')).status).toBe(204);
    expect(lease!.signal.aborted).toBe(true);
    expect(await leases().holderOf(repositoryId)).toBeNull();
    await expect(executions().heartbeat(run, zeroCounters())).rejects.toMatchObject({ code: 'fence_lost' });
    expect(await executions().find(run.executionId)).toMatchObject({
      status: 'cancelled',
      errorCode: 'lock_released',
      errorMessage: expect.stringContaining('The pod hangs & does not answer.'),
    });
    expect((await audit(`subject_id=${repositoryId}`)).items).toEqual([
      expect.objectContaining({
        action: 'lock.release',
        subject_type: 'lock',
        actor_name: 'test-admin',
        actor_role: 'admin',
        reason: 'The pod hangs & does not answer.',
        outcome: 'succeeded',
      }),
    ]);
  });

  it('are released only by an administrator, with a reason, while they are held', async () => {
    expect((await release('Just because.')).body).toMatchObject({ status: 404, code: 'lock_not_held' });
    expect((await release('Just because.', 'x')).status).toBe(400);
    for (const reason of [null, '', '  ']) expect((await release(reason)).status).toBe(400);
    await client().delete(`/api/v1/locks/${UNKNOWN_ID}?reason=x`).set(as('operator')).expect(403);
  });
});

describe('the audit log', () => {
  it('records each change with its caller and request', async () => {
    const created = await client()
      .post('/api/v1/schedules')
      .set(as('admin'))
      .set('X-Request-Id', 'request-7')
      .send({ repository_id: repositoryId, cron_expression: '0 * * * *' });
    const { id } = created.body as { id: string };
    await client().patch(`/api/v1/schedules/${id}`).set(as('admin')).send({ timezone: 'Europe/Berlin' });
    await client().post(`/api/v1/schedules/${id}/pause`).set(as('operator'));
    await client().delete(`/api/v1/schedules/${id}`).set(as('admin'));
    const { items, total } = await audit(`subject_id=${id}`);
    expect(total).toBe(4);
    expect(
      items.map(({ action, actor_name: actor, outcome, changes }) => [action, actor, outcome, changes]),
    ).toEqual([
      ['schedule.delete', 'test-admin', 'succeeded', null],
      ['schedule.pause', 'test-operator', 'succeeded', null],
      ['schedule.update', 'test-admin', 'succeeded', { timezone: 'Europe/Berlin' }],
      [
        'schedule.create',
        'test-admin',
        'succeeded',
        { repository_id: repositoryId, cron_expression: '0 * * * *' },
      ],
    ]);
    expect(items.at(-1)).toMatchObject({ request_id: 'request-7', subject_type: 'schedule' });
  });

  it('records refusals without the refused body', async () => {
    const answer = await client()
      .patch(`/api/v1/schedules/${UNKNOWN_ID}`)
      .set(as('admin'))
      .send({ timezone: 'glpat-pasted-here' });
    expect(answer.status).toBe(404);
    const invalid = await client()
      .patch(`/api/v1/schedules/${UNKNOWN_ID}`)
      .set(as('admin'))
      .send({ nonsense: 1 });
    expect(invalid.status).toBe(400);
    const { items } = await audit(`subject_id=${UNKNOWN_ID}&action=schedule.update`);
    expect(items.map(({ outcome, error_code: code, changes }) => [outcome, code, changes])).toEqual([
      ['refused', 'validation_failed', null],
      ['refused', 'schedule_not_found', null],
    ]);
  });

  it('is filtered, paged and newest first', async () => {
    for (let time = 0; time < 3; time++) {
      await client().post(`/api/v1/executions/${UNKNOWN_ID}/cancel`).set(as('operator')).expect(404);
    }
    const { items, total } = await audit('action=execution.cancel&outcome=refused&limit=2');
    expect([items.length, total]).toEqual([2, 3]);
    expect(Number(items[0]!.id)).toBeGreaterThan(Number(items[1]!.id));
    expect((await audit('action=execution.cancel&outcome=succeeded')).total).toBe(0);
    expect((await audit('to=2020-01-01T00:00:00Z')).total).toBe(0);
    expect((await audit(`actor_id=${String(items[0]!.actor_id)}&action=execution.cancel`)).total).toBe(3);
    await client().get('/api/v1/audit?outcome=maybe').set(as('admin')).expect(400);
    await client().get('/api/v1/audit').set(as('operator')).expect(403);
  });

  it('does not record reads of rows', async () => {
    const before = (await audit('')).total;
    await client().get('/api/v1/repositories').set(as('viewer')).expect(200);
    await client().get(`/api/v1/repositories/${repositoryId}`).set(as('viewer')).expect(200);
    expect((await audit('')).total).toBe(before);
  });

  it('refuses a change that cannot be recorded', async () => {
    await api.database.query('ALTER TABLE audit_records RENAME TO audit_records_away');
    try {
      const sync = await client().post(`/api/v1/repositories/${repositoryId}/sync`).set(as('operator'));
      expect(sync.status).toBeGreaterThanOrEqual(400);
      expect((await executions().list({ repositoryId }, { limit: 1, offset: 0 })).total).toBe(0);
    } finally {
      await api.database.query('ALTER TABLE audit_records_away RENAME TO audit_records');
    }
  });

  it('shows a call that did not finish', async () => {
    await api.get(AuditLog).append([{ at: new Date(), kind: 'change', action: 'x.y', actorId: 'a' }]);
    expect((await audit('action=x.y')).items).toEqual([
      expect.objectContaining({ outcome: null, changes: null }),
    ]);
  });
});

describe('the cluster', () => {
  it('shows each process, the leader and the queue depth', async () => {
    const pods = api.get(PodRegistry);
    await pods.showLife({
      bootId: UNKNOWN_ID,
      podName: 'pod-gone',
      roles: ['worker'],
      version: '0.0.9',
      mode: 'standalone',
      modelId: null,
    });
    await api.database.query(`UPDATE pods SET seen_at = seen_at - interval '10 minutes' WHERE boot_id = $1`, [
      UNKNOWN_ID,
    ]);
    const body: unknown = (await client().get('/api/v1/cluster').set(as('viewer'))).body;
    expect(body).toMatchObject({
      mode: 'standalone',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      queue_depth: expect.any(Number),
      leader: 'test-pod',
      pods: [
        { pod_name: 'pod-a', roles: ['api', 'scheduler', 'worker'], is_alive: true, is_leader: false },
        { pod_name: 'pod-gone', roles: ['worker'], is_alive: false, is_leader: false, version: '0.0.9' },
      ],
    });
  });

  it('removes a pod that has stopped', async () => {
    await api.get(PodRegistry).leave(UNKNOWN_ID);
    const body: unknown = (await client().get('/api/v1/cluster').set(as('viewer'))).body;
    expect((body as { pods: { pod_name: string }[] }).pods.map((pod) => pod.pod_name)).toEqual(['pod-a']);
  });
});

describe('a request with an idempotency key', () => {
  const sync = (key: string, body: object = {}, id = repositoryId, role: 'operator' | 'admin' = 'operator') =>
    client().post(`/api/v1/repositories/${id}/sync`).set(as(role)).set('Idempotency-Key', key).send(body);

  it('returns its first run, whether queued, running or ended', async () => {
    const first = await sync('key-1');
    expect(first.status).toBe(202);
    const { execution_id: id } = first.body as { execution_id: string };
    const same = async () => expect((await sync('key-1')).body).toEqual(first.body);
    await same();
    const run = await startAttempt(executions(), id, 'pod-a');
    await same();
    await executions().finish(run!, {
      status: 'completed',
      counters: zeroCounters(),
      fromCommit: null,
      toCommit: null,
      errorCode: null,
      errorMessage: null,
    });
    await same();
    const next = await sync('key-2');
    expect([next.status, next.body]).toEqual([202, expect.not.objectContaining({ execution_id: id })]);
  });

  it('makes one run when it is sent twice at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => sync('key-race')));
    expect(new Set(answers.map(({ body }) => (body as { execution_id: string }).execution_id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
  });

  it('is refused when its body differs', async () => {
    await sync('key-3').expect(202);
    for (const answer of [
      await sync('key-3', { full: true }),
      await sync('key-3', {}, await otherRepository()),
    ]) {
      expect(answer.body).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    }
  });

  it('is separate for each caller, and can be repeated after a refusal', async () => {
    const made = await sync('key-4');
    const other = await sync('key-4', {}, repositoryId, 'admin');
    expect(other.body).toMatchObject({ status: 409, code: 'run_in_progress' });
    const { execution_id: id } = made.body as { execution_id: string };
    await executions().requestCancel(id);
    expect((await sync('key-4', {}, repositoryId, 'admin')).status).toBe(202);
    expect((await sync('key-4')).body).toEqual(made.body);
  });

  it('makes a new run after a day', async () => {
    const made = await sync('key-5');
    const { execution_id: id } = made.body as { execution_id: string };
    await executions().requestCancel(id);
    await api.database.query(`UPDATE idempotency_keys SET created_at = created_at - interval '25 hours'`);
    const again = await sync('key-5', { full: true });
    expect([again.status, again.body]).toEqual([202, expect.not.objectContaining({ execution_id: id })]);
  });

  it.each(['', 'a b', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    expect((await sync(key)).body).toMatchObject({ status: 400, code: 'idempotency_key_invalid' });
  });

  const otherRepository = async (): Promise<string> => (await api.register()).id;
});
