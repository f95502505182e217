import { describe, expect, it } from '@jest/globals';
import { type PointPayload, type ScanQuery, type VectorStore } from '@core/domain';
import { textPattern } from '@core/search';
import { makePoint } from '../../../../../test/support/points.js';
import { EXACT_LIMITS, exactSearch } from './exact-search.js';

const { signal } = new AbortController();
const FILES: Record<string, string> = {
  'a.ts': 'export class Lease {}',
  'b.ts': 'const lease = new Lease();',
  'c.ts': 'new ReleaseLeaser()',
  'd.ts': 'nothing',
};

/** A store that yields all points in pages of two, and records the requests. */
function storeOf(files: Record<string, string>, asked: ScanQuery[] = []): VectorStore {
  const points = Object.entries(files).map(([path, text]) => makePoint({ path, text }));
  return {
    async *scan(_collection: string, query: ScanQuery) {
      asked.push(query);
      for (let start = 0; start < points.length; start += 2)
        yield { points: points.slice(start, start + 2), examined: 2 };
    },
  } as unknown as VectorStore;
}

function search(query: string, limits: Partial<typeof EXACT_LIMITS> = {}, asked: ScanQuery[] = []) {
  const pattern = textPattern(query, { isRegex: false, ignoreCase: false });
  const accepts = ({ path }: PointPayload) => path !== 'left-out.ts';
  const scopes = [{ collection: 'one', filter: {} }];
  const store = storeOf({ ...FILES, 'left-out.ts': 'Lease' }, asked);
  return exactSearch(store, scopes, { pattern, accepts }, signal, { ...EXACT_LIMITS, ...limits });
}

describe('an exact search', () => {
  it('scores definitions above whole names, and those above parts of names', async () => {
    const { hits, isComplete } = await search('Lease');
    const scores = hits.map(({ payload, score }) => [payload.path, score]);
    expect(scores).toEqual([
      ['a.ts', 1],
      ['b.ts', 0.75],
      ['c.ts', 0.5],
    ]);
    expect(isComplete).toBe(true);
  });

  it('reads only texts with a name that is certain, and otherwise first those with a likely one', async () => {
    const asked: ScanQuery[] = [];
    await search('new Lease(', {}, asked);
    expect(asked.map(({ terms }) => terms.length)).toEqual([1]);
    await search('Lease', {}, asked);
    expect(asked.slice(1).map(({ terms }) => terms.length)).toEqual([1, 0]);
    await search('{}', {}, asked);
    expect(asked.slice(3).map(({ terms }) => terms.length)).toEqual([0]);
  });

  it('seeks the pattern once in a text that both passes read', async () => {
    const pattern = textPattern('Lease', { isRegex: false, ignoreCase: false });
    const sought: string[] = [];
    const rangesIn = (text: string) => {
      sought.push(text);
      return pattern.rangesIn(text);
    };
    const scopes = [{ collection: 'one', filter: {} }];
    const query = { pattern: { ...pattern, rangesIn }, accepts: () => true };
    await exactSearch(storeOf(FILES), scopes, query, signal);
    expect(sought.filter((text) => text === FILES['a.ts'])).toHaveLength(1);
  });

  it.each([
    ['hits', { hits: 2 }, ['a.ts', 'b.ts']],
    ['points', { points: 2 }, ['a.ts']],
    ['characters', { characters: 20 }, ['a.ts']],
    ['time', { milliseconds: 0 }, ['a.ts']],
  ])('says that it is not complete when it ends at the limit of %s', async (_name, limits, paths) => {
    const { hits, isComplete } = await search('Lease', limits);
    expect(hits.map(({ payload }) => payload.path)).toEqual(paths);
    expect(isComplete).toBe(false);
  });
});
