import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startQdrantDouble, type QdrantDouble } from '@devkit';

interface Reply {
  status: number;
  body: { result?: unknown; status?: unknown };
}

const ONE = '00000000-0000-4000-8000-000000000001';
const TWO = '00000000-0000-4000-8000-000000000002';
let double: QdrantDouble;

async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
  const answer = await fetch(double.url + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Reply['body'] };
}
async function put(points: unknown[], query = '?wait=true', extra: object = {}): Promise<Reply> {
  return ask('PUT', `/collections/c/points${query}`, { points, ...extra });
}
async function countOf(filter?: unknown): Promise<unknown> {
  const reply = await ask('POST', '/collections/c/points/count', filter === undefined ? {} : { filter });
  return (reply.body.result as { count: number }).count;
}

beforeEach(async () => {
  double = await startQdrantDouble();
  await ask('PUT', '/collections/c', { vectors: { size: 2, distance: 'Cosine' } });
});
afterEach(() => double.close());

describe('the Qdrant double', () => {
  it.each([
    ['an id that is neither integer nor UUID', { points: [{ id: 'chunk-1', vector: [1, 0] }] }],
    ['a vector of strings', { points: [{ id: 1, vector: ['a', 'b'] }] }],
    ['a body without points', {}],
  ])('answers 400 to %s and counts a violation', async (_, body) => {
    const reply = await ask('PUT', '/collections/c/points?wait=true', body);
    expect(reply.status).toBe(400);
    expect(reply.body.status).toMatchObject({ error: expect.stringMatching(/^Format error in JSON body/) });
    expect(double.violations).toHaveLength(1);
  });

  it('counts unknown paths, query parameters, filter fields and unsupported requests', async () => {
    await fetch(`${double.url}/collections/c/points/search`, { method: 'POST', body: '{}' });
    await put([], '?wait=true&sync=1');
    await ask('POST', '/collections/c/points/count', { filter: { should_not: [] } });
    const geo = { key: 'at', geo_radius: { center: { lat: 1, lon: 1 }, radius: 5 } };
    await put([{ id: 1, vector: [1, 0], payload: {} }]);
    await ask('POST', '/collections/c/points/count', { filter: { must: [geo] } });
    expect(double.violations).toHaveLength(4);
  });

  it('answers like Qdrant when a collection is missing or exists already', async () => {
    const missing = await ask('POST', '/collections/nope/points/count', {});
    expect(missing.status).toBe(404);
    expect(missing.body.status).toEqual({ error: "Not found: Collection `nope` doesn't exist!" });
    const again = await ask('PUT', '/collections/c', { vectors: { size: 2, distance: 'Cosine' } });
    expect(again.status).toBe(409);
    const dimensions = await put([{ id: 1, vector: [1, 2, 3] }]);
    expect(dimensions.body.status).toEqual({
      error: 'Wrong input: Vector dimension error: expected dim: 2, got 3',
    });
    expect(double.violations).toEqual([]);
  });

  it('applies a write without `wait` later', async () => {
    const reply = await put([{ id: 1, vector: [1, 0] }], '');
    expect(reply.body.result).toMatchObject({ status: 'acknowledged' });
    expect(await countOf()).toBe(0);
    double.settle();
    expect(await countOf()).toBe(1);
  });

  it('normalizes vectors, and returns ids in one format and order', async () => {
    await put([
      { id: TWO.toUpperCase(), vector: [3, 4] },
      { id: ONE.replaceAll('-', ''), vector: [0, 2] },
      { id: 7, vector: [1, 0] },
    ]);
    const first = await ask('POST', '/collections/c/points/scroll', { limit: 2, with_vector: true });
    expect(first.body.result).toEqual({
      points: [
        { id: 7, payload: {}, vector: [1, 0] },
        { id: ONE, payload: {}, vector: [0, 1] },
      ],
      next_page_offset: TWO,
    });
    const [two] = double.collection('c')?.points.slice(2) ?? [];
    expect(two?.vector[0]).toBeCloseTo(0.6, 6);
  });

  it('filters as Qdrant does', async () => {
    await put([
      { id: 1, vector: [1, 0], payload: { tags: ['a', 'b'], n: 5 } },
      { id: 2, vector: [1, 0], payload: { tags: ['b'], n: 7 } },
      { id: 3, vector: [1, 0], payload: {} },
    ]);
    const value = (word: string): unknown => ({ key: 'tags', match: { value: word } });
    expect(await countOf({ must: [value('b')] })).toBe(2);
    expect(await countOf({ must: [value('b')], must_not: [value('a')] })).toBe(1);
    expect(await countOf({ should: [value('a'), { key: 'n', range: { gt: 5, lte: 7 } }] })).toBe(2);
    expect(await countOf({ must: { key: 'tags', match: { any: ['a', 'x'] } } })).toBe(1);
    expect(await countOf({ must: [{ key: 'tags', match: { except: ['b'] } }] })).toBe(1);
    expect(await countOf({ must: [{ should: [value('a')] }, { has_id: [1, 3] }] })).toBe(1);
    expect(await countOf({})).toBe(3);
    expect(double.violations).toEqual([]);
  });

  it('applies update_filter to existing points, in versions that support it', async () => {
    const guard = { update_filter: { must: [{ key: 'n', range: { lte: 5 } }] } };
    await put([{ id: 1, vector: [1, 0], payload: { n: 9 } }]);
    const late = [1, 2].map((id) => ({ id, vector: [1, 0], payload: { n: 5 } }));
    await put(late, '?wait=true', guard);
    expect(double.collection('c')?.points.map((point) => point.payload['n'])).toEqual([9, 5]);

    const old = await startQdrantDouble({ version: '1.12.0' });
    const former = double;
    double = old;
    await ask('PUT', '/collections/c', { vectors: { size: 2, distance: 'Cosine' }, metadata: { a: 1 } });
    await put([{ id: 1, vector: [1, 0], payload: { n: 9 } }]);
    await put(late, '?wait=true', guard);
    expect(old.collection('c')?.points.map((point) => point.payload['n'])).toEqual([5, 5]);
    expect(old.collection('c')?.metadata).toBeNull();
    await former.close();
  });

  it('merges metadata, and refuses a sparse vector that the collection does not have', async () => {
    const patch = (body: object) => ask('PATCH', '/collections/c', body);
    await patch({ metadata: { a: 1, b: 1 } });
    await patch({ metadata: { b: 2 } });
    expect(double.collection('c')?.metadata).toEqual({ a: 1, b: 2 });
    expect(await patch({ sparse_vectors: { terms: { modifier: 'idf' } } })).toMatchObject({ status: 400 });
    await ask('PUT', '/collections/c/vectors/terms?wait=true', { sparse: { modifier: 'idf' } });
    await put([{ id: 1, vector: [1, 0] }]);
    const terms = { indices: [1], values: [1] };
    await ask('PUT', '/collections/c/points/vectors?wait=true', { points: [{ id: 1, vector: { terms } }] });
    expect(double.collection('c')?.points[0]?.sparse).toEqual({ terms });
    expect(double.violations).toEqual([]);
  });

  it('recovers a snapshot into the metadata of an existing collection, or with its own metadata', async () => {
    await ask('PATCH', '/collections/c', { metadata: { life: 'first' } });
    await put([{ id: 1, vector: [1, 0] }]);
    const recover = double.snapshot('c');
    await ask('PATCH', '/collections/c', { metadata: { life: 'second' } });
    await put([{ id: 2, vector: [1, 0] }]);
    recover();
    expect(await countOf()).toBe(1);
    expect(double.collection('c')?.metadata).toEqual({ life: 'second' });
    await ask('DELETE', '/collections/c');
    recover();
    expect(double.collection('c')?.metadata).toEqual({ life: 'first' });
  });

  it('refuses in the words of strict mode', async () => {
    const strict_mode_config = {
      ...{ max_query_limit: 50, search_max_batchsize: 1, write_rate_limit: 10 },
      ...{ max_points_count: 12, max_payload_index_count: 0, unindexed_filtering_retrieve: false },
    };
    await ask('DELETE', '/collections/c');
    await ask('PUT', '/collections/c', { vectors: { size: 2, distance: 'Cosine' }, strict_mode_config });
    const points = (count: number) =>
      Array.from({ length: count }, (_, id) => ({
        id: Math.floor(Math.random() * 1e9) + id,
        vector: [1, 0],
      }));
    const told = ({ body }: Reply) => (body.status as { error: string }).error;
    expect(told(await put(points(11)))).toBe(
      'Rate limiting exceeded: Write rate limit exceeded, request larger than rate limiter capacity, please try to split your request',
    );
    expect((await put(points(10))).status).toBe(200);
    const later = await put(points(10));
    expect(later.status).toBe(429);
    expect(told(later)).toMatch(
      /^Rate limiting exceeded: Write rate limit exceeded: Operation requires 10 tokens but only \d\.\d were available\. Retry after \d+s$/,
    );
    expect(told(await ask('POST', '/collections/c/points/scroll', { limit: 64 }))).toContain(
      'Limit exceeded 64 > 50 for "limit"',
    );
    const searches = [1, 2].map(() => ({ query: [1, 0] }));
    expect(told(await ask('POST', '/collections/c/points/query/batch', { searches }))).toContain(
      'Limit exceeded 2 > 1 for "search batch size"',
    );
    const index = { field_name: 'a', field_schema: 'keyword' };
    expect(told(await ask('PUT', '/collections/c/index?wait=true', index))).toContain(
      'Collection already has the maximum number of payload indices (0)',
    );
    const filter = { must: [{ key: 'a', match: { value: 1 } }] };
    expect(told(await ask('POST', '/collections/c/points/scroll', { filter }))).toContain(
      'Index required but not found for "a" of one of the following types: [keyword]',
    );
    expect(double.violations).toEqual([]);
  });

  it('limits a key to its collections', async () => {
    const scoped = await startQdrantDouble({
      apiKey: 'whole',
      scopedKeys: [{ key: 'part', collections: { mine: 'rw', shared: 'r' } }],
    });
    const call = async (key: string, method: string, path: string, body?: object) => {
      const init = { method, headers: { 'api-key': key }, body: body ? JSON.stringify(body) : null };
      const answer = await fetch(scoped.url + path, init);
      return { status: answer.status, text: await answer.text() };
    };
    const made = { vectors: { size: 2, distance: 'Cosine' } };
    for (const name of ['mine', 'shared', 'other']) await call('whole', 'PUT', `/collections/${name}`, made);
    const alias = { create_alias: { alias_name: 'a', collection_name: 'other' } };
    await call('whole', 'POST', '/collections/aliases', { actions: [alias] });
    const names = JSON.parse((await call('part', 'GET', '/collections')).text) as Reply['body'];
    expect(names.result).toEqual({ collections: [{ name: 'mine' }, { name: 'shared' }] });
    expect((await call('part', 'GET', '/aliases')).text).toContain('"aliases":[]');
    const points = { points: [{ id: 1, vector: [1, 0] }] };
    const writes = ['mine', 'shared', 'other'].map((name) =>
      call('part', 'PUT', `/collections/${name}/points?wait=true`, points),
    );
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([200, 403, 403]);
    expect(await call('part', 'PUT', '/collections/new', made)).toMatchObject({
      status: 403,
      text: expect.stringContaining('Forbidden: Global manage access is required'),
    });
    expect((await call('unknown', 'GET', '/collections')).status).toBe(401);
    expect(scoped.violations).toEqual([]);
    await scoped.close();
  });

  it('refuses half a surrogate pair, as a strict JSON parser does', async () => {
    const reply = await put([{ id: 1, vector: [1, 0], payload: { text: 'cut \uD83D' } }]);
    expect(reply.status).toBe(400);
    expect(await countOf()).toBe(0);
  });
});
