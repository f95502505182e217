import { afterEach, describe, expect, it } from '@jest/globals';
import { type VectorStore } from '@core/domain';
import { createQdrantStore, type QdrantOptions } from '@adapters/qdrant';
import { startQdrantDouble, type QdrantDouble, type QdrantDoubleOptions } from '@devkit';
import { dense, DIMENSIONS, makeFile, makePoint } from '../../support/points.js';
import { recordingLogger } from '../../support/recording-logger.js';

const SHOP = makePoint().payload.repository_id;
const spec = { name: 'code', dimensions: DIMENSIONS, modelId: 'lexical-v1@8' };
const { signal } = new AbortController();

let double: QdrantDouble;
let store: VectorStore;

async function start(
  options: QdrantDoubleOptions = {},
  storeOptions: Partial<QdrantOptions> = {},
): Promise<void> {
  double = await startQdrantDouble(options);
  store = createQdrantStore({ url: double.url, logger: recordingLogger(), ...storeOptions });
}

async function ask(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await fetch(double.url + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

function operations(): string[] {
  return double.requests.map((request) => request.operationId);
}

afterEach(async () => {
  await double.close();
  expect(double.violations).toEqual([]);
});

describe('an alias', () => {
  it('is moved by one action, which Qdrant applies whole or not at all; a correct alias is not changed', async () => {
    await start();
    for (const name of ['a', 'b']) await store.ensureCollection({ ...spec, name }, signal);
    await store.pointAlias('code', 'a', signal);
    double.clearRequests();
    await store.pointAlias('code', 'b', signal);
    await store.pointAlias('code', 'b', signal);
    expect(operations()).toEqual(['get_collections_aliases', 'update_aliases', 'get_collections_aliases']);
    expect(double.requests[1]?.body).toEqual({
      actions: [{ create_alias: { collection_name: 'b', alias_name: 'code' } }],
    });
    expect(double.aliases()).toEqual({ code: 'b' });
  });

  it('that someone deleted is made again', async () => {
    await start();
    await store.ensureCollection({ ...spec, name: 'a' }, signal);
    await store.pointAlias('code', 'a', signal);
    await ask('POST', '/collections/aliases', { actions: [{ delete_alias: { alias_name: 'code' } }] });
    await store.pointAlias('code', 'a', signal);
    expect(double.aliases()).toEqual({ code: 'a' });
  });

  it('is refused when a collection has its name', async () => {
    await start();
    await ask('PUT', '/collections/code', { vectors: { size: DIMENSIONS, distance: 'Cosine' } });
    await store.ensureCollection({ ...spec, name: 'code--1' }, signal);
    const pointed = store.pointAlias('code', 'code--1', signal);
    await expect(pointed).rejects.toMatchObject({ kind: 'conflict', code: 'alias_is_collection' });
    expect(double.aliases()).toEqual({});
  });

  it('waits while an index, made beforehand, has its name', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.ensureCollection({ ...spec, name: 'code--1' }, signal);
    for (const collection of ['code', 'code--1']) await store.pointAlias('code', collection, signal);
    expect(double.aliases()).toEqual({});
    await store.dropCollection('code', signal);
    await store.pointAlias('code', 'code--1', signal);
    expect(double.aliases()).toEqual({ code: 'code--1' });
  });
});

describe('a tally', () => {
  const tally = () => store.tally(spec.name, SHOP, signal);

  it('needs one request', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ fence: 4 }, 3), signal);
    double.clearRequests();
    expect(await tally()).toEqual({ points: 3, newestFence: 4, atNewestFence: 3 });
    expect(operations()).toEqual(['facet']);
  });

  it('does not ask again for a facet that the server refused', async () => {
    await start({ refusesFacets: true });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ fence: 4 }, 3), signal);
    double.clearRequests();
    for (let time = 0; time < 2; time++) {
      expect(await tally()).toEqual({ points: 3, newestFence: 4, atNewestFence: 3 });
    }
    const counted = ['scroll_points', 'count_points', 'count_points'];
    expect(operations()).toEqual(['facet', ...counted, ...counted]);
  });

  it.each([
    [404, 'Not found: no such route'],
    [405, 'Method not allowed'],
    [501, 'Not implemented'],
  ])('counts when the server answers %i to the facet', async (status, error) => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ fence: 4 }, 3), signal);
    double.plan({ kind: 'status', status, error, operation: 'facet' });
    expect(await tally()).toEqual({ points: 3, newestFence: 4, atNewestFence: 3 });
  });
});

describe('a new collection', () => {
  it('gets its payload indexes before the first point, with the repository as tenant', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, [makePoint()], signal);
    const order = operations();
    expect(order.lastIndexOf('create_field_index')).toBeLessThan(order.indexOf('upsert_points'));
    const view = double.collection(spec.name);
    expect(view?.vectors).toEqual({ size: DIMENSIONS, distance: 'Cosine' });
    expect(view?.metadata).toEqual({
      repotide_model: spec.modelId,
      repotide_incarnation: expect.any(String),
    });
    expect(view?.indexes).toEqual({
      repository_id: { type: 'keyword', is_tenant: true },
      path: { type: 'keyword' },
      directories: { type: 'keyword' },
      file_version: { type: 'keyword' },
      blob_sha: { type: 'keyword' },
      language: { type: 'keyword' },
      fence: { type: 'integer' },
    });
  });

  it('needs only one request once it exists', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    double.clearRequests();
    await store.ensureCollection(spec, signal);
    expect(operations()).toEqual(['get_collection']);
  });

  it('gets an index that is missing after a crash', async () => {
    await start();
    double.plan({ kind: 'status', status: 400, operation: 'create_field_index' });
    await expect(store.ensureCollection(spec, signal)).rejects.toMatchObject({ kind: 'invalid' });
    await store.ensureCollection(spec, signal);
    expect(Object.keys(double.collection(spec.name)?.indexes ?? {})).toHaveLength(7);
  });

  it('records the model on a server without metadata, also across an upgrade', async () => {
    await start({ version: '1.12.0' });
    await store.ensureCollection(spec, signal);
    expect(double.collection(spec.name)?.metadata).toBeNull();
    const marks = Object.keys(double.collection(spec.name)?.indexes ?? {}).filter((field) =>
      field.startsWith('repotide_model_'),
    );
    expect(marks).toEqual([`repotide_model_${Buffer.from(spec.modelId).toString('hex')}`]);
  });
});

describe('leftovers', () => {
  it('are the unknown collections that this installation made, not those made beforehand or by others', async () => {
    await start({}, { installation: 'ours' });
    const other = createQdrantStore({
      url: double.url,
      installation: 'theirs',
      logger: recordingLogger(),
    });
    const [known, unknown, theirs] = ['code--00000001', 'code--00000002', 'code--00000003'] as const;
    for (const name of [known, unknown, 'code']) await store.ensureCollection({ ...spec, name }, signal);
    await other.ensureCollection({ ...spec, name: theirs }, signal);
    await ask('PUT', '/collections/x--00000004', { vectors: { size: 8, distance: 'Cosine' } });
    expect(await store.leftovers([known], signal)).toEqual([unknown]);
    expect(await other.leftovers([], signal)).toEqual([theirs]);
    double.clearRequests();
    // Those of others are remembered.
    await store.leftovers([known, unknown], signal);
    expect(operations()).toEqual(['get_collections']);
  });
});

describe('the options of collections', () => {
  it('shape a new one, and not one that was made beforehand', async () => {
    const options = {
      shard_number: 3,
      replication_factor: 2,
      write_consistency_factor: 2,
      on_disk_payload: true,
      hnsw_config: { m: 0, payload_m: 16, on_disk: true },
      quantization_config: { scalar: { type: 'int8' as const, quantile: 0.99, always_ram: true } },
      optimizers_config: { indexing_threshold: 20_000, default_segment_number: 2 },
    };
    await start({}, { collectionOptions: { ...options, vectors: { on_disk: true }, is_tenant: false } });
    await ask('PUT', '/collections/before', { vectors: { size: DIMENSIONS, distance: 'Cosine' } });
    double.clearRequests();
    for (const name of ['before', spec.name]) await store.ensureCollection({ ...spec, name }, signal);
    const created = double.requests.filter(({ operationId }) => operationId === 'create_collection');
    expect(created.map(({ body }) => body)).toEqual([
      {
        ...options,
        vectors: { on_disk: true, size: DIMENSIONS, distance: 'Cosine' },
        sparse_vectors: { terms: { modifier: 'idf' } },
        metadata: expect.anything(),
      },
    ]);
    expect(double.collection(spec.name)?.indexes['repository_id']).toEqual({
      type: 'keyword',
      is_tenant: false,
    });
  });
});

describe('a foreign collection', () => {
  const made = (body: object) => ask('PUT', `/collections/${spec.name}`, body);

  it('can be used as the first index when it fits and is empty', async () => {
    await start();
    expect(await store.isMadeBeforehand(spec, signal)).toBe(false);
    await made({ vectors: { size: DIMENSIONS, distance: 'Cosine', on_disk: true }, replication_factor: 2 });
    expect(await store.isMadeBeforehand(spec, signal)).toBe(true);
    await store.ensureCollection({ ...spec, name: 'code--1' }, signal);
    await store.pointAlias('shop', 'code--1', signal);
    expect(await store.isMadeBeforehand({ ...spec, name: 'shop' }, signal)).toBe(false);
  });

  it.each([
    ['vectors of another length', { vectors: { size: 16, distance: 'Cosine' } }, { found_dimensions: 16 }],
    [
      'another distance',
      { vectors: { size: DIMENSIONS, distance: 'Dot' } },
      { found_distance: 'Dot', expected_dimensions: DIMENSIONS },
    ],
  ])('cannot be an index with %s', async (_what, body, details) => {
    await start();
    await made(body);
    const refused = store.isMadeBeforehand(spec, signal);
    await expect(refused).rejects.toMatchObject({ kind: 'conflict', code: 'collection_mismatch', details });
  });

  it('cannot be an index when it has points, or is one already', async () => {
    await start();
    await made({ vectors: { size: DIMENSIONS, distance: 'Cosine' } });
    await store.upsert(spec.name, [makePoint()], signal);
    const refused = () => store.isMadeBeforehand(spec, signal).catch((error: unknown) => String(error));
    expect(await refused()).toMatch(/has 1 points and no record of their model/);
    await store.deletePoints(spec.name, [makePoint().id], signal);
    const other = createQdrantStore({ url: double.url, logger: recordingLogger() });
    await other.ensureCollection(spec, signal);
    expect(await refused()).toMatch(/is the index of another Repotide database/);
    expect(await other.isMadeBeforehand(spec, signal)).toBe(true);
  });

  it('is used when it is empty', async () => {
    await start();
    await made({ vectors: { size: DIMENSIONS, distance: 'Cosine' } });
    await store.ensureCollection(spec, signal);
    await expect(store.ensureCollection({ ...spec, modelId: 'other@8' }, signal)).rejects.toMatchObject({
      code: 'collection_mismatch',
      details: { found_model: spec.modelId },
    });
  });

  it('is refused when it has points of an unknown model', async () => {
    await start();
    await ask('PUT', `/collections/${spec.name}`, { vectors: { size: DIMENSIONS, distance: 'Cosine' } });
    await store.upsert(spec.name, [makePoint()], signal);
    await expect(store.ensureCollection(spec, signal)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'collection_mismatch',
      details: { found_points: 1, found_model: null },
    });
    expect(double.collection(spec.name)?.indexes).toEqual({});
  });

  it('is refused when it uses another distance', async () => {
    await start();
    await ask('PUT', `/collections/${spec.name}`, { vectors: { size: DIMENSIONS, distance: 'Dot' } });
    await expect(store.ensureCollection(spec, signal)).rejects.toMatchObject({
      code: 'collection_mismatch',
      details: { found_distance: 'Dot' },
    });
  });
});

describe('a limit of strict mode', () => {
  const statuses = (operation: string) =>
    double.requests.filter(({ operationId }) => operationId === operation).map(({ status }) => status);

  it('on the size of a page is learned from one refusal, and holds for every read', async () => {
    await start({ strictMode: { max_query_limit: 50 } });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 130), signal);
    double.clearRequests();
    expect(
      await store.readFile(spec.name, { repositoryId: SHOP, path: makePoint().payload.path }, 'v1', signal),
    ).toHaveLength(130);
    expect(statuses('scroll_points')).toEqual([400, 200, 200, 200]);
    const hits = await store.search(spec.name, dense(makePoint().vector, 100), signal);
    expect(new Set(hits.map(({ payload }) => payload.chunk_index)).size).toBe(100);
    expect(statuses('query_points')).toEqual([200, 200]);
    expect(await store.tally(spec.name, SHOP, signal)).toMatchObject({ points: 130 });
    expect(statuses('facet')).toEqual([200]);
  });

  it('on the conditions of a search splits its repositories', async () => {
    await start({ strictMode: { condition_max_size: 3 } });
    await store.ensureCollection(spec, signal);
    const ids = Array.from({ length: 10 }, (_, index) => `bbbbbbbb-0000-4000-8000-00000000000${index}`);
    const points = ids.map((id) => makePoint({ repository_id: id }));
    await store.upsert(spec.name, points, signal);
    const hits = await store.search(spec.name, dense(makePoint().vector, 8, { repositoryIds: ids }), signal);
    expect(new Set(hits.map(({ payload }) => payload.repository_id)).size).toBe(8);
  });

  it("that refuses a search is an error of the service behind, without Qdrant's words", async () => {
    await start();
    await store.ensureCollection(spec, signal);
    const error = 'Bad request: Index required but not found for "language"';
    double.plan({ kind: 'status', status: 400, error, operation: 'query_points' });
    const failure = await store.search(spec.name, dense(makePoint().vector, 5), signal).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    expect(failure).toMatchObject({ kind: 'forbidden', code: 'vector_store_refused' });
    expect(failure?.message).toMatch(/strict mode/);
    expect(failure?.message).not.toContain('Index required');
  });
});

describe('requests', () => {
  it('wait for every write', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 3), signal);
    await store.deleteFiles(spec.name, SHOP, [{ path: 'src/app/main.ts', keepVersion: 'v2' }], signal);
    await store.deletePoints(spec.name, [makePoint().id], signal);
    await store.deleteRepository(spec.name, SHOP, signal);
    const writes = double.requests.filter(({ operationId }) =>
      ['create_field_index', 'upsert_points', 'delete_points'].includes(operationId),
    );
    expect(writes).toHaveLength(7 + 1 + 3);
    for (const write of writes) expect(write.path).toContain('wait=true');
  });

  it('stay within the limits of bytes and points', async () => {
    await start({}, { batchBytes: 50_000 });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({ text: 'ß'.repeat(1_000) }, 100), signal);
    await store.upsert(spec.name, makeFile({ text: '', path: 'x' }, 300), signal);
    const upserts = double.requests.filter((request) => request.operationId === 'upsert_points');
    expect(upserts.length).toBeGreaterThan(4);
    for (const upsert of upserts) {
      expect(upsert.bytes).toBeLessThanOrEqual(50_000);
      expect((upsert.body as { points: unknown[] }).points.length).toBeLessThanOrEqual(256);
    }
  });

  it.each([
    ['1.15.9', false],
    ['1.16.0', true],
    ['1.18.0-dev', true],
    ['2.0.0', true],
  ])('to version %s guard an upsert by its fence: %s', async (version, isGuarded) => {
    await start({ version });
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, [makePoint({ fence: 5 })], signal);
    await store.upsert(spec.name, [makePoint({ fence: 9, path: 'b.ts' })], signal);
    const filters = double.requests
      .filter((request) => request.operationId === 'upsert_points')
      .map((request) => (request.body as { update_filter?: unknown }).update_filter);
    const guard = (lte: number): unknown => ({ must: [{ key: 'fence', range: { lte } }] });
    expect(filters).toEqual(isGuarded ? [guard(5), guard(9)] : [undefined, undefined]);
    expect(double.countRequests('root')).toBe(1);
  });

  it('read the version again when the first read failed', async () => {
    await start({}, { retryDelayMs: 1 });
    await store.ensureCollection(spec, signal);
    double.plan({ kind: 'status', status: 503, operation: 'root', times: 4 });
    await expect(store.upsert(spec.name, [makePoint()], signal)).rejects.toMatchObject({ kind: 'temporary' });
    await store.upsert(spec.name, [makePoint()], signal);
    expect(await store.count(spec.name, null, signal)).toBe(1);
  });

  it('never carry an empty filter, and list without text or vector', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 3), signal);
    await store.search(
      spec.name,
      dense(makePoint().vector, 3, { repositoryIds: [], pathPrefix: '' }),
      signal,
    );
    await store.count(spec.name, null, signal);
    for await (const page of store.listPoints(spec.name, SHOP, signal)) expect(page).toHaveLength(3);
    for (const request of double.requests) {
      const { filter } = (request.body ?? {}) as { filter?: Record<string, unknown> };
      if (filter !== undefined) expect(Object.values(filter).flat()).not.toHaveLength(0);
    }
    const scroll = double.requests.find((request) => request.operationId === 'scroll_points');
    expect(scroll?.body).toMatchObject({
      with_vector: false,
      with_payload: ['path', 'blob_sha', 'file_version', 'chunk_index', 'fence'],
    });
  });

  it('do not grow with unchanged points', async () => {
    await start();
    await store.ensureCollection(spec, signal);
    await store.upsert(spec.name, makeFile({}, 3), signal);
    double.clearRequests();
    await store.upsert(spec.name, [], signal);
    await store.deleteFiles(spec.name, SHOP, [], signal);
    await store.deletePoints(spec.name, [], signal);
    expect(operations()).toEqual([]);
    await store.deleteFiles(spec.name, SHOP, [{ path: 'src/app/main.ts', keepVersion: 'v1' }], signal);
    expect(operations()).toEqual(['count_points']);
  });

  it('reach a server behind a path prefix, with its key', async () => {
    await start({ prefix: '/vectors/qdrant', apiKey: 'k' }, { apiKey: 'k\n' });
    await store.ensureCollection(spec, signal);
    await store.checkHealth(signal);
    expect(double.collectionNames()).toEqual([spec.name]);
  });
});
