import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError, type VectorStore } from '@core/domain';
import { createQdrantStore, type QdrantOptions } from '@adapters/qdrant';
import { startQdrantDouble, type QdrantDouble, type QdrantDoubleOptions } from '@devkit';
import { dense, DIMENSIONS, makeFile, makePoint } from '../../support/points.js';
import { recordingLogger, type RecordingLogger } from '../../support/recording-logger.js';

const KEY = 'qd-s3cret-key-0123456789';
const SHOP = makePoint().payload.repository_id;
const spec = { name: 'code', dimensions: DIMENSIONS, modelId: 'lexical-v1@8' };
const { signal } = new AbortController();

let double: QdrantDouble;
let store: VectorStore;
let logger: RecordingLogger;

async function start(
  options: QdrantDoubleOptions = {},
  storeOptions: Partial<QdrantOptions> = {},
): Promise<void> {
  double = await startQdrantDouble(options);
  logger = recordingLogger();
  store = createQdrantStore({ url: double.url, retryDelayMs: 1, logger, ...storeOptions });
}

async function startFilled(
  options: QdrantDoubleOptions = {},
  storeOptions?: Partial<QdrantOptions>,
): Promise<void> {
  await start(options, storeOptions);
  await store.ensureCollection(spec, signal);
  await store.upsert(spec.name, makeFile({}, 3), signal);
  double.clearRequests();
}

async function failureOf(call: Promise<unknown>): Promise<RepotideError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof RepotideError)) throw new Error(`no RepotideError but ${String(outcome)}`);
  return outcome;
}

afterEach(async () => {
  await double.close();
  expect(double.violations).toEqual([]);
});

describe('temporary failures of Qdrant', () => {
  beforeEach(() => startFilled());

  it.each([408, 500, 502, 503, 504])('are retried after HTTP %d', async (status) => {
    double.plan({ kind: 'status', status, times: 2 });
    expect(await store.count(spec.name, null, signal)).toBe(3);
    expect(double.countRequests('count_points')).toBe(3);
  });

  it('are retried a limited number of times, then the error names the status and repeats nothing of the answer', async () => {
    double.plan({ kind: 'status', status: 503, error: 'Shard 0 is not available', times: 100 });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'vector_store_unavailable' });
    expect(failure.message).toContain('(HTTP 503)');
    expect(failure.message).not.toContain('Shard 0');
    expect(double.countRequests()).toBe(4);
  });

  it('are retried after a cut connection, even when the write was done', async () => {
    double.plan({ kind: 'cut' });
    double.plan({ kind: 'cut_after' });
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 2), signal);
    expect(await store.count(spec.name, null, signal)).toBe(5);
    expect(double.countRequests('upsert_points')).toBe(3);
  });

  it.each(['wait_timeout', 'acknowledged'] as const)(
    'include a write that is only queued (%s), which is not reported as applied',
    async (status) => {
      double.plan({ kind: 'wait_timeout', status, operation: 'upsert_points' });
      await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 2), signal);
      expect(double.countRequests('upsert_points')).toBe(2);
      expect(await store.count(spec.name, null, signal)).toBe(5);
    },
  );

  it.each(['upsert_points', 'delete_points', 'create_field_index'])(
    'include a write (%s) that was applied after the time limit, and is sent again',
    async (operation) => {
      const impatient = createQdrantStore({ url: double.url, timeoutMs: 1_000, retryDelayMs: 1, logger });
      double.plan({ kind: 'stall_after', operation });
      await impatient.ensureCollection({ ...spec, name: 'other' }, signal);
      await impatient.upsert('other', makeFile({}, 2), signal);
      await impatient.deletePoints('other', [makePoint().id], signal);
      expect(await impatient.count('other', null, signal)).toBe(1);
    },
  );

  it('are retried when the server asks for it, and thrown when it asks for a long pause', async () => {
    double.plan({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    expect(await store.count(spec.name, null, signal)).toBe(3);
    const before = Date.now();
    double.plan({ kind: 'status', status: 503, headers: { 'retry-after': '45' } });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'vector_store_unavailable' });
    expect((failure.retryAt?.getTime() ?? 0) - before).toBeGreaterThanOrEqual(45_000);
  });

  it('include an unreachable server, which is not an empty collection', async () => {
    await double.close();
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'vector_store_unavailable' });
    expect(failure.message).toMatch(/QDRANT_URL/);
  });
});

describe('rate limits of Qdrant', () => {
  beforeEach(() => startFilled());

  it('with a long Retry-After are thrown, with the full time', async () => {
    const before = Date.now();
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': '45' } });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'rate_limited', code: 'vector_store_rate_limited' });
    const waitMs = (failure.retryAt?.getTime() ?? 0) - before;
    expect(waitMs).toBeGreaterThanOrEqual(45_000);
    expect(double.countRequests()).toBe(1);
  });

  it('may give Retry-After as a date', async () => {
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + 120_000);
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': until.toUTCString() } });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure.retryAt).toEqual(until);
  });

  it('with a short Retry-After are waited for', async () => {
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
    expect(await store.count(spec.name, null, signal)).toBe(3);
    expect(double.countRequests()).toBe(2);
  });
});

describe('limits of strict mode', () => {
  it('on the points of a minute make an upsert smaller and later, and lose nothing', async () => {
    const strictMode = { write_rate_limit: 1_200 };
    await start({ strictMode });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 1_240), signal);
    expect(await store.count(spec.name, null, signal)).toBe(1_240);
    expect(double.requests.some(({ status }) => status === 429)).toBe(true);
    await double.close();
    await start({ strictMode: { write_rate_limit: 200 } });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 201), signal);
    expect(await store.count(spec.name, null, signal)).toBe(201);
  });

  it('on reads let a search fail with the time to wait', async () => {
    await startFilled({ strictMode: { read_rate_limit: 2 } });
    await store.count(spec.name, null, signal);
    const failure = await failureOf(store.count(spec.name, SHOP, signal));
    expect(failure).toMatchObject({ kind: 'rate_limited', code: 'vector_store_rate_limited' });
    expect((failure.retryAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(10_000);
  });

  it('on the points of a collection are named, and refuse no deletion', async () => {
    await startFilled({ strictMode: { max_points_count: 3 } });
    const failure = await failureOf(store.upsert(spec.name, makeFile({ path: 'b.ts' }, 9), signal));
    expect(failure).toMatchObject({ kind: 'invalid', code: 'vector_store_full' });
    expect(failure.message).toMatch(/has reached max_points_count of its strict mode/);
    expect(double.countRequests('upsert_points')).toBe(1);
    await store.deleteRepository(spec.name, SHOP, signal);
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 2), signal);
    expect(await store.count(spec.name, null, signal)).toBe(2);
  });

  it('on payload indexes are named', async () => {
    await start({ strictMode: { max_payload_index_count: 6 } });
    const failure = await failureOf(store.ensureCollection(spec, signal));
    expect(failure).toMatchObject({
      code: 'vector_store_full',
      details: { limit: 'max_payload_index_count' },
    });
  });

  it('on vectors in a request apply to the terms of older points too', async () => {
    await start({ strictMode: { upsert_max_batchsize: 10 } });
    await store.ensureCollection(spec, signal);
    const points = makeFile({}, 64).map((point) => ({ ...point, terms: null }));
    await store.upsert(spec.name, points, signal);
    const terms = { ids: Uint32Array.of(7), weights: Float32Array.of(1) };
    expect(await store.fillTerms(spec.name, SHOP, () => terms, signal)).toBe(64);
    expect(await store.countWithoutTerms(spec.name, SHOP, signal)).toBe(0);
  });
});

describe('final failures of Qdrant', () => {
  it.each([
    [400, 'invalid', 'vector_store_refused'],
    [403, 'forbidden', 'vector_store_forbidden'],
    [507, 'invalid', 'vector_store_full'],
  ])('are not retried after HTTP %d', async (status, kind, code) => {
    await startFilled();
    double.plan({ kind: 'status', status, times: 100 });
    expect(await failureOf(store.count(spec.name, null, signal))).toMatchObject({ kind, code });
    expect(double.countRequests()).toBe(1);
  });

  it('name the setting when the key is wrong, and fail the health check', async () => {
    await start({ apiKey: KEY }, { apiKey: 'wrong' });
    const failure = await failureOf(store.checkHealth(signal));
    expect(failure).toMatchObject({ kind: 'unauthorized', code: 'vector_store_key_rejected' });
    expect(failure.message).toMatch(/QDRANT_API_KEY/);
  });

  it('do not fail the health check when the key may not list collections', async () => {
    await start();
    const error = 'Forbidden: Global access is required';
    double.plan({ kind: 'status', status: 403, error, operation: 'get_collections' });
    expect(await store.checkHealth(signal)).toEqual([expect.stringMatching(/may not list collections/)]);
    expect(double.countRequests('get_collections')).toBe(1);
    // The key was changed.
    expect(await store.checkHealth(signal)).toEqual([]);
  });

  it('are not those of a server that is locked for writes', async () => {
    await startFilled();
    double.plan({ kind: 'status', status: 403, error: 'Storage locked: maintenance', times: 2 });
    await store.deletePoints(spec.name, [makePoint().id], signal);
    expect(double.countRequests('delete_points')).toBe(3);
  });

  it('of the health check remain while shards are not ready', async () => {
    await start();
    double.plan({
      kind: 'status',
      status: 503,
      body: 'some shards are not ready',
      operation: 'readyz',
      times: 100,
    });
    expect(await failureOf(store.checkHealth(signal))).toMatchObject({ kind: 'temporary' });
  });

  it('include the 404 or HTML page of a proxy, which is not an empty collection', async () => {
    await start({ prefix: '/qdrant' });
    const elsewhere = createQdrantStore({ url: double.url.replace('/qdrant', '/wrong'), logger });
    for (const call of [
      () => elsewhere.count(spec.name, null, signal),
      () => elsewhere.deleteFiles(spec.name, SHOP, [{ path: 'a' }], signal),
      () => elsewhere.search(spec.name, dense(makePoint().vector, 1), signal),
    ]) {
      expect(await failureOf(call())).toMatchObject({ code: 'vector_store_answer_invalid' });
    }
    double.plan({ kind: 'status', status: 200, body: '<html>Please log in</html>' });
    const page = await failureOf(store.count(spec.name, null, signal));
    expect(page).toMatchObject({ kind: 'invalid', code: 'vector_store_answer_invalid' });
  });
});

describe('time limits and signals', () => {
  it('a request without a response times out', async () => {
    await startFilled({}, { timeoutMs: 200 });
    double.plan({ kind: 'stall' });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', details: { timeout_ms: 200 } });
    expect(await store.count(spec.name, null, signal)).toBe(3);
  });

  it('the signal ends the wait for a response and closes the connection', async () => {
    await startFilled();
    double.plan({ kind: 'stall' });
    const controller = new AbortController();
    const call = failureOf(store.count(spec.name, null, controller.signal));
    while (double.countRequests() === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new RepotideError('fence_lost', 'fence_lost', 'Another attempt owns this run.');
    controller.abort(reason);
    expect(await call).toBe(reason);
  });

  it('the signal ends the wait before a retry', async () => {
    await startFilled({}, { retryDelayMs: 3_600_000 });
    double.plan({ kind: 'status', status: 500 });
    const controller = new AbortController();
    const call = failureOf(store.count(spec.name, null, controller.signal));
    while (logger.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    expect(double.countRequests()).toBe(1);
  });

  it("one caller's signal does not end another caller's request", async () => {
    await start();
    await store.ensureCollection(spec, signal);
    double.plan({ kind: 'stall', operation: 'root' });
    const controller = new AbortController();
    const first = failureOf(store.upsert(spec.name, [makePoint()], controller.signal));
    while (double.countRequests('root') === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = store.upsert(spec.name, [makePoint({ chunk_index: 1 })], signal);
    controller.abort();
    expect(await first).toMatchObject({ kind: 'cancelled' });
    await second;
    expect(await store.count(spec.name, null, signal)).toBe(1);
  });
});

describe('requests that are too large', () => {
  it('are split in half when a body limit refuses them', async () => {
    await start({ maxRequestBytes: 20_000 });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ text: 'x'.repeat(900) }, 100), signal);
    expect(await store.count(spec.name, null, signal)).toBe(100);
  });

  it('are split in half when strict mode refuses them, and the size is remembered', async () => {
    await start({ strictMode: { upsert_max_batchsize: 40 } });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 600), signal);
    expect(await store.count(spec.name, null, signal)).toBe(600);
    double.clearRequests();
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 64), signal);
    expect(double.requests.map((request) => request.status)).toEqual([200, 200]);
  });

  it('to delete are split in half, and the count stays exact', async () => {
    await start({
      strictMode: {
        filter_max_conditions: 20,
        condition_max_size: 10,
        unindexed_filtering_retrieve: false,
        unindexed_filtering_update: false,
      },
    });
    await store.ensureCollection(spec, signal);
    const files = Array.from({ length: 90 }, (_, index) => ({ path: `f${index}.ts` }));
    await store.upsert(
      spec.name,
      files.map(({ path }) => makePoint({ path })),
      signal,
    );
    const kept = files.slice(0, 30).map(({ path }) => ({ path, keepVersion: 'v1' }));
    expect(await store.deleteFiles(spec.name, SHOP, [...kept, ...files.slice(30)], signal)).toBe(60);
    expect(await store.count(spec.name, SHOP, signal)).toBe(30);
  });

  it('with one invalid point isolate it and keep the batch size', async () => {
    await startFilled();
    const points = [...makeFile({ path: 'b.ts' }, 99), makePoint({ path: 'bad.ts' }, [1])];
    expect(await failureOf(store.upsert(spec.name, points, signal))).toMatchObject({ kind: 'invalid' });
    double.clearRequests();
    await store.upsert(spec.name, makeFile({ path: 'c.ts' }, 200), signal);
    expect(double.countRequests('upsert_points')).toBe(1);
  });
});

describe('secrets', () => {
  it('never reach an error, its causes or a log line', async () => {
    await startFilled({ apiKey: KEY }, { apiKey: `${KEY}\n`, timeoutMs: 200 });
    const texts: string[] = [];
    for (const fault of [
      { kind: 'cut', times: 10 },
      { kind: 'stall' },
      { kind: 'status', status: 400 },
      { kind: 'status', status: 429, headers: { 'retry-after': '99' } },
      { kind: 'status', status: 500, times: 10 },
      { kind: 'status', status: 200, body: '{"result": nonsense' },
    ] as const) {
      double.clearFaults();
      double.plan(fault);
      texts.push(...everythingIn(await failureOf(store.count(spec.name, null, signal))));
    }
    texts.push(...logger.lines);
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) expect(text).not.toContain(KEY);
  });

  it('that no header can carry are refused without being quoted', async () => {
    await start();
    let thrown: unknown;
    try {
      createQdrantStore({ url: double.url, apiKey: `${KEY}\u00e9 x`, logger });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'vector_store_key_invalid' });
    expect(String(thrown)).not.toContain(KEY);
  });
});

/** Message, stack, details and own fields of an error and all its causes. */
function everythingIn(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
  return [error.message, error.stack ?? '', own, ...everythingIn(error.cause)];
}
