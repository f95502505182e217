import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  RepotideError,
  type CollectionSpec,
  type LaneQuery,
  type Point,
  type PointPayload,
  type ScanQuery,
  type SearchFilter,
  type SearchHit,
  type StoredPoint,
  type Terms,
  type VectorStore,
} from '@core/domain';
import { queryOf, termsOf, textPattern } from '@core/search';
import { dense, DIMENSIONS, makeFile, makePoint } from '../support/points.js';
import { roundedTerms } from '../support/rounded-terms.js';

export interface VectorStoreUnderTest {
  store: VectorStore;
  /** Whether the store refuses to replace points of a higher fence; old servers cannot. */
  isFenced: boolean;
  /** Whether the store supports aliases. */
  hasAliases: boolean;
  dropCollection(name: string): Promise<void>;
  close(): Promise<void>;
}

const SHOP = 'aaaaaaaa-0000-4000-8000-000000000001';
const BANK = 'bbbbbbbb-0000-4000-8000-000000000002';
const MODEL = 'lexical-v1@8';

/** Tests every promise of {@link VectorStore} against one implementation. */
export function vectorStoreContract(name: string, factory: () => Promise<VectorStoreUnderTest>): void {
  describe(`VectorStore: ${name}`, () => {
    let subject: VectorStoreUnderTest;
    let store: VectorStore;
    const made = new Set<string>();
    const { signal } = new AbortController();

    beforeAll(async () => {
      subject = await factory();
      store = subject.store;
    });
    afterEach(async () => {
      for (const collection of made) await subject.dropCollection(collection);
      made.clear();
    });
    afterAll(() => subject?.close());

    function specOf(overrides: Partial<CollectionSpec> = {}): CollectionSpec {
      const collection = `test_${randomUUID()}`;
      made.add(collection);
      return { name: collection, dimensions: DIMENSIONS, modelId: MODEL, ...overrides };
    }
    async function newCollection(points: readonly Point[] = []): Promise<string> {
      const spec = specOf();
      await store.ensureCollection(spec, signal);
      await store.upsert(spec.name, points, signal);
      return spec.name;
    }
    async function listed(collection: string, repositoryId = SHOP): Promise<StoredPoint[]> {
      const points: StoredPoint[] = [];
      for await (const page of store.listPoints(collection, repositoryId, signal)) points.push(...page);
      return points;
    }
    async function idsIn(collection: string, repositoryId = SHOP): Promise<string[]> {
      return (await listed(collection, repositoryId)).map((point) => point.id).sort();
    }
    async function foundPaths(collection: string, filter: SearchFilter): Promise<string[]> {
      const hits = await store.search(collection, dense(makePoint().vector, 100, filter), signal);
      return hits.map((hit) => hit.payload.path).sort();
    }

    describe('tally', () => {
      it('counts the points of one repository, and those of its newest fence', async () => {
        const collection = await newCollection([
          ...makeFile({ path: 'a.ts', fence: 3 }, 40),
          ...makeFile({ path: 'b.ts', fence: 12 }, 5),
          ...makeFile({ path: 'c.ts', fence: 7 }, 2),
          ...makeFile({ path: 'a.ts', fence: 20, repository_id: BANK }, 3),
        ]);
        const tallyOf = (repositoryId: string) => store.tally(collection, repositoryId, signal);
        expect(await tallyOf(SHOP)).toEqual({ points: 47, newestFence: 12, atNewestFence: 5 });
        expect(await tallyOf(BANK)).toEqual({ points: 3, newestFence: 20, atNewestFence: 3 });
        await store.deleteFiles(collection, SHOP, [{ path: 'b.ts' }], signal);
        expect(await tallyOf(SHOP)).toEqual({ points: 42, newestFence: 7, atNewestFence: 2 });
      });

      it('counts nothing of an unknown repository or a missing collection', async () => {
        const nothing = { points: 0, newestFence: null, atNewestFence: 0 };
        const collection = await newCollection([makePoint()]);
        expect(await store.tally(collection, BANK, signal)).toEqual(nothing);
        expect(await store.tally(specOf().name, SHOP, signal)).toEqual(nothing);
      });
    });

    describe('otherRepositories', () => {
      it('names the repositories with points, without the known ones', async () => {
        const collection = await newCollection([
          ...makeFile({}, 3),
          ...makeFile({ repository_id: BANK }, 2),
          makePoint({ repository_id: 'cccccccc-0000-4000-8000-000000000003' }),
        ]);
        const others = async (...known: string[]) =>
          (await store.otherRepositories(collection, known, signal)).sort();
        const third = 'cccccccc-0000-4000-8000-000000000003';
        expect(await others()).toEqual([SHOP, BANK, third]);
        expect(await others(SHOP)).toEqual([BANK, third]);
        expect(await others(SHOP, BANK, third, randomUUID())).toEqual([]);
      });

      it('names none of a missing collection', async () => {
        expect(await store.otherRepositories(specOf().name, [], signal)).toEqual([]);
      });
    });

    describe('the incarnation of a collection', () => {
      it('stays the same, and is another one after the collection was dropped', async () => {
        const spec = specOf();
        expect(await store.incarnationOf(spec.name, signal)).toBeNull();
        const first = await store.ensureCollection(spec, signal);
        await store.upsert(spec.name, [makePoint()], signal);
        expect(await store.ensureCollection(spec, signal)).toBe(first);
        expect(await store.incarnationOf(spec.name, signal)).toBe(first);
        await store.dropCollection(spec.name, signal);
        expect(await store.incarnationOf(spec.name, signal)).toBeNull();
        const second = await store.ensureCollection(spec, signal);
        expect(second).not.toBe(first);
        expect(await store.incarnationOf(spec.name, signal)).toBe(second);
      });

      it('is the same for all racing callers once they are done', async () => {
        const spec = specOf();
        await Promise.all(Array.from({ length: 8 }, () => store.ensureCollection(spec, signal)));
        const incarnation = await store.incarnationOf(spec.name, signal);
        expect(incarnation).not.toBeNull();
        expect(await store.ensureCollection(spec, signal)).toBe(incarnation);
      });
    });

    describe('pointAlias', () => {
      const aliasOf = (collection: string): string => `${collection}-alias`;

      it('moves the alias from one collection to another in one step; is safe to repeat', async () => {
        const former = await newCollection(makeFile({ path: 'former.ts' }, 2));
        const next = await newCollection(makeFile({ path: 'next.ts' }, 3));
        const alias = aliasOf(former);
        for (const collection of [former, former, next, next]) {
          await store.pointAlias(alias, collection, signal);
        }
        expect(await foundPaths(alias, {})).toEqual(subject.hasAliases ? Array(3).fill('next.ts') : []);
        await store.pointAlias(alias, former, signal);
        expect(await store.count(alias, null, signal)).toBe(subject.hasAliases ? 2 : 0);
        expect(await store.count(next, null, signal)).toBe(3);
      });

      it('changes nothing when the collection is missing', async () => {
        const collection = await newCollection([makePoint()]);
        await store.pointAlias(aliasOf(collection), collection, signal);
        await store.pointAlias(aliasOf(collection), specOf().name, signal);
        expect(await store.count(aliasOf(collection), null, signal)).toBe(subject.hasAliases ? 1 : 0);
      });
    });

    it('drops only the given collection with its points; is safe to repeat', async () => {
      const collection = await newCollection(makeFile({}, 30));
      const other = await newCollection([makePoint()]);
      await store.dropCollection(collection, signal);
      await store.dropCollection(collection, signal);
      expect(await store.count(collection, null, signal)).toBe(0);
      expect(await store.count(other, null, signal)).toBe(1);
      await store.ensureCollection({ name: collection, dimensions: 4, modelId: 'another' }, signal);
    });

    describe('ensureCollection', () => {
      it('is safe to repeat: the points stay', async () => {
        const spec = specOf();
        await store.ensureCollection(spec, signal);
        await store.upsert(spec.name, [makePoint()], signal);
        await store.ensureCollection(spec, signal);
        expect(await store.count(spec.name, null, signal)).toBe(1);
      });

      it('lets all racing callers succeed', async () => {
        const spec = specOf();
        await Promise.all(Array.from({ length: 8 }, () => store.ensureCollection(spec, signal)));
        await store.upsert(spec.name, [makePoint()], signal);
        expect(await store.count(spec.name, SHOP, signal)).toBe(1);
      });

      it('refuses other dimensions, names both numbers and changes nothing', async () => {
        const spec = specOf();
        await store.ensureCollection(spec, signal);
        await store.upsert(spec.name, [makePoint()], signal);
        const refusal = await failureOf(store.ensureCollection({ ...spec, dimensions: 16 }, signal));
        expect(refusal).toMatchObject({ kind: 'conflict', code: 'collection_mismatch' });
        expect(refusal.details).toMatchObject({ found_dimensions: 8, expected_dimensions: 16 });
        expect(refusal.message).toMatch(/\b8\b.*\b16\b/s);
        await store.ensureCollection(spec, signal);
        expect(await store.count(spec.name, null, signal)).toBe(1);
      });

      it('refuses another model of the same dimensions, names both and changes nothing', async () => {
        const spec = specOf();
        await store.ensureCollection(spec, signal);
        const refusal = await failureOf(
          store.ensureCollection({ ...spec, modelId: 'BAAI/bge-m3@8' }, signal),
        );
        expect(refusal).toMatchObject({ kind: 'conflict', code: 'collection_mismatch' });
        expect(refusal.details).toMatchObject({ found_model: MODEL, expected_model: 'BAAI/bge-m3@8' });
        await store.ensureCollection(spec, signal);
      });

      it('accepts only one of two racing models', async () => {
        const spec = specOf();
        const rival = { ...spec, modelId: 'rival "v2" µ@8' };
        await Promise.allSettled(
          [spec, rival, spec, rival].map((each) => store.ensureCollection(each, signal)),
        );
        const outcomes = await Promise.allSettled([
          store.ensureCollection(spec, signal),
          store.ensureCollection(rival, signal),
        ]);
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(refused.length).toBeGreaterThanOrEqual(1);
        for (const { reason } of refused) expect(reason).toMatchObject({ code: 'collection_mismatch' });
      });

      it('keeps collections separate', async () => {
        const one = await newCollection([makePoint({ text: 'one' })]);
        const two = await newCollection([makePoint({ text: 'two' })]);
        await store.deleteRepository(one, SHOP, signal);
        const [hit] = await store.search(two, dense(makePoint().vector, 1), signal);
        expect(hit?.payload.text).toBe('two');
        expect(await store.count(one, null, signal)).toBe(0);
      });
    });

    describe('upsert', () => {
      it('is visible to the next read', async () => {
        const collection = await newCollection();
        for (let round = 1; round <= 5; round++) {
          await store.upsert(collection, [makePoint({ chunk_index: round })], signal);
          expect(await store.count(collection, SHOP, signal)).toBe(round);
        }
      });

      it('replaces payload and vector by id, and adds nothing when repeated', async () => {
        const point = makePoint({ text: 'old' }, [1, 0, 0, 0, 0, 0, 0, 0]);
        const collection = await newCollection([point, point]);
        await store.upsert(collection, [point], signal);
        const vector = [0, 1, 0, 0, 0, 0, 0, 0];
        await store.upsert(collection, [makePoint({ text: 'new', language: null }, vector)], signal);
        const [found] = await store.readFile(collection, fileOf(point), 'v1', signal);
        expect(found?.payload).toMatchObject({ text: 'new', language: null });
        expect(Array.from(found?.vector ?? [])).toEqual(vector);
        expect(await store.count(collection, null, signal)).toBe(1);
      });

      it('keeps the last point of a repeated id in one call', async () => {
        const collection = await newCollection([makePoint({ text: 'first' }), makePoint({ text: 'last' })]);
        const [found] = await store.readFile(collection, fileOf(makePoint()), 'v1', signal);
        expect(found?.payload.text).toBe('last');
      });

      it('accepts any number of points', async () => {
        const points = makeFile({}, 1_500);
        const collection = await newCollection(points);
        expect(await store.count(collection, SHOP, signal)).toBe(1_500);
        expect(await idsIn(collection)).toEqual(points.map((point) => point.id).sort());
      });

      it('keeps every character and number of the payload', async () => {
        const text = `"quotes" \\ back\u0000slash\n\ttab é 漢字 \u202Eright-to-left 👩‍👩‍👧‍👦 \u2028 ${'ß'.repeat(7_000)}`;
        const point = makePoint({ text, path: 'docs/ünï cödé/👩‍💻 notes.md', fence: 2 ** 40, language: null });
        const collection = await newCollection([point]);
        const [found] = await store.readFile(collection, fileOf(point), 'v1', signal);
        expect(found?.payload).toEqual(point.payload);
        expect(found?.id).toBe(point.id);
      });

      it('stores a text that was cut within an emoji', async () => {
        const collection = await newCollection([makePoint({ text: 'cut \uD83D', chunk_index: 0 })]);
        const [found] = await store.readFile(collection, fileOf(makePoint()), 'v1', signal);
        expect(found?.payload.text).toMatch(/^cut /);
      });

      it('does nothing for no points', async () => {
        const collection = await newCollection();
        await store.upsert(collection, [], signal);
        expect(await store.count(collection, null, signal)).toBe(0);
      });

      it('is refused when the collection is missing, and creates none', async () => {
        const { name: collection } = specOf();
        const failure = await failureOf(store.upsert(collection, [makePoint()], signal));
        expect(failure).toMatchObject({ kind: 'not_found', code: 'collection_missing' });
        expect(await store.count(collection, null, signal)).toBe(0);
      });

      it('is refused for a vector of other dimensions', async () => {
        const collection = await newCollection();
        const failure = await failureOf(store.upsert(collection, [makePoint({}, [1, 2, 3])], signal));
        expect(failure.kind).toBe('invalid');
        expect(await store.count(collection, null, signal)).toBe(0);
      });

      it('does not replace a point of a higher fence, if the store supports it', async () => {
        const collection = await newCollection([makePoint({ fence: 7, text: 'of attempt 7' })]);
        const late = [makePoint({ fence: 6, text: 'of attempt 6' }), makePoint({ fence: 6, chunk_index: 1 })];
        await store.upsert(collection, late, signal);
        const afterLate = await store.readFile(collection, fileOf(makePoint()), 'v1', signal);
        expect(afterLate.map((point) => point.payload.fence)).toEqual(subject.isFenced ? [7, 6] : [6, 6]);
        await store.upsert(collection, [makePoint({ fence: 8, text: 'of attempt 8' })], signal);
        const [afterNext] = await store.readFile(collection, fileOf(makePoint()), 'v1', signal);
        expect(afterNext?.payload.text).toBe('of attempt 8');
      });
    });

    describe('deleteFiles', () => {
      it('removes whole files and returns the number of points', async () => {
        const collection = await newCollection([
          ...makeFile({ path: 'a.ts' }, 3),
          ...makeFile({ path: 'a.ts', file_version: 'v2' }, 2),
          ...makeFile({ path: 'b.ts' }, 4),
        ]);
        expect(await store.deleteFiles(collection, SHOP, [{ path: 'a.ts' }], signal)).toBe(5);
        expect(await store.count(collection, null, signal)).toBe(4);
      });

      it('keeps the points of each file with its keepVersion', async () => {
        const keptA = makeFile({ path: 'a.ts', file_version: 'v2' }, 2);
        const keptB = makeFile({ path: 'b.ts', file_version: 'v1' }, 3);
        const collection = await newCollection([
          ...keptA,
          ...keptB,
          ...makeFile({ path: 'a.ts', file_version: 'v1' }, 4),
          ...makeFile({ path: 'b.ts', file_version: 'v2' }, 5),
          ...makeFile({ path: 'c.ts' }, 6),
        ]);
        const files = [
          { path: 'a.ts', keepVersion: 'v2' },
          { path: 'b.ts', keepVersion: 'v1' },
          { path: 'c.ts' },
        ];
        expect(await store.deleteFiles(collection, SHOP, files, signal)).toBe(15);
        expect(await idsIn(collection)).toEqual([...keptA, ...keptB].map((point) => point.id).sort());
        expect(await store.deleteFiles(collection, SHOP, files, signal)).toBe(0);
      });

      it('accepts any number of files', async () => {
        const paths = Array.from({ length: 450 }, (_, index) => `src/file-${index}.ts`);
        const collection = await newCollection(paths.map((path) => makePoint({ path })));
        const files = paths.map((path, index) => (index % 2 === 0 ? { path } : { path, keepVersion: 'v1' }));
        expect(await store.deleteFiles(collection, SHOP, files, signal)).toBe(225);
        expect(await store.count(collection, null, signal)).toBe(225);
      });

      it('does not touch another repository, or a path with the same beginning', async () => {
        const collection = await newCollection([
          makePoint({ path: 'src/app' }),
          makePoint({ path: 'src/app.ts' }),
          makePoint({ path: 'src/app/x.ts' }),
          makePoint({ path: 'src/app', repository_id: BANK }),
        ]);
        expect(await store.deleteFiles(collection, SHOP, [{ path: 'src/app' }], signal)).toBe(1);
        expect(await store.count(collection, SHOP, signal)).toBe(2);
        expect(await store.count(collection, BANK, signal)).toBe(1);
      });

      it('removes nothing for no files and for a missing collection', async () => {
        const collection = await newCollection([makePoint()]);
        expect(await store.deleteFiles(collection, SHOP, [], signal)).toBe(0);
        expect(await store.count(collection, null, signal)).toBe(1);
        expect(await store.deleteFiles(specOf().name, SHOP, [{ path: 'a' }], signal)).toBe(0);
      });
    });

    describe('deletePoints and deleteRepository', () => {
      it('removes exactly the given points; unknown ids and repeating change nothing', async () => {
        const points = makeFile({}, 5);
        const collection = await newCollection(points);
        const ids = [...points.slice(0, 3).map((point) => point.id), randomUUID()];
        await store.deletePoints(collection, ids, signal);
        await store.deletePoints(collection, ids, signal);
        await store.deletePoints(collection, [], signal);
        expect(await idsIn(collection)).toEqual(
          points
            .slice(3)
            .map((point) => point.id)
            .sort(),
        );
      });

      it('removes everything of one repository only; is safe to repeat', async () => {
        const collection = await newCollection([...makeFile({}, 4), ...makeFile({ repository_id: BANK }, 3)]);
        await store.deleteRepository(collection, SHOP, signal);
        await store.deleteRepository(collection, SHOP, signal);
        expect(await store.count(collection, SHOP, signal)).toBe(0);
        expect(await store.count(collection, BANK, signal)).toBe(3);
      });

      it('treats a missing collection as empty', async () => {
        const { name: collection } = specOf();
        await store.deleteRepository(collection, SHOP, signal);
        await store.deletePoints(collection, [randomUUID()], signal);
        expect(await store.count(collection, null, signal)).toBe(0);
      });
    });

    describe('listPoints', () => {
      it('returns each point once, over several pages, without text', async () => {
        const points = makeFile({ fence: 3, blob_sha: '9'.repeat(40) }, 2_345);
        const collection = await newCollection([...points, ...makeFile({ repository_id: BANK }, 10)]);
        const found = await listed(collection);
        expect(found).toHaveLength(2_345);
        expect(new Set(found.map((point) => point.id)).size).toBe(2_345);
        expect(found.find((point) => point.id === points[77]?.id)).toEqual({
          id: points[77]?.id,
          path: 'src/app/main.ts',
          blob_sha: '9'.repeat(40),
          file_version: 'v1',
          chunk_index: 77,
          fence: 3,
        });
      });

      it('returns the text and its hash on request', async () => {
        const points = makeFile({ text: 'half a \ud83d' }, 150);
        const collection = await newCollection(points);
        const found: StoredPoint[] = [];
        for await (const page of store.listPoints(collection, SHOP, signal, { withText: true })) {
          found.push(...page);
        }
        expect(new Set(found.map(({ id }) => id)).size).toBe(150);
        expect(found.every(({ text }) => text?.toWellFormed() === 'half a \ufffd')).toBe(true);
        const { id, payload } = points[3]!;
        expect(found.find((point) => point.id === id)?.content_hash).toBe(payload.content_hash);
      });

      it('continues after deletes between pages', async () => {
        const collection = await newCollection(makeFile({}, 1_200));
        let pages = 0;
        for await (const page of store.listPoints(collection, SHOP, signal)) {
          pages++;
          await store.deletePoints(
            collection,
            page.map((point) => point.id),
            signal,
          );
        }
        expect(pages).toBeGreaterThan(0);
        expect(await store.count(collection, SHOP, signal)).toBe(0);
      });

      it('can be stopped early and started again', async () => {
        const collection = await newCollection(makeFile({}, 1_200));
        for await (const page of store.listPoints(collection, SHOP, signal)) {
          expect(page.length).toBeGreaterThan(0);
          break;
        }
        expect(await listed(collection)).toHaveLength(1_200);
      });

      it('treats a missing collection and an unknown repository as empty', async () => {
        expect(await listed(specOf().name)).toEqual([]);
        expect(await listed(await newCollection([makePoint()]), BANK)).toEqual([]);
      });
    });

    describe('readFile', () => {
      it('returns the points of one version in order, with vectors of the same direction', async () => {
        const points = makeFile({}, 150);
        const collection = await newCollection([
          ...points.toReversed(),
          ...makeFile({ file_version: 'v2' }, 3),
          ...makeFile({ path: 'other.ts' }, 3),
          ...makeFile({ repository_id: BANK }, 3),
        ]);
        const found = await store.readFile(collection, fileOf(makePoint()), 'v1', signal);
        expect(found.map((point) => point.id)).toEqual(points.map((point) => point.id));
        for (const [index, point] of found.entries()) {
          expect(cosine(point.vector, points[index]?.vector)).toBeCloseTo(1, 5);
        }
      });

      it('is empty without points or without a collection', async () => {
        const collection = await newCollection([makePoint()]);
        const file = fileOf(makePoint());
        expect(await store.readFile(collection, file, 'v9', signal)).toEqual([]);
        expect(await store.readFile(specOf().name, file, 'v1', signal)).toEqual([]);
      });
    });

    it('counts a repository and a collection, and 0 for a missing one', async () => {
      const collection = await newCollection([...makeFile({}, 3), ...makeFile({ repository_id: BANK }, 4)]);
      expect(await store.count(collection, SHOP, signal)).toBe(3);
      expect(await store.count(collection, null, signal)).toBe(7);
      expect(await store.count(collection, randomUUID(), signal)).toBe(0);
      expect(await store.count(specOf().name, null, signal)).toBe(0);
    });

    describe('search', () => {
      it('returns the nearest first with their cosine, for vectors of any length', async () => {
        const angles = [80, 10, 50, 170, 120, 0];
        const at = (degrees: number, length: number): number[] => {
          const radians = (degrees * Math.PI) / 180;
          return [length * Math.cos(radians), length * Math.sin(radians), 0, 0, 0, 0, 0, 0];
        };
        const points = angles.map((angle, index) =>
          makePoint({ chunk_index: index, start_line: angle }, at(angle, 1 + 3 * index)),
        );
        const collection = await newCollection(points);
        const hits = await store.search(collection, dense(Float32Array.from(at(0, 5)), 5), signal);
        expect(hits.map((hit) => hit.payload.start_line)).toEqual([0, 10, 50, 80, 120]);
        for (const hit of hits) {
          expect(hit.scores.dense).toBeCloseTo(Math.cos((hit.payload.start_line * Math.PI) / 180), 5);
        }
        const [best] = hits;
        expect(best?.payload).toEqual(points[5]?.payload);
      });

      it('finds the best of many', async () => {
        const points = makeFile({}, 1_200);
        const collection = await newCollection(points);
        const wanted = points[1_111]?.vector ?? new Float32Array();
        const expected = points
          .map((point) => ({ index: point.payload.chunk_index, score: cosine(point.vector, wanted) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, 10);
        const hits = await store.search(collection, dense(wanted, 10), signal);
        expect(hits.map((hit) => hit.payload.chunk_index)).toEqual(expected.map((hit) => hit.index));
      });

      it('is limited to the given repositories; none means all', async () => {
        const collection = await newCollection([
          makePoint({ path: 'shop.ts' }),
          makePoint({ path: 'bank.ts', repository_id: BANK }),
        ]);
        expect(await foundPaths(collection, {})).toEqual(['bank.ts', 'shop.ts']);
        expect(await foundPaths(collection, { repositoryIds: [] })).toEqual(['bank.ts', 'shop.ts']);
        expect(await foundPaths(collection, { repositoryIds: [BANK] })).toEqual(['bank.ts']);
        expect(await foundPaths(collection, { repositoryIds: [BANK, SHOP] })).toEqual(['bank.ts', 'shop.ts']);
        expect(await foundPaths(collection, { repositoryIds: [randomUUID()] })).toEqual([]);
      });

      it('is limited to a folder or file, without paths that only share a prefix', async () => {
        const below = ['src/app/deep/er/x.ts', 'src/app/main.ts'];
        const paths = [...below, 'src/app.ts', 'src/application/y.ts', 'lib/src/app/z.ts'];
        const collection = await newCollection(paths.map((path) => makePoint({ path })));
        expect(await foundPaths(collection, { pathPrefix: 'src/app' })).toEqual(below);
        expect(await foundPaths(collection, { pathPrefix: 'src/app/' })).toEqual(below);
        expect(await foundPaths(collection, { pathPrefix: 'src/app.ts' })).toEqual(['src/app.ts']);
        expect(await foundPaths(collection, { pathPrefix: '' })).toEqual(paths.toSorted());
        expect(await foundPaths(collection, { pathPrefix: 'src_app' })).toEqual([]);
      });

      it('is limited to a language, and by several filters at once', async () => {
        const collection = await newCollection([
          makePoint({ path: 'a/x.ts' }),
          makePoint({ path: 'a/x.py', language: 'python' }),
          makePoint({ path: 'b/x.py', language: 'python' }),
          makePoint({ path: 'a/LICENSE', language: null }),
          makePoint({ path: 'a/y.py', language: 'python', repository_id: BANK }),
        ]);
        expect(await foundPaths(collection, { language: 'python' })).toEqual(['a/x.py', 'a/y.py', 'b/x.py']);
        const filter = { language: 'python', pathPrefix: 'a', repositoryIds: [SHOP] };
        expect(await foundPaths(collection, filter)).toEqual(['a/x.py']);
      });

      it('has no hits in a missing or empty collection', async () => {
        expect(await foundPaths(specOf().name, {})).toEqual([]);
        expect(await foundPaths(await newCollection(), {})).toEqual([]);
      });
    });

    describe('the lexical lane', () => {
      const files = {
        'src/is-fresh.ts': 'export function isFresh(entry) {\n  return entry.age < limit;\n}\n',
        'src/cache.ts': 'if (isFresh(entry)) return entry.value;\nrefresh(entry);\n',
        'docs/notes.md': 'Fresh entries are kept in the cache.\n',
      };
      const points = () => Object.entries(files).map(([path, text]) => makePoint({ path, text }));
      const lexical = (query: string, filter: SearchFilter = {}, limit = 10): LaneQuery => ({
        lane: 'lexical',
        terms: queryOf(query).terms,
        limit,
        filter,
      });
      const pathsOf = (hits: readonly SearchHit[]) => hits.map(({ payload }) => payload.path);

      it('finds what defines a name first, then what mentions it, then its parts', async () => {
        const collection = await newCollection(points());
        const hits = await store.search(collection, lexical('isFresh'), signal);
        expect(pathsOf(hits)).toEqual(['src/is-fresh.ts', 'src/cache.ts', 'docs/notes.md']);
        for (const { scores } of hits) expect(scores).toEqual({ dense: null, lexical: expect.any(Number) });
        const sorted = hits.map(({ scores }) => scores.lexical!);
        expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
        expect(pathsOf(await store.search(collection, lexical('isFresh', {}, 1), signal))).toEqual([
          'src/is-fresh.ts',
        ]);
      });

      it('has a score of each weight times the rarity of its term, as BM25 defines it', async () => {
        const terms = (weights: Record<number, number>): Terms => ({
          ids: Uint32Array.from(Object.keys(weights), Number),
          weights: Float32Array.from(Object.values(weights)),
        });
        const stored = [terms({ 7: 1.5, 4_000_000_000: 0.5 }), terms({ 7: 1 }), terms({ 9: 1 })];
        const collection = await newCollection(
          stored.map((each, index) => ({ ...makePoint({ chunk_index: index }), terms: each })),
        );
        const query = { ...lexical(''), terms: terms({ 7: 2, 4_000_000_000: 1 }) };
        const hits = await store.search(collection, query, signal);
        const rarity = (count: number) => Math.log(1 + (3 - count + 0.5) / (count + 0.5));
        expect(hits.map(({ payload }) => payload.chunk_index)).toEqual([0, 1]);
        expect(hits[0]!.scores.lexical).toBeCloseTo(2 * 1.5 * rarity(2) + 0.5 * rarity(1), 4);
        expect(hits[1]!.scores.lexical).toBeCloseTo(2 * rarity(2), 4);
      });

      it('is limited by the filter', async () => {
        const collection = await newCollection([
          ...points(),
          makePoint({ path: 'x.ts', repository_id: BANK, text: 'isFresh()' }),
        ]);
        const found = async (filter: SearchFilter) =>
          pathsOf(await store.search(collection, lexical('isFresh', filter), signal)).sort();
        expect(await found({ repositoryIds: [BANK] })).toEqual(['x.ts']);
        expect(await found({ pathPrefix: 'docs' })).toEqual(['docs/notes.md']);
        expect(await found({ language: 'cobol' })).toEqual([]);
      });

      it('finds nothing for a query without terms', async () => {
        expect(await store.search(await newCollection(points()), lexical('the'), signal)).toEqual([]);
      });

      it('answers both lanes at once, each point with the scores of the lanes that found it', async () => {
        const collection = await newCollection(points());
        const { vector } = points()[2]!;
        const both = await store.search(
          collection,
          { ...lexical('refresh', {}, 1), lane: 'hybrid', vector },
          signal,
        );
        expect(pathsOf(both)).toEqual(['docs/notes.md', 'src/cache.ts']);
        const [first, second] = both;
        expect(first!.scores).toEqual({ dense: expect.closeTo(1, 4), lexical: null });
        expect(second!.scores).toEqual({ dense: null, lexical: expect.any(Number) });
      });

      it('follows replaced and deleted points', async () => {
        const collection = await newCollection(points());
        const found = async (query: string) =>
          pathsOf(await store.search(collection, lexical(query), signal));
        expect(await found('refresh')).toEqual(['src/cache.ts']);
        await store.upsert(collection, [makePoint({ path: 'src/cache.ts', text: 'expire(entry);' })], signal);
        expect(await found('refresh')).toEqual([]);
        expect(await found('expire')).toEqual(['src/cache.ts']);
        await store.deleteFiles(collection, SHOP, [{ path: 'src/cache.ts' }], signal);
        expect(await found('expire')).toEqual([]);
        await store.deleteRepository(collection, SHOP, signal);
        expect(await found('isFresh')).toEqual([]);
      });

      it('is filled from stored text for points that were stored without', async () => {
        const [first, ...others] = points();
        const bank = makePoint({ path: 'x.ts', repository_id: BANK, text: 'isFresh()' });
        const collection = await newCollection([
          first!,
          ...[...others, bank].map((point) => ({ ...point, terms: null })),
        ]);
        const without = (repositoryId: string | null) =>
          store.countWithoutTerms(collection, repositoryId, signal);
        expect(pathsOf(await store.search(collection, lexical('isFresh'), signal))).toEqual([
          'src/is-fresh.ts',
        ]);
        expect([await without(SHOP), await without(BANK), await without(null)]).toEqual([2, 1, 3]);
        expect(await store.fillTerms(collection, SHOP, termsOf, signal)).toBe(2);
        expect([await without(SHOP), await without(BANK), await without(null)]).toEqual([0, 1, 1]);
        expect(await store.fillTerms(collection, SHOP, termsOf, signal)).toBe(0);
        const [hit] = await store.search(collection, lexical('refresh'), signal);
        expect(hit?.payload).toEqual(others[0]!.payload);
        const [stored] = await store.readFile(collection, fileOf(others[0]!), 'v1', signal);
        expect(roundedTerms(stored!.terms)).toEqual(roundedTerms(others[0]!.terms));
      });

      it('of a missing collection is empty', async () => {
        const { name } = specOf();
        expect(await store.search(name, lexical('isFresh'), signal)).toEqual([]);
        expect(await store.countWithoutTerms(name, null, signal)).toBe(0);
        expect(await store.hasTerms(name, signal)).toBe(false);
        expect(await store.hasTerms(await newCollection(), signal)).toBe(true);
        expect(await store.fillTerms(name, SHOP, termsOf, signal)).toBe(0);
      });
    });

    describe('scan', () => {
      const texts = {
        'src/a.ts': 'const total = sum(items);\n',
        'src/b.ts': 'const TOTAL = 3; // "total"\n',
        'docs/c.md': 'A half of an emoji \ud83d, a tab \t and a total\\\né',
      };
      const stored = () => [
        ...Object.entries(texts).map(([path, text]) => makePoint({ path, text })),
        makePoint({ path: 'x.ts', repository_id: BANK, text: 'subtotal' }),
        { ...makePoint({ path: 'src/old.ts', text: 'const total = 0;' }), terms: null },
      ];
      const all = {
        filter: {},
        terms: Uint32Array.of(),
        literal: null,
        ignoreCase: false,
        known: new Set<string>(),
      };
      async function scanned(collection: string, query: Partial<ScanQuery>) {
        const paths: string[] = [];
        let examined = 0;
        for await (const page of store.scan(collection, { ...all, ...query }, signal)) {
          paths.push(...page.points.map(({ payload }) => payload.path));
          examined += page.examined;
        }
        return { paths: paths.sort(), examined };
      }
      const everything = ['docs/c.md', 'src/a.ts', 'src/b.ts', 'src/old.ts', 'x.ts'];

      it('reads every point once, with its payload', async () => {
        const points = makeFile({}, 1_111);
        const collection = await newCollection(points);
        const found = new Map<string, PointPayload>();
        let examined = 0;
        for await (const page of store.scan(collection, all, signal)) {
          for (const { id, payload } of page.points) found.set(id, payload);
          examined += page.examined;
        }
        expect(examined).toBe(1_111);
        expect(found).toEqual(new Map(points.map(({ id, payload }) => [id, payload])));
      });

      it('is limited by the filter', async () => {
        const collection = await newCollection(stored());
        const paths = async (filter: SearchFilter) => (await scanned(collection, { filter })).paths;
        expect(await paths({})).toEqual(everything);
        expect(await paths({ repositoryIds: [BANK] })).toEqual(['x.ts']);
        const strangers = Array.from({ length: 9 }, () => randomUUID());
        expect(await paths({ repositoryIds: [...strangers, BANK] })).toEqual(['x.ts']);
        expect(await paths({ pathPrefix: 'docs' })).toEqual(['docs/c.md']);
        expect(await paths({ language: 'cobol' })).toEqual([]);
      });

      it('leaves out points without a term, but none whose terms are not stored', async () => {
        const collection = await newCollection(stored());
        const { certainTerms: terms } = textPattern('= sum(', { isRegex: false, ignoreCase: false });
        expect(terms).toHaveLength(1);
        expect((await scanned(collection, { terms })).paths).toEqual(['src/a.ts', 'src/old.ts']);
        const filter = { repositoryIds: [BANK] };
        expect((await scanned(collection, { terms, filter })).paths).toEqual([]);
      });

      it('yields every point with the literal, whatever its letters are', async () => {
        const collection = await newCollection(stored());
        const found = async (literal: string, ignoreCase: boolean) =>
          (await scanned(collection, { literal, ignoreCase })).paths;
        const expected: [string, boolean, string[]][] = [
          ['total = ', false, ['src/a.ts', 'src/old.ts']],
          ['Total', true, everything],
          ['"total"\n', false, ['src/b.ts']],
          ['tab \t and a total\\', false, ['docs/c.md']],
          ['emoji \ud83d', false, ['docs/c.md']],
          ['É', true, ['docs/c.md']],
        ];
        for (const [literal, ignoreCase, paths] of expected)
          expect(await found(literal, ignoreCase)).toEqual(expect.arrayContaining(paths));
      });

      it('follows replaced and deleted points', async () => {
        const collection = await newCollection(stored());
        await store.upsert(collection, [makePoint({ path: 'src/a.ts', text: 'gone' })], signal);
        await store.deleteFiles(collection, SHOP, [{ path: 'docs/c.md' }], signal);
        const texts: string[] = [];
        for await (const page of store.scan(collection, all, signal))
          texts.push(...page.points.map(({ payload }) => payload.text));
        expect(texts.sort()).toEqual([
          'const TOTAL = 3; // "total"\n',
          'const total = 0;',
          'gone',
          'subtotal',
        ]);
      });

      it('of a missing collection is empty', async () => {
        expect(await scanned(specOf().name, {})).toEqual({ paths: [], examined: 0 });
      });
    });

    describe('signal', () => {
      it('ends every method with its reason', async () => {
        const collection = await newCollection([makePoint()]);
        const aborted = AbortSignal.abort();
        const iterate = async (): Promise<void> => {
          for await (const page of store.listPoints(collection, SHOP, aborted)) expect(page).toBeNull();
        };
        const everything = {
          filter: {},
          terms: Uint32Array.of(),
          literal: null,
          ignoreCase: false,
          known: new Set<string>(),
        };
        const scan = async (): Promise<void> => {
          for await (const page of store.scan(collection, everything, aborted)) expect(page).toBeNull();
        };
        const calls = [
          () => store.ensureCollection(specOf(), aborted),
          () => store.pointAlias('alias', collection, aborted),
          () => store.dropCollection(collection, aborted),
          () => store.upsert(collection, [makePoint({ chunk_index: 1 })], aborted),
          () => store.deleteFiles(collection, SHOP, [{ path: 'src/app/main.ts' }], aborted),
          () => store.deletePoints(collection, [makePoint().id], aborted),
          () => store.deleteRepository(collection, SHOP, aborted),
          iterate,
          () => store.readFile(collection, fileOf(makePoint()), 'v1', aborted),
          () => store.count(collection, null, aborted),
          () => store.tally(collection, SHOP, aborted),
          () => store.incarnationOf(collection, aborted),
          () => store.otherRepositories(collection, [], aborted),
          () => store.search(collection, dense(makePoint().vector, 1), aborted),
          () => store.hasTerms(collection, aborted),
          scan,
          () => store.countWithoutTerms(collection, null, aborted),
          () => store.fillTerms(collection, SHOP, termsOf, aborted),
          () => store.checkHealth(aborted),
        ];
        for (const call of calls) expect(await failureOf(call())).toMatchObject({ kind: 'cancelled' });
        expect(await store.count(collection, null, signal)).toBe(1);
      });

      it('keeps the reason of a lost fence', async () => {
        const lost = new RepotideError('fence_lost', 'fence_lost', 'Another attempt owns this run.');
        const failure = await failureOf(store.count('any', null, AbortSignal.abort(lost)));
        expect(failure).toBe(lost);
      });

      it('stops a long upsert, and repeating it completes the work', async () => {
        const collection = await newCollection();
        const points = makeFile({}, 3_000);
        const controller = new AbortController();
        const upsert = failureOf(store.upsert(collection, points, controller.signal));
        await waitFor(async () => (await store.count(collection, null, signal)) > 0);
        controller.abort();
        const failure = await upsert;
        expect(failure.kind).toBe('cancelled');
        await store.upsert(collection, points, signal);
        expect(await store.count(collection, null, signal)).toBe(3_000);
      });
    });

    it('is healthy', async () => {
      await expect(store.checkHealth(signal)).resolves.toEqual([]);
    });
  });
}

function fileOf({ payload }: Point): { repositoryId: string; path: string } {
  return { repositoryId: payload.repository_id, path: payload.path };
}

/** The error of a call that must fail. */
async function failureOf(call: Promise<unknown>): Promise<RepotideError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof RepotideError)) throw new Error(`no RepotideError but ${String(outcome)}`);
  return outcome;
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue()));
}

function cosine(a: Float32Array, b: Float32Array = new Float32Array()): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, v, i) => sum + v * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
