import { createEmbeddingCache, EmbeddingCacheEvictor } from '@adapters/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openStores, type Stores } from './fixtures.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(() => stores.db.query('TRUNCATE embedding_cache, embedding_claims'));
afterAll(() => stores.close());

function entries(from: number, to: number): Map<string, Float32Array> {
  const hashes = Array.from({ length: to - from }, (_, index) => `hash-${from + index}`);
  return new Map(hashes.map((hash) => [hash, Float32Array.of(0.1, -2.5, hash.length)]));
}

async function countEntries(): Promise<number | undefined> {
  const [row] = await stores.db.query<{ count: number }>('SELECT count(*) AS count FROM embedding_cache');
  return row?.count;
}

describe('the embedding cache', () => {
  it('returns the stored numbers, separately for each model', async () => {
    const cache = createEmbeddingCache(stores.db);
    const vector = Float32Array.of(0.1, -1e-30, 3.4e38, 0);
    await cache.store('m1', new Map([['h1', vector]]));
    await cache.store('m1', new Map([['h1', vector]]));
    expect(await cache.find('m1', ['h1', 'unknown'])).toEqual(new Map([['h1', vector]]));
    expect(await cache.find('m2', ['h1'])).toEqual(new Map());
    expect(await cache.find('m1', [])).toEqual(new Map());
  });

  it('is limited by eviction of the least recently used entries', async () => {
    const cache = createEmbeddingCache(stores.db);
    const keeper = new EmbeddingCacheEvictor(stores.db);
    await cache.store('m', entries(0, 40));
    expect(await keeper.evict(40)).toMatchObject({ evicted: 0, entries: 40 });
    await stores.db.query(`UPDATE embedding_cache SET used_at = now() - interval '30 days'`);
    expect((await cache.find('m', ['hash-3', 'hash-4'])).size).toBe(2);
    await cache.store('m', entries(40, 70));
    const kept = await keeper.evict(40);
    expect(kept).toMatchObject({ evicted: 30, entries: 40 });
    expect(kept.bytes).toBeGreaterThan(40 * 12);
    const found = await cache.find('m', [...entries(0, 70).keys()]);
    expect(found.has('hash-3') && found.has('hash-4')).toBe(true);
    expect([...entries(40, 70).keys()].every((hash) => found.has(hash))).toBe(true);
  });

  it('keeps no entry when its limit is 0', async () => {
    await createEmbeddingCache(stores.db).store('m', entries(0, 5));
    const keeper = new EmbeddingCacheEvictor(stores.db);
    expect(await keeper.evict(0)).toMatchObject({ evicted: 5, entries: 0 });
  });

  it('supports many pods that store, find and evict concurrently', async () => {
    const keeper = new EmbeddingCacheEvictor(stores.db);
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const cache = createEmbeddingCache(stores.db);
        const shared = [...entries(0, 3000)];
        const mine = new Map(index % 2 === 0 ? shared : shared.reverse());
        await cache.store('m', mine);
        await Promise.all([cache.find('m', [...mine.keys()]), keeper.evict(50)]);
      }),
    );
    await keeper.evict(50);
    expect(await countEntries()).toBe(50);
  });

  it('grants the claim to a text to one caller, until it has a vector or the claim is ended', async () => {
    const cache = createEmbeddingCache(stores.db);
    await cache.store('m', entries(0, 1));
    const first = await cache.claim('m', ['hash-0', 'hash-1', 'hash-2']);
    expect(first.vectors).toEqual(entries(0, 1));
    expect(first.claimed).toEqual(['hash-1', 'hash-2']);
    expect(await cache.claim('m', ['hash-1', 'hash-2'])).toEqual({ vectors: new Map(), claimed: [] });
    expect(await cache.claim('other', ['hash-1'])).toMatchObject({ claimed: ['hash-1'] });
    await cache.store('m', entries(1, 2));
    await cache.release('m', ['hash-2']);
    expect(await cache.claim('m', ['hash-1', 'hash-2'])).toEqual({
      vectors: entries(1, 2),
      claimed: ['hash-2'],
    });
  });

  it('grants a claim again that was not renewed in time, and forgets those that nobody renews', async () => {
    const cache = createEmbeddingCache(stores.db);
    await cache.claim('m', ['renewed', 'left', 'forgotten']);
    await stores.db.query(`UPDATE embedding_claims SET expires_at = clock_timestamp() - interval '1 ms'`);
    await cache.renew('m', ['renewed']);
    expect((await cache.claim('m', ['renewed', 'left'])).claimed).toEqual(['left']);
    await new EmbeddingCacheEvictor(stores.db).evict(10);
    const left = await stores.db.query<{ contentHash: string }>('SELECT content_hash FROM embedding_claims');
    expect(left.map(({ contentHash }) => contentHash).sort()).toEqual(['left', 'renewed']);
  });

  it('grants each of many texts once to callers that claim them in different orders', async () => {
    const hashes = [...entries(0, 200).keys()];
    const caches = Array.from({ length: 6 }, () => createEmbeddingCache(stores.db));
    const claims = await Promise.all(
      caches.map((cache, index) => cache.claim('m', index % 2 === 0 ? hashes : hashes.toReversed())),
    );
    expect(claims.flatMap(({ claimed }) => claimed).sort()).toEqual(hashes.toSorted());
  });
});
