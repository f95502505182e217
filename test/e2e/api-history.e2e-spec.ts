import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ExecutionStore, type RunOutcome, zeroCounters } from '@core/domain';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

let api: TestApi;
let repositoryId: string;

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await request(api.url)
    .get(`/api/v1/history/${path}`)
    .set({ Authorization: api.authorization('viewer') });
  return { status: answer.status, body: answer.body as unknown };
}

beforeAll(async () => {
  api = await startTestApi();
  repositoryId = (await api.register({ projectPath: 'group/project' })).id;
  await finish('completed', 'pod-a');
  await finish('completed', 'pod-b');
  await finish('partial', 'pod-b');
  await finish('failed', 'pod-b');
  await api.get(ExecutionStore).enqueue({
    repositoryId,
    trigger: 'manual',
    requestedBy: null,
    fullSync: false,
  });
});
afterAll(() => api.stop());

async function finish(status: RunOutcome['status'], podName: string): Promise<void> {
  const store = api.get(ExecutionStore);
  const { id } = await store.enqueue({ repositoryId, trigger: 'manual', requestedBy: null, fullSync: false });
  const run = await startAttempt(store, id, podName);
  await store.finish(run!, {
    status,
    counters: { ...zeroCounters(), filesProcessed: 3, chunksUpserted: 5 },
    fromCommit: null,
    toCommit: null,
    errorCode: status === 'failed' ? 'branch_not_found' : null,
    errorMessage: null,
  });
}

describe('the summary', () => {
  it('counts the last seven days by default', async () => {
    const { status, body } = await get('summary');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total_runs: 5,
      runs: {
        queued: 1,
        running: 0,
        completed: 2,
        partial: 1,
        failed: 1,
        cancelled: 0,
        missed: 0,
        skipped: 0,
      },
      success_rate: 0.5,
      durations: {
        runs: 4,
        mean_seconds: expect.any(Number),
        p95_seconds: expect.any(Number),
        is_exact: true,
      },
      totals: { files_processed: 12, chunks_upserted: 20 },
      suggested_lease_ttl: { seconds: 45 },
      rows_deleted_before: null,
    });
    const { from, to } = body as { from: string; to: string };
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * 86_400_000);
  });

  it('returns null for a rate without runs', async () => {
    const { body } = await get('summary?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z');
    expect(body).toMatchObject({
      total_runs: 0,
      success_rate: null,
      durations: { runs: 0, mean_seconds: null, p50_seconds: null, p95_seconds: null, max_seconds: null },
    });
  });

  it('filters by repository, pod and trigger', async () => {
    const total = async (query: string) =>
      ((await get(`summary?${query}`)).body as { total_runs: number }).total_runs;
    expect(await total(`repository_id=${repositoryId}`)).toBe(5);
    expect(await total(`repository_id=${UNKNOWN_ID}`)).toBe(0);
    expect(await total('pod_name=pod-b')).toBe(3);
    expect(await total('trigger=cron')).toBe(0);
    expect(await total('trigger=manual&pod_name=pod-a')).toBe(1);
  });
});

describe('the timeline', () => {
  it.each([
    ['2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', 'hour', 24],
    ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', 'day', 28],
    ['2026-01-05T00:00:00Z', '2026-07-06T00:00:00Z', 'week', 26],
  ])('for %s to %s has buckets of one %s', async (from, to, bucket, count) => {
    const { body } = await get(`timeline?from=${from}&to=${to}`);
    expect(body).toMatchObject({ bucket, timezone: 'UTC' });
    expect((body as { buckets: unknown[] }).buckets).toHaveLength(count);
  });

  it('counts a run in the bucket in which it was queued', async () => {
    const { body } = await get('timeline?bucket=day&timezone=Europe/Berlin');
    const { buckets } = body as { buckets: object[] };
    expect(buckets.at(-1)).toMatchObject({
      runs: { completed: 2, partial: 1, failed: 1 },
      totals: { files_processed: 12, chunks_upserted: 20 },
    });
  });

  it('takes longer buckets for a range with too many of those wanted', async () => {
    const { body } = await get('timeline?bucket=hour&from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z');
    const { bucket, buckets } = body as { bucket: string; buckets: object[] };
    expect([bucket, buckets.length]).toEqual(['day', 151]);
  });

  it('has no buckets for a range that ends before it begins', async () => {
    const { body } = await get('timeline?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z');
    expect(body).toMatchObject({
      from: '2026-02-01T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
      buckets: [],
    });
  });
});

describe('the failures', () => {
  it('show the hours, repositories and reasons of failures', async () => {
    const { body } = await get('failures?timezone=Asia/Kolkata');
    const failed = { failures: 1, failed: 1, partial: 0, missed: 0 };
    const partial = { failures: 1, failed: 0, partial: 1, missed: 0 };
    const both = { failures: 2, failed: 1, partial: 1, missed: 0 };
    expect(body).toMatchObject({
      total: both,
      by_repository: [
        { ...both, repository_id: repositoryId, project_path: 'group/project', branch: 'main' },
      ],
      by_error_code: [
        { ...partial, error_code: null },
        { ...failed, error_code: 'branch_not_found' },
      ],
    });
    const { by_hour: byHour } = body as { by_hour: { hour: number; failures: number }[] };
    expect(byHour.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
    expect(byHour.reduce((sum, { failures }) => sum + failures, 0)).toBe(2);
  });

  it('are limited by limit', async () => {
    const { body } = await get('failures?limit=1');
    expect((body as { by_error_code: unknown[] }).by_error_code).toHaveLength(1);
  });
});

describe('an unusual range', () => {
  it.each([
    'from=0001-01-01T00:00:00Z&to=0001-01-05T00:00:00Z',
    'from=1890-01-01T00:00:00Z&to=1890-03-05T00:00:00Z',
    'from=9999-12-01T00:00:00Z&to=9999-12-31T23:59:59Z',
    'from=2026-02-01T00:00:00.000Z&to=2026-02-01T00:00:00.001Z',
  ])('is answered without runs: %s', async (range) => {
    expect((await get(`summary?${range}`)).body).toMatchObject({ total_runs: 0 });
    for (const path of ['timeline', 'failures']) {
      for (const zone of ['Africa/Monrovia', 'europe/berlin', 'Pacific/Apia']) {
        expect([path, zone, (await get(`${path}?${range}&timezone=${zone}`)).status]).toEqual([
          path,
          zone,
          200,
        ]);
      }
    }
  });
});

describe('a refused request of the history', () => {
  it.each([
    ['summary', 'from=yesterday', 400, 'validation_failed'],
    ['summary', 'trigger=me', 400, 'validation_failed'],
    ['summary', 'repository_id=7', 400, 'validation_failed'],
    ['summary', 'bucket=day', 400, 'validation_failed'],
    ['timeline', 'bucket=minute', 400, 'validation_failed'],
    ['timeline', 'timezone=Mars/Olympus', 422, 'timezone_invalid'],
    ['failures', "timezone=UTC'; DROP TABLE x; --", 422, 'timezone_invalid'],
    ['failures', 'limit=0', 400, 'validation_failed'],
  ])('%s?%s: %i', async (path, query, status, code) => {
    const answer = await get(`${path}?${query}`);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
  });
});
