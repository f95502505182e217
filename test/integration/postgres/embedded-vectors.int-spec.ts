import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLexicalEmbedder } from '@adapters/embedding';
import { createChunker } from '@core/chunking';
import { type VectorStore } from '@core/domain';
import { connectDatabase, createEmbeddedVectorStore, type Database } from '@adapters/postgres';
import { eventually } from '../../support/eventually.js';
import { dense, makeFile, makePoint, DIMENSIONS } from '../../support/points.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { recordingLogger } from '../../support/recording-logger.js';

const { signal } = new AbortController();
const SHOP = makePoint().payload.repository_id;
const logger = recordingLogger();

describe('the embedded vector store', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: VectorStore;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 2, logger });
    store = createEmbeddedVectorStore(database, { logger });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  async function newCollection(name: string, dimensions = DIMENSIONS): Promise<string> {
    await store.ensureCollection({ name, dimensions, modelId: `test@${dimensions}` }, signal);
    return name;
  }

  it('finds the best of more points than recommended, and logs once that Qdrant is advised', async () => {
    const collection = await newCollection('large', 2);
    // All vectors are (1, 0), except one: (0, 1). In parts: a statement ends after some seconds on a slow machine.
    for (let first = 1; first <= 100_001; first += 10_000)
      await database.query(
        `INSERT INTO vector_points SELECT $1, gen_random_uuid(), 'r', 'p' || n, '{}', NULL, 'v', 'b', 0, 1,
         CASE n WHEN 77777 THEN '\\x000000000000803f'::bytea ELSE '\\x0000803f00000000'::bytea END,
         json_build_object('path', 'p' || n)
       FROM generate_series($2::integer, least($2 + 9999, 100001)) AS n`,
        [collection, first],
      );
    for (let search = 0; search < 2; search++) {
      const hits = await store.search(collection, dense(Float32Array.of(0, 3), 3), signal);
      expect(hits[0]).toMatchObject({ scores: { dense: 1 }, payload: { path: 'p77777' } });
      expect(hits.slice(1).map((hit) => hit.scores.dense)).toEqual([0, 0]);
    }
    const warnings = logger.lines.filter((line) => line.includes('QDRANT_URL'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('100001');
  });

  it('finds the same chunks of real sources as a comparison of all vectors in 64-bit floats', async () => {
    const embedder = createLexicalEmbedder();
    const collection = await newCollection('real', embedder.model.dimensions);
    const chunker = createChunker({ chunkSize: 1_500, chunkOverlap: 300 });
    const files = readdirSync('libs/core', { recursive: true, withFileTypes: true });
    const paths = files
      .filter(({ name }) => name.endsWith('.ts'))
      .map(({ parentPath, name }) => `${parentPath}/${name}`)
      .slice(0, 150);
    const texts = paths
      .flatMap((path) => chunker.split(readFileSync(path, 'utf8'), path))
      .map(({ text }) => text);
    const vectors = await embedder.embed(texts, 'document', signal);
    const points = vectors.map((vector, index) => makePoint({ chunk_index: index }, [...vector]));
    await store.upsert(collection, points, signal);
    for (const query of [
      'the lease of a run',
      'claimTick',
      'split a text into chunks',
      'retry after an error',
    ]) {
      const [vector] = (await embedder.embed([query], 'query', signal)) as [Float32Array];
      const exact = new Map(points.map((point) => [point.id, cosine(point.vector, vector)]));
      const best = [...exact.values()].sort((a, b) => b - a);
      const hits = await store.search(collection, dense(vector, 20), signal);
      expect(hits).toHaveLength(20);
      hits.forEach(({ id, scores }, rank) => {
        expect(scores.dense).toBeCloseTo(exact.get(id)!, 5);
        expect(scores.dense).toBeCloseTo(best[rank]!, 5);
      });
    }
  });

  it('stores vectors as little-endian floats of length 1', async () => {
    const collection = await newCollection('bytes', 2);
    await store.upsert(collection, [makePoint({}, [3, 4])], signal);
    const [row] = await database.query<{ vector: Buffer }>(
      'SELECT vector FROM vector_points WHERE collection = $1',
      [collection],
    );
    expect(row?.vector.length).toBe(8);
    expect(row?.vector.readFloatLE(0)).toBeCloseTo(0.6, 6);
    expect(row?.vector.readFloatLE(4)).toBeCloseTo(0.8, 6);
  });

  it('lets two writers store the same points in different orders', async () => {
    const collection = await newCollection('rivals');
    const points = makeFile({}, 600);
    await Promise.all([
      store.upsert(collection, points, signal),
      store.upsert(collection, points.toReversed(), signal),
    ]);
    expect(await store.count(collection, SHOP, signal)).toBe(600);
  });

  it('releases its connection when the signal ends a search', async () => {
    const collection = await newCollection('ended');
    await store.upsert(collection, makeFile({}, 3_000), signal);
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const search = store.search(collection, dense(makePoint().vector, 5), controller.signal);
      setImmediate(() => controller.abort());
      await expect(search).rejects.toMatchObject({ kind: 'cancelled' });
    }
    expect(await store.count(collection, null, signal)).toBe(3_000);
    expect(await store.search(collection, dense(makePoint().vector, 5), signal)).toHaveLength(5);
  });

  it('sends two statements for a search after which nothing was written, and finds what is written later', async () => {
    const collection = await newCollection('quiet');
    await store.upsert(collection, makeFile({}, 30), signal);
    const statements: string[] = [];
    const watched = Object.assign(Object.create(database), {
      query: (sql: string, values?: unknown[]) => {
        statements.push(sql);
        return database.query(sql, values);
      },
      first: (sql: string, values?: unknown[]) => {
        statements.push(sql);
        return database.first(sql, values);
      },
      snapshot: (work: Parameters<Database['snapshot']>[0]) => {
        statements.push('BEGIN');
        return database.snapshot(work);
      },
    }) as Database;
    const searched = createEmbeddedVectorStore(watched, { logger });
    const query = dense(makePoint().vector, 100);
    expect(await searched.search(collection, query, signal)).toHaveLength(30);
    statements.length = 0;
    expect(await searched.search(collection, query, signal)).toHaveLength(30);
    expect(statements).toHaveLength(2);
    await store.upsert(collection, makeFile({ path: 'other.ts' }, 7), signal);
    expect(await searched.search(collection, query, signal)).toHaveLength(37);
    await store.dropCollection(collection, signal);
    expect(await searched.search(collection, query, signal)).toEqual([]);
    await newCollection('quiet');
    await store.upsert(collection, makeFile({}, 3), signal);
    expect(await searched.search(collection, query, signal)).toHaveLength(3);
  });

  it('reads the points of a collection once, also when the first search is stopped before they are read', async () => {
    const collection = await newCollection('slow');
    await store.upsert(collection, makeFile({}, 3_000), signal);
    const controller = new AbortController();
    let read = 0;
    const watch = (tx: Pick<Database, 'query' | 'first'>): typeof tx =>
      Object.assign(Object.create(tx), {
        async query<Row extends object>(sql: string, values?: unknown[]) {
          const rows = await tx.query<Row>(sql, values);
          if (rows.some((row) => 'vector' in row)) read += rows.length;
          if (read > 0) controller.abort();
          return rows;
        },
      }) as typeof tx;
    const watched = Object.assign(Object.create(database), {
      snapshot: (work: (tx: Pick<Database, 'query' | 'first'>) => Promise<unknown>) =>
        database.snapshot((tx) => work(watch(tx))),
    }) as Database;
    const searched = createEmbeddedVectorStore(watched, { logger });
    const query = dense(makePoint().vector, 5);
    await expect(searched.search(collection, query, controller.signal)).rejects.toMatchObject({
      kind: 'cancelled',
    });
    expect(read).toBeLessThan(3_000);
    expect(await searched.search(collection, query, signal)).toHaveLength(5);
    expect(read).toBe(3_000);
  });

  it('reads the texts of a scan by their ids, never from the whole table', async () => {
    const collection = await newCollection('scanned');
    await store.upsert(collection, makeFile({}, 3_000), signal);
    await database.query('ANALYZE vector_points');
    const plans: string[] = [];
    const watched = Object.assign(Object.create(database), {
      async query<Row extends object>(sql: string, values?: unknown[]) {
        if (sql.includes('strpos')) {
          const plan = await database.query<Record<string, string>>(`EXPLAIN ${sql}`, values);
          plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
        }
        return database.query<Row>(sql, values);
      },
    }) as Database;
    const scan = { filter: {}, terms: Uint32Array.of(), literal: 'const', ignoreCase: false };
    const searched = createEmbeddedVectorStore(watched, { logger });
    let examined = 0;
    for await (const page of searched.scan(collection, { ...scan, known: new Set() }, signal))
      examined += page.examined;
    expect(examined).toBe(3_000);
    expect(plans.length).toBeGreaterThan(1);
    for (const plan of plans) expect(plan).toContain('Index Scan using vector_points_pkey');
  });

  it('leaves out of a scan the points that the caller knows', async () => {
    const collection = await newCollection('known');
    const points = makeFile({}, 1_000);
    await store.upsert(collection, points, signal);
    const known = new Set(points.slice(0, 700).map(({ id }) => id));
    const scan = { filter: {}, terms: Uint32Array.of(), literal: null, ignoreCase: false, known };
    const found: string[] = [];
    for await (const page of store.scan(collection, scan, signal))
      found.push(...page.points.map(({ id }) => id));
    expect(found.sort()).toEqual(
      points
        .slice(700)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('finds the same texts after their signatures were made, and does not look for them in PostgreSQL then', async () => {
    const collection = await newCollection('sifted');
    const points = Array.from({ length: 700 }, (_, index) =>
      makePoint({
        path: `src/${index}.ts`,
        text: `const value${index} = compute(${index % 7});\n`.repeat(index % 5),
      }),
    );
    await store.upsert(collection, points, signal);
    const sought: unknown[] = [];
    const watched = Object.assign(Object.create(database), {
      async query<Row extends object>(sql: string, values?: unknown[]) {
        if (sql.includes('strpos')) sought.push(values?.[2]);
        return database.query<Row>(sql, values);
      },
    }) as Database;
    const searched = createEmbeddedVectorStore(watched, { logger });
    const scan = {
      filter: {},
      terms: Uint32Array.of(),
      literal: 'compute(3)',
      ignoreCase: false,
      known: new Set<string>(),
    };
    const paths = async () => {
      const found: string[] = [];
      for await (const page of searched.scan(collection, scan, signal))
        found.push(
          ...page.points
            .filter(({ payload }) => payload.text.includes('compute(3)'))
            .map(({ payload }) => payload.path),
        );
      return found.sort();
    };
    const expected = points
      .filter(({ payload }) => payload.text.includes('compute(3)'))
      .map(({ payload }) => payload.path);
    expect(await paths()).toEqual(expected.sort());
    expect(sought).toContain('compute(3)');
    await eventually(async () => {
      expect(await paths()).toEqual(expected);
      return sought.at(-1) === null;
    });
  });

  it('searches and lists while another writer deletes', async () => {
    const collection = await newCollection('busy');
    const points = makeFile({}, 2_500);
    await store.upsert(collection, points, signal);
    const deleting = store.deletePoints(
      collection,
      points.map((point) => point.id),
      signal,
    );
    const hits = await store.search(collection, dense(makePoint().vector, 50), signal);
    for (const hit of hits) expect(hit.payload.path).toBe('src/app/main.ts');
    await deleting;
    expect(await store.search(collection, dense(makePoint().vector, 50), signal)).toEqual([]);
  });

  it('reports a schema that lacks a migration', async () => {
    const empty = await createTestDatabase('empty');
    const elsewhere = await connectDatabase({ url: empty.url, logger });
    try {
      const bare = createEmbeddedVectorStore(elsewhere, { logger });
      await expect(bare.checkHealth(signal)).rejects.toMatchObject({ code: 'schema_outdated' });
    } finally {
      await elsewhere.close();
      await empty.drop();
    }
  });
});

function cosine(one: Float32Array, other: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
