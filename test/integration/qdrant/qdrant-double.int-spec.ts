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

  it('refuses half a surrogate pair, as a strict JSON parser does', async () => {
    const reply = await put([{ id: 1, vector: [1, 0], payload: { text: 'cut \uD83D' } }]);
    expect(reply.status).toBe(400);
    expect(await countOf()).toBe(0);
  });
});
