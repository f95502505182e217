import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type Execution, ExecutionStore, ProgressStore, type Repository, zeroCounters } from '@core/domain';
import { progressTask } from '../contracts/progress-store.contract.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { until } from '../support/command-line.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

let api: TestApi;
let repository: Repository;
let execution: Execution;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

beforeEach(async () => {
  repository = await api.register();
  const asked = {
    repositoryId: repository.id,
    trigger: 'manual',
    requestedBy: 'viewer',
    fullSync: false,
  } as const;
  execution = await executions().enqueue(asked);
});

const executions = () => api.get(ExecutionStore);
const store = () => api.get(ProgressStore);
const get = (path: string) =>
  request(api.url)
    .get(path)
    .set({ Authorization: api.authorization('viewer') });
const working = (progress: number) => progressTask({ taskId: execution.id, userId: 'viewer', progress });
const ended = () =>
  progressTask({ taskId: execution.id, userId: 'viewer', progress: 100, status: 'completed' });

interface Event {
  id: string | null;
  progress: number;
  status: string;
}

/** Follows an execution until the server closes the stream, or until so many events have arrived. */
async function follow(
  options: {
    lastEventId?: string;
    stopAfter?: number;
    authorization?: string;
    onEvent?: (event: Event) => void;
  } = {},
) {
  const { authorization = api.authorization('viewer') } = options;
  const headers: Record<string, string> = { Authorization: authorization };
  if (options.lastEventId !== undefined) headers['Last-Event-ID'] = options.lastEventId;
  const path = `${api.url}/api/v1/executions/${execution.id}/events`;
  const answer = await fetch(path, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events: Event[] = [];
  let text = '';
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(part);
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      const event = {
        id: /^id: (.*)$/m.exec(frame)?.[1] ?? null,
        ...(JSON.parse(data) as { progress: number; status: string }),
      };
      events.push(event);
      options.onEvent?.(event);
    }
    // Leaving the loop aborts the request, as a disconnecting client does.
    if (options.stopAfter !== undefined && events.length >= options.stopAfter) break;
  }
  return events;
}

describe('progress', () => {
  it('shows a queued run from its row', async () => {
    const answer = await get(`/api/v1/progress/${execution.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      task_id: execution.id,
      status: 'initializing',
      progress: 0,
      total_steps: 7,
      message: 'Waiting',
      repository_path: repository.projectPath,
      cancelled: false,
    });
    expect((await get(`/api/v1/progress/${UNKNOWN_ID}`)).status).toBe(404);
  });

  it('shows a run without progress in Redis from its row', async () => {
    const started = await startAttempt(executions(), execution.id, 'pod');
    await executions().heartbeat(started!, { ...zeroCounters(), filesProcessed: 1_100, filesFailed: 2 });
    expect((await get(`/api/v1/progress/${execution.id}`)).body).toMatchObject({
      message: 'Running: 1100 files so far',
      processed_files: 1_100,
      failed_files: 2,
    });
  });

  it('is listed by user and counted by status', async () => {
    await store().save(working(70));
    const listed = await get('/api/v1/progress?user_id=viewer');
    expect(listed.body).toMatchObject({ total: 1, items: [{ task_id: execution.id, progress: 70 }] });
    const stats = await get('/api/v1/progress/stats');
    expect(stats.body).toMatchObject({ by_status: { embedding: 1 } });
    await store().save(ended());
  });
});

describe('events of a run', () => {
  it('are followed live and end with the run', async () => {
    await store().save(working(10));
    const seen: number[] = [];
    const following = follow({ onEvent: ({ progress }) => seen.push(progress) });
    await until('the first event', () => seen.length === 1);
    await store().save(working(50));
    await store().save(ended());
    const events = await following;
    expect(events.map((event) => event.progress)).toEqual([10, 50, 100]);
    expect(events.at(-1)?.status).toBe('completed');
  });

  it('continue after the last one seen, without gap or repeat', async () => {
    for (const progress of [1, 2, 3]) await store().save(working(progress));
    const first = await follow({ stopAfter: 2 });
    const lastSeen = first[1]!;
    await store().save(working(4));
    await store().save(ended());
    const rest = await follow({ lastEventId: lastSeen.id! });
    expect(rest.map((event) => event.progress)).toEqual([3, 4, 100]);
  });

  it('are one event, from the row, for a run without progress in Redis', async () => {
    await executions().requestCancel(execution.id);
    const events = await follow();
    expect(events).toMatchObject([{ id: 'end', status: 'error', cancelled: true }]);
  });

  it('end when the row has ended, even if the last event was lost', async () => {
    await store().save(working(10));
    const following = follow();
    const started = await startAttempt(executions(), execution.id, 'pod');
    const outcome = {
      status: 'completed',
      counters: zeroCounters(),
      fromCommit: null,
      toCommit: null,
    } as const;
    await executions().finish(started!, { ...outcome, errorCode: null, errorMessage: null });
    const events = await following;
    expect(events.map((event) => [event.status, event.progress])).toEqual([
      ['embedding', 10],
      ['completed', 100],
    ]);
  });

  it('end when their token is revoked, and other clients stay connected', async () => {
    await store().save(working(10));
    const staying = follow();
    const { token, id } = (
      await request(api.url)
        .post('/api/v1/tokens')
        .set({ Authorization: api.authorization('admin') })
        .send({ name: 'soon revoked', role: 'viewer' })
    ).body as { token: string; id: string };
    const seen: number[] = [];
    const leaving = follow({
      authorization: `Bearer ${token}`,
      onEvent: ({ progress }) => seen.push(progress),
    });
    await until('the first event', () => seen.length === 1);
    await request(api.url)
      .delete(`/api/v1/tokens/${id}`)
      .set({ Authorization: api.authorization('admin') })
      .expect(204);
    expect((await leaving).map(({ progress }) => progress)).toEqual([10]);
    await store().save(ended());
    expect((await staying).map(({ progress }) => progress)).toEqual([10, 100]);
  });

  it('require a token', async () => {
    const answer = await fetch(`${api.url}/api/v1/executions/${execution.id}/events`);
    expect(answer.status).toBe(401);
  });
});
