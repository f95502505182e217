import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ExecutionStore, zeroCounters } from '@core/domain';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

interface ScheduleBody {
  id: string;
  revision: number;
  next_run_at: string | null;
  next_ticks: string[];
  [field: string]: unknown;
}

let api: TestApi;
const client = () => request(api.url);
const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const newRepository = async (): Promise<string> => (await api.register()).id;

const create = (body: object) => client().post('/api/v1/schedules').set(as('admin')).send(body);

async function newSchedule(more: object = {}): Promise<ScheduleBody> {
  const answer = await create({
    repository_id: await newRepository(),
    cron_expression: '*/15 * * * *',
    ...more,
  });
  expect(answer.status).toBe(201);
  return answer.body as ScheduleBody;
}

describe('creating a schedule', () => {
  it('fills in the defaults and shows its next five ticks', async () => {
    const schedule = await newSchedule();
    expect(schedule).toMatchObject({
      timezone: 'UTC',
      is_active: true,
      misfire_grace_seconds: 300,
      last_sync_at: null,
      revision: 1,
    });
    expect(schedule.next_ticks).toHaveLength(5);
    expect(schedule.next_run_at).toBe(schedule.next_ticks[0]);
    const minutes = schedule.next_ticks.map((tick) => new Date(tick).getUTCMinutes() % 15);
    expect(minutes).toEqual([0, 0, 0, 0, 0]);
  });

  it('evaluates the expression in its time zone', async () => {
    const { next_ticks: ticks } = await newSchedule({
      cron_expression: '30 9 * * *',
      timezone: 'Asia/Kolkata',
    });
    expect(ticks.map((tick) => tick.slice(11))).toEqual(Array(5).fill('04:00:00.000Z'));
  });

  it('has no tick when it starts paused', async () => {
    expect(await newSchedule({ is_active: false })).toMatchObject({ next_run_at: null, next_ticks: [] });
  });

  it.each([
    [{ cron_expression: '61 * * * *' }, 422, 'cron_invalid', 'cron_expression'],
    [{ cron_expression: '* * * * * *' }, 422, 'cron_invalid', 'cron_expression'],
    [{ cron_expression: '0 0 30 2 *' }, 422, 'cron_invalid', 'cron_expression'],
    [{ timezone: 'Mars/Olympus' }, 422, 'timezone_invalid', 'timezone'],
    [{ timezone: '+02:00' }, 422, 'timezone_invalid', 'timezone'],
    [{ repository_id: UNKNOWN_ID }, 422, 'repository_not_found', 'repository_id'],
    [{ cron_expression: undefined }, 400, 'validation_failed', 'cron_expression'],
    [{ repository_id: undefined }, 400, 'validation_failed', 'repository_id'],
    [{ repository_id: '42' }, 400, 'validation_failed', 'repository_id'],
    [{ misfire_grace_seconds: -1 }, 400, 'validation_failed', 'misfire_grace_seconds'],
    [{ is_active: 'true' }, 400, 'validation_failed', 'is_active'],
    [{ cron: '* * * * *' }, 400, 'validation_failed', 'cron'],
  ])('refuses %j with %i %s', async (wrong, status, code, field) => {
    const repositoryId = await newRepository();
    const answer = await create({ repository_id: repositoryId, cron_expression: '0 * * * *', ...wrong });
    expect(answer.body).toMatchObject({ status, code, errors: [{ field }] });
    const list = await client().get(`/api/v1/schedules?repository_id=${repositoryId}`).set(as('viewer'));
    expect(list.body).toEqual({ items: [], total: 0 });
  });

  it('wakes the scheduler after each edit', async () => {
    const counts = [api.wakeCount()];
    const { id } = await newSchedule();
    counts.push(api.wakeCount());
    await client().patch(`/api/v1/schedules/${id}`).set(as('admin')).send({ timezone: 'Europe/Berlin' });
    counts.push(api.wakeCount());
    await client().post(`/api/v1/schedules/${id}/pause`).set(as('operator'));
    counts.push(api.wakeCount());
    await client().delete(`/api/v1/schedules/${id}`).set(as('admin'));
    counts.push(api.wakeCount());
    expect(new Set(counts).size).toBe(5);
  });
});

describe('changing a schedule', () => {
  it('computes the next ticks again', async () => {
    const { id } = await newSchedule();
    const answer = await client()
      .patch(`/api/v1/schedules/${id}`)
      .set({ ...as('admin'), 'If-Match': '"1"' })
      .send({ cron_expression: '0 3 * * *' });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBe('"2"');
    expect((answer.body as ScheduleBody).next_run_at).toMatch(/T03:00:00\.000Z$/);
    const late = await client()
      .patch(`/api/v1/schedules/${id}`)
      .set({ ...as('admin'), 'If-Match': '"1"' })
      .send({ timezone: 'Europe/Berlin' });
    expect(late.body).toMatchObject({ status: 412, code: 'revision_mismatch' });
  });

  it('leaves the schedule as it was when the edit is refused', async () => {
    const before = await newSchedule();
    const answer = await client()
      .patch(`/api/v1/schedules/${before.id}`)
      .set(as('admin'))
      .send({ cron_expression: 'often' });
    expect(answer.body).toMatchObject({ status: 422, code: 'cron_invalid' });
    const after = await client().get(`/api/v1/schedules/${before.id}`).set(as('viewer'));
    expect(after.body).toMatchObject({ cron_expression: '*/15 * * * *', revision: 1 });
  });

  it('pauses and resumes; repeating either changes nothing', async () => {
    const { id } = await newSchedule();
    const post = async (action: string) =>
      (await client().post(`/api/v1/schedules/${id}/${action}`).set(as('operator')).expect(200))
        .body as ScheduleBody;
    expect(await post('pause')).toMatchObject({ is_active: false, next_run_at: null, revision: 2 });
    expect(await post('pause')).toMatchObject({ is_active: false, revision: 2 });
    const resumed = await post('resume');
    expect(resumed).toMatchObject({ is_active: true, revision: 3 });
    expect(resumed.next_ticks).toHaveLength(5);
  });

  it('hides a deleted schedule and keeps its row', async () => {
    const { id } = await newSchedule();
    await client().delete(`/api/v1/schedules/${id}`).set(as('admin')).expect(204);
    await client().delete(`/api/v1/schedules/${id}`).set(as('admin')).expect(404);
    const answer = await client().get(`/api/v1/schedules/${id}`).set(as('viewer'));
    expect(answer.body).toMatchObject({ status: 404, code: 'schedule_not_found' });
  });

  it('lists by repository and by is_active', async () => {
    const repositoryId = await newRepository();
    const base = { repository_id: repositoryId, cron_expression: '0 * * * *' };
    await create(base);
    await create({ ...base, is_active: false });
    const total = async (query: string) => {
      const path = `/api/v1/schedules?repository_id=${repositoryId}${query}`;
      return ((await client().get(path).set(as('viewer'))).body as { total: number }).total;
    };
    expect([await total(''), await total('&is_active=true'), await total('&is_active=false')]).toEqual([
      2, 1, 1,
    ]);
    await client().get('/api/v1/schedules?is_active=maybe').set(as('viewer')).expect(400);
  });
});

describe('executions', () => {
  const store = () => api.get(ExecutionStore);

  async function queued(repositoryId: string): Promise<string> {
    const execution = await store().enqueue({
      repositoryId,
      trigger: 'manual',
      requestedBy: 'ci',
      fullSync: false,
    });
    return execution.id;
  }

  async function finished(repositoryId: string, status: 'completed' | 'failed', podName: string) {
    const executionId = await queued(repositoryId);
    const run = await startAttempt(store(), executionId, podName);
    await store().finish(run!, {
      status,
      counters: { ...zeroCounters(), filesAdded: 3 },
      fromCommit: null,
      toCommit: status === 'completed' ? 'c'.repeat(40) : null,
      errorCode: status === 'failed' ? 'branch_not_found' : null,
      errorMessage: status === 'failed' ? 'The branch "main" does not exist.' : null,
    });
    return executionId;
  }

  const list = async (query: string) => {
    const answer = await client().get(`/api/v1/executions?${query}`).set(as('viewer'));
    expect(answer.status).toBe(200);
    return answer.body as { items: { id: string; queued_at: string }[]; total: number };
  };

  it('show how a run ended', async () => {
    const executionId = await finished(await newRepository(), 'failed', 'pod-a');
    const answer = await client().get(`/api/v1/executions/${executionId}`).set(as('viewer'));
    expect(answer.body).toMatchObject({
      status: 'failed',
      pod_name: 'pod-a',
      attempt: 1,
      files_added: 3,
      error_code: 'branch_not_found',
      duration_seconds: expect.any(Number),
    });
  });

  it('are filtered by repository, status, trigger, pod and time', async () => {
    const repositoryId = await newRepository();
    const completed = await finished(repositoryId, 'completed', 'pod-a');
    const failed = await finished(repositoryId, 'failed', 'pod-b');
    const waiting = await queued(repositoryId);
    const of = `repository_id=${repositoryId}`;
    const ids = async (query: string) => (await list(`${of}&${query}`)).items.map(({ id }) => id);
    expect(await ids('')).toEqual([waiting, failed, completed]);
    expect(await ids('status=failed')).toEqual([failed]);
    expect(await ids('status=failed,completed')).toEqual([failed, completed]);
    expect(await ids('status=failed&status=queued')).toEqual([waiting, failed]);
    expect(await ids('trigger=cron')).toEqual([]);
    expect(await ids('pod_name=pod-b')).toEqual([failed]);
    expect(await ids('limit=1&offset=1')).toEqual([failed]);
    const { items } = await list(`${of}&status=failed`);
    const queuedAt = items[0]!.queued_at;
    expect(await ids(`to=${queuedAt}`)).toEqual([completed]);
    expect(await ids(`from=2100-01-01T00:00:00%2B01:00`)).toEqual([]);
    expect(await ids(`from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z`)).toHaveLength(3);
  });

  it.each([
    'status=done',
    'status=',
    'trigger=me',
    'from=yesterday',
    'from=2026-11-20',
    'schedule_id=7',
    'pod=x',
  ])('refuses ?%s', async (query) => {
    await client().get(`/api/v1/executions?${query}`).set(as('viewer')).expect(400);
  });

  it('are listed by schedule', async () => {
    const { id } = await newSchedule();
    const answer = await client().get(`/api/v1/schedules/${id}/executions?status=missed`).set(as('viewer'));
    expect(answer.body).toEqual({ items: [], total: 0 });
    await client().get(`/api/v1/schedules/${UNKNOWN_ID}/executions`).set(as('viewer')).expect(404);
  });

  describe('cancelling', () => {
    const cancel = (executionId: string) =>
      client().post(`/api/v1/executions/${executionId}/cancel`).set(as('operator'));

    it('ends a queued run at once, also when it is repeated', async () => {
      const executionId = await queued(await newRepository());
      for (const answer of [await cancel(executionId), await cancel(executionId)]) {
        expect(answer.status).toBe(202);
        expect(answer.body).toMatchObject({ status: 'cancelled', error_code: 'cancel_requested' });
      }
      expect(await startAttempt(store(), executionId, 'pod-a')).toBeNull();
    });

    it('requests that a running one stops', async () => {
      const executionId = await queued(await newRepository());
      const run = await startAttempt(store(), executionId, 'pod-a');
      const answer = await cancel(executionId);
      expect(answer.body).toMatchObject({ status: 'running', cancel_requested_at: expect.any(String) });
      expect(await store().heartbeat(run!, zeroCounters())).toEqual({ isCancelRequested: true });
    });

    it('refuses one that has ended in another way', async () => {
      const answer = await cancel(await finished(await newRepository(), 'completed', 'pod-a'));
      expect(answer.body).toMatchObject({
        status: 409,
        code: 'execution_finished',
        execution_status: 'completed',
      });
    });

    it('answers 404 for an unknown id', async () => {
      expect((await cancel(UNKNOWN_ID)).body).toMatchObject({ status: 404, code: 'execution_not_found' });
    });
  });
});
