import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { SettingsStore } from '@adapters/postgres';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { valuesInForce } from '../support/settings.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const patch = (body: object) => request(api.url).patch('/api/v1/settings').set(as('admin')).send(body);

describe('/api/v1/settings', () => {
  it('lists every setting with its meaning', async () => {
    const answer = await request(api.url).get('/api/v1/settings').set(as('admin'));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      items: [
        { name: 'scheduling_paused', value: false, default: false, type: 'true or false', updated_by: null },
        { name: 'max_run_seconds', value: null, default: null, updated_at: null },
      ],
      total: 2,
    });
  });

  it('changes the given settings, records the caller, and wakes the scheduler', async () => {
    const before = api.wakeCount();
    const answer = await patch({ scheduling_paused: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      items: [{ value: true, updated_by: 'test-admin' }, { value: null }],
    });
    expect(await valuesInForce(api.get(SettingsStore))).toEqual({
      scheduling_paused: true,
      max_run_seconds: null,
    });
    expect(api.wakeCount()).toBe(before + 1);
    await patch({ scheduling_paused: null, max_run_seconds: 60 });
    expect(await valuesInForce(api.get(SettingsStore))).toEqual({
      scheduling_paused: false,
      max_run_seconds: 60,
    });
  });

  it.each([
    [{ scheduling_paused: { on: true } }, 422, 'setting_invalid', 'scheduling_paused'],
    [{ scheduling_paused: 'yes' }, 422, 'setting_invalid', 'scheduling_paused'],
    [{ max_run_seconds: 0 }, 422, 'setting_invalid', 'max_run_seconds'],
    [{ max_runs: 1 }, 400, 'validation_failed', 'max_runs'],
    [{}, 400, 'nothing_to_change', null],
  ])('refuses %j', async (body, status, code, field) => {
    const answer = await patch(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, ...(field === null ? {} : { errors: [{ field }] }) });
  });

  it('refuses a change with an older revision', async () => {
    const { etag } = (await request(api.url).get('/api/v1/settings').set(as('admin'))).headers;
    // The two requests change different settings: the revision covers all settings, because some are checked together.
    const answers = await Promise.all([
      patch({ scheduling_paused: true }).set({ 'If-Match': etag! }),
      patch({ max_run_seconds: 70 }).set({ 'If-Match': etag! }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const [winner, loser] = answers[0].status === 200 ? answers : [...answers].reverse();
    expect(loser?.body).toMatchObject({ code: 'revision_mismatch' });
    const listed = await request(api.url).get('/api/v1/settings').set(as('admin'));
    expect(listed.body).toEqual(winner?.body);
    expect(listed.headers.etag).toBe(winner?.headers.etag);
    expect(listed.headers.etag).not.toBe(etag);
    const repeated = await patch({ scheduling_paused: null, max_run_seconds: null }).set({
      'If-Match': listed.headers.etag!,
    });
    expect(repeated.status).toBe(200);
  });

  it('requires the role admin', async () => {
    for (const role of ['viewer', 'operator'] as const) {
      expect((await request(api.url).get('/api/v1/settings').set(as(role))).status).toBe(403);
    }
  });
});
