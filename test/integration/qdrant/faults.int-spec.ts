import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError, type VectorStore } from '@core/domain';
import { QdrantVectorStore, type QdrantOptions } from '@adapters/qdrant';
import { startQdrantDouble, type QdrantDouble, type QdrantDoubleOptions } from '@devkit';
import { DIMENSIONS, makeFile, makePoint } from '../../support/points.js';
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
  store = new QdrantVectorStore({ url: double.url, retryDelayMs: 1, logger, ...storeOptions });
}

async function startFilled(
  options: QdrantDoubleOptions = {},
  storeOptions?: Partial<QdrantOptions>,
): Promise<void> {
  await start(options, storeOptions);
  await store.ensureCollection(spec, signal);
  await store.upsert(spec.name, makeFile({}, 3), signal);
  double.forgetRequests();
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

describe('temporary failures', () => {
  beforeEach(() => startFilled());

  it.each([408, 500, 502, 503, 504])('repeats after HTTP %d', async (status) => {
    double.plan({ kind: 'status', status, times: 2 });
    expect(await store.count(spec.name, null, signal)).toBe(3);
    expect(double.countRequests('count_points')).toBe(3);
  });

  it('repeats a bounded number of times, then says what the server said', async () => {
    double.plan({ kind: 'status', status: 503, error: 'Shard 0 is not available', times: 100 });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'vector_store_unavailable' });
    expect(failure.message).toContain('Shard 0 is not available');
    expect(double.countRequests()).toBe(4);
  });

  it('repeats after a cut connection, also when the write had been done', async () => {
    double.plan({ kind: 'cut' });
    double.plan({ kind: 'cut_after' });
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 2), signal);
    expect(await store.count(spec.name, null, signal)).toBe(5);
    expect(double.countRequests('upsert_points')).toBe(3);
  });

  it('does not take a queued write for a done one', async () => {
    double.plan({ kind: 'wait_timeout', operation: 'upsert_points' });
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 2), signal);
    expect(double.countRequests('upsert_points')).toBe(2);
    expect(await store.count(spec.name, null, signal)).toBe(5);
  });

  it('reports a server that is not there, without a proof that anything is missing', async () => {
    await double.close();
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'vector_store_unavailable' });
    expect(failure.message).toMatch(/QDRANT_URL/);
  });
});

describe('rate limits', () => {
  beforeEach(() => startFilled());

  it('hands a long wait to the caller, with the whole Retry-After', async () => {
    const before = Date.now();
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': '45' } });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'rate_limited', code: 'vector_store_rate_limited' });
    const waitMs = (failure.retryAt?.getTime() ?? 0) - before;
    expect(waitMs).toBeGreaterThanOrEqual(45_000);
    expect(double.countRequests()).toBe(1);
  });

  it('reads a date as well', async () => {
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + 120_000);
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': until.toUTCString() } });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure.retryAt).toEqual(until);
  });

  it('waits a short wait itself', async () => {
    double.plan({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
    expect(await store.count(spec.name, null, signal)).toBe(3);
    expect(double.countRequests()).toBe(2);
  });
});

describe('final failures', () => {
  it.each([
    [400, 'invalid', 'vector_store_refused'],
    [403, 'forbidden', 'vector_store_forbidden'],
    [507, 'invalid', 'vector_store_full'],
  ])('does not repeat after HTTP %d', async (status, kind, code) => {
    await startFilled();
    double.plan({ kind: 'status', status, times: 100 });
    expect(await failureOf(store.count(spec.name, null, signal))).toMatchObject({ kind, code });
    expect(double.countRequests()).toBe(1);
  });

  it('names the setting when the key is wrong, and health notices it', async () => {
    await start({ apiKey: KEY }, { apiKey: 'wrong' });
    const failure = await failureOf(store.checkHealth(signal));
    expect(failure).toMatchObject({ kind: 'unauthorized', code: 'vector_store_key_rejected' });
    expect(failure.message).toMatch(/QDRANT_API_KEY/);
  });

  it('is not healthy while shards are not ready', async () => {
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

  it("never takes a proxy's 404 or page for an empty collection", async () => {
    await start({ prefix: '/qdrant' });
    const elsewhere = new QdrantVectorStore({ url: double.url.replace('/qdrant', '/wrong'), logger });
    for (const call of [
      () => elsewhere.count(spec.name, null, signal),
      () => elsewhere.deleteFiles(spec.name, SHOP, [{ path: 'a' }], signal),
      () => elsewhere.search(spec.name, makePoint().vector, 1, {}, signal),
    ]) {
      expect(await failureOf(call())).toMatchObject({ code: 'vector_store_answer_invalid' });
    }
    double.plan({ kind: 'status', status: 200, body: '<html>Please log in</html>' });
    const page = await failureOf(store.count(spec.name, null, signal));
    expect(page).toMatchObject({ kind: 'invalid', code: 'vector_store_answer_invalid' });
  });
});

describe('time and signals', () => {
  it('gives up a request that is never answered', async () => {
    await startFilled({}, { timeoutMs: 200 });
    double.plan({ kind: 'stall' });
    const failure = await failureOf(store.count(spec.name, null, signal));
    expect(failure).toMatchObject({ kind: 'temporary', details: { timeout_ms: 200 } });
    expect(await store.count(spec.name, null, signal)).toBe(3);
  });

  it('stops waiting for an answer when the signal fires, and closes the connection', async () => {
    await startFilled();
    double.plan({ kind: 'stall' });
    const controller = new AbortController();
    const call = failureOf(store.count(spec.name, null, controller.signal));
    while (double.countRequests() === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new RepotideError('fence_lost', 'fence_lost', 'Another attempt owns this run.');
    controller.abort(reason);
    expect(await call).toBe(reason);
  });

  it('stops waiting to repeat when the signal fires', async () => {
    await startFilled({}, { retryDelayMs: 3_600_000 });
    double.plan({ kind: 'status', status: 500 });
    const controller = new AbortController();
    const call = failureOf(store.count(spec.name, null, controller.signal));
    while (logger.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    expect(double.countRequests()).toBe(1);
  });

  it("does not let one caller's signal end another's call", async () => {
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
  it('halves what a body limit refuses', async () => {
    await start({ maxRequestBytes: 20_000 });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ text: 'x'.repeat(900) }, 100), signal);
    expect(await store.count(spec.name, null, signal)).toBe(100);
  });

  it('halves what strict mode refuses, and remembers the size', async () => {
    await start({ strictMode: { upsert_max_batchsize: 40 } });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 600), signal);
    expect(await store.count(spec.name, null, signal)).toBe(600);
    double.forgetRequests();
    await store.upsert(spec.name, makeFile({ path: 'b.ts' }, 64), signal);
    expect(double.requests.map((request) => request.status)).toEqual([200, 200]);
  });

  it('halves deletes that strict mode refuses, and still counts exactly', async () => {
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

  it('isolates a point that is refused for itself and keeps the batch size', async () => {
    await startFilled();
    const points = [...makeFile({ path: 'b.ts' }, 99), makePoint({ path: 'bad.ts' }, [1])];
    expect(await failureOf(store.upsert(spec.name, points, signal))).toMatchObject({ kind: 'invalid' });
    double.forgetRequests();
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

  it('refuses a key that no header can carry, without repeating it', async () => {
    await start();
    let thrown: unknown;
    try {
      new QdrantVectorStore({ url: double.url, apiKey: `${KEY}\u00e9 x`, logger });
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
