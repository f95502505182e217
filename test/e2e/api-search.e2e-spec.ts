import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import {
  Embedder,
  GenerationStore,
  type PointPayload,
  type Repository,
  type SearchFilter,
  VectorStore,
} from '@core/domain';
import { termsOf } from '@core/search';
import { activeGeneration } from '../support/active-generation.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { UNKNOWN_ID } from '../support/registration.js';

const signal = new AbortController().signal;

interface Hit {
  repository_id: string;
  project_path: string;
  path: string;
  score: number;
  [field: string]: unknown;
}

let api: TestApi;
let embedder: Embedder;
let shop: Repository;
let bank: Repository;
const search = (body: object) =>
  request(api.url)
    .post('/api/v1/search')
    .set({ Authorization: api.authorization('viewer') })
    .send(body);
const hitsOf = async (body: object): Promise<Hit[]> => {
  const answer = await search(body);
  expect(answer.status).toBe(200);
  const { items, total } = answer.body as { items: Hit[]; total: number };
  expect(total).toBe(items.length);
  return items;
};

let pointNumber = 0;
async function store(
  repository: Repository,
  path: string,
  language: string,
  text: string,
  hashDigit = 'h',
): Promise<void> {
  pointNumber += 1;
  const [vector] = (await embedder.embed([text], 'document', signal)) as Float32Array[];
  const folders = path.split('/').slice(0, -1);
  const payload: PointPayload = {
    repository_id: repository.id,
    // The project's path at the time of indexing.
    project_path: `former/${repository.projectPath}`,
    branch: repository.branch,
    path,
    directories: folders.map((_, index) => folders.slice(0, index + 1).join('/')),
    language,
    chunk_index: 0,
    start_line: 3,
    end_line: 9,
    blob_sha: 'b'.repeat(40),
    file_version: 'v1',
    content_hash: hashDigit.repeat(64),
    commit: 'c'.repeat(40),
    fence: 1,
    text,
  };
  const vectors = api.get(VectorStore);
  const { id: modelId, dimensions } = embedder.model;
  const generations = api.get(GenerationStore);
  const { physicalName } = await activeGeneration(generations, repository.collectionName);
  await vectors.ensureCollection({ name: physicalName, dimensions, modelId }, signal);
  const id = `00000000-0000-4000-8000-${String(pointNumber).padStart(12, '0')}`;
  await vectors.upsert(physicalName, [{ id, vector: vector!, terms: termsOf(payload), payload }], signal);
}

/** The filters of all searches in the vector store during `work`, by collection. */
async function filtersOf(work: () => Promise<unknown>): Promise<Map<string, SearchFilter[]>> {
  const vectors = api.get(VectorStore);
  const generations = await api.get(GenerationStore).list(['bank', 'shop']);
  const asked = new Map<string, SearchFilter[]>();
  const searchVectors = vectors.search.bind(vectors);
  vectors.search = (name, query, abort) => {
    const collection = generations.find(({ physicalName }) => physicalName === name)?.collectionName ?? name;
    asked.set(collection, [...(asked.get(collection) ?? []), query.filter]);
    return searchVectors(name, query, abort);
  };
  try {
    await work();
  } finally {
    vectors.search = searchVectors;
  }
  return asked;
}

beforeAll(async () => {
  api = await startTestApi();
  embedder = api.get(Embedder);
  shop = await api.register({ projectPath: 'shop/cart', collectionName: 'shop' });
  bank = await api.register({ projectPath: 'bank/ledger', collectionName: 'bank' });
  await store(
    shop,
    'src/cart/total.ts',
    'typescript',
    'function computeCartTotal(items) { return sum(items); }',
  );
  await store(shop, 'docs/cart.md', 'markdown', 'The cart total is the sum of its items.');
  await store(bank, 'ledger/balance.py', 'python', 'def ledger_balance(entries): return sum(entries)');
});
afterAll(() => api.stop());

describe('searching', () => {
  it('returns the best hit first, with its path and lines', async () => {
    const [best] = await hitsOf({ query: 'ledger balance' });
    expect(best).toEqual({
      repository_id: bank.id,
      project_path: 'bank/ledger',
      branch: 'main',
      path: 'ledger/balance.py',
      start_line: 3,
      end_line: 9,
      language: 'python',
      commit: 'c'.repeat(40),
      score: expect.any(Number),
      text: 'def ledger_balance(entries): return sum(entries)',
      scores: {
        dense: expect.any(Number),
        lexical: expect.any(Number),
        names: expect.any(Number),
        reranker: null,
      },
      kind: 'code',
      chunks: 1,
      matching_lines: null,
      snippet: {
        start_line: 3,
        end_line: 3,
        text: 'def ledger_balance(entries): return sum(entries)',
        highlights: [
          { line: 3, start: 4, end: 10 },
          { line: 3, start: 11, end: 18 },
        ],
      },
      web_url: `${bank.baseUrl}/bank/ledger/-/blob/${'c'.repeat(40)}/ledger/balance.py#L3`,
      freshness: { synced_commit: null, last_sync_at: null, age_seconds: null },
    });
  });

  it('filters by names of repositories, group, branch, glob, languages and kinds', async () => {
    const paths = async (more: object) =>
      (await hitsOf({ query: 'cart sum', ...more })).map(({ path }) => path);
    expect(await paths({ repositories: ['bank/ledger'] })).toEqual(['ledger/balance.py']);
    expect(await paths({ repositories: ['bank/ledger@main', bank.id] })).toEqual(['ledger/balance.py']);
    expect(await paths({ group: 'bank' })).toEqual(['ledger/balance.py']);
    expect(await paths({ group: 'ban' })).toEqual([]);
    expect(await paths({ branch: 'other' })).toEqual([]);
    expect(await paths({ path_glob: 'src/**/*.ts' })).toEqual(['src/cart/total.ts']);
    expect((await paths({ languages: ['py', 'Markdown'] })).sort()).toEqual([
      'docs/cart.md',
      'ledger/balance.py',
    ]);
    expect(await paths({ language: 'TypeScript' })).toEqual(['src/cart/total.ts']);
    expect(await paths({ kinds: ['docs'] })).toEqual(['docs/cart.md']);
    expect(await paths({ changed_since: '2026-01-01T00:00:00Z' })).toEqual([]);
    expect(await paths({ min_score: 2 })).toEqual([]);
  });

  it('pages through all candidates without repeating one, and counts them', async () => {
    const query = { query: 'cart sum', limit: 1 };
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer = await search({ ...query, ...(cursor !== null && { cursor }) }).expect(200);
      const {
        items,
        next_cursor: next,
        facets,
      } = answer.body as {
        items: Hit[];
        next_cursor: string | null;
        facets: { kinds: object[]; languages: object[]; repositories: object[] };
      };
      seen.push(...items.map(({ path }) => path));
      expect(facets.kinds).toEqual([
        { value: 'code', count: 2 },
        { value: 'docs', count: 1 },
      ]);
      expect(facets.repositories[0]).toEqual({ value: shop.id, count: 2, name: 'shop/cart@main' });
      cursor = next;
    } while (cursor !== null);
    expect(seen.sort()).toEqual(['docs/cart.md', 'ledger/balance.py', 'src/cart/total.ts']);
  });

  it('refuses a regular expression with a fault, and options of another mode', async () => {
    const refused: [object, string, string, string][] = [
      [
        { query: 'fee(', mode: 'exact', regex: true },
        'pattern_invalid',
        'query',
        'missing closing ): `fee(`',
      ],
      [{ query: 'x', regex: true }, 'mode_mismatch', 'regex', 'mode is "hybrid"'],
      [{ query: 'x', mode: 'dense', ignore_case: true }, 'mode_mismatch', 'ignore_case', 'mode is "dense"'],
    ];
    for (const [wrong, code, field, fault] of refused) {
      const { body } = (await search(wrong)) as { body: object };
      expect(body).toMatchObject({ status: 422, code, errors: [{ field }] });
      expect(body).toMatchObject({ detail: expect.stringContaining(fault) });
    }
  });

  it('refuses a cursor of another query, an unknown repository and a broken glob', async () => {
    const answer = await search({ query: 'cart sum', limit: 1 });
    const { next_cursor: cursor } = answer.body as { next_cursor: string };
    const refused: [object, string, string][] = [
      [{ query: 'other', limit: 1, cursor }, 'cursor_invalid', 'cursor'],
      [{ query: 'x', cursor: 'x' }, 'cursor_invalid', 'cursor'],
      [{ query: 'x', repositories: ['no/project'] }, 'repository_not_found', 'repositories'],
      [{ query: 'x', path_glob: '!a' }, 'glob_invalid', 'path_glob'],
    ];
    for (const [wrong, code, field] of refused) {
      const answer = await search(wrong);
      expect(answer.body).toMatchObject({ status: 422, code, errors: [{ field }] });
    }
  });

  it('a search merges collections by score', async () => {
    const hits = await hitsOf({ query: 'sum of items and entries' });
    expect(new Set(hits.map(({ repository_id }) => repository_id)).size).toBe(2);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('applies repository_ids, path_prefix, language and limit', async () => {
    const query = 'cart total sum';
    const paths = async (more: object) => (await hitsOf({ query, ...more })).map(({ path }) => path);
    expect(await paths({ repository_ids: [bank.id] })).toEqual(['ledger/balance.py']);
    expect(await paths({ path_prefix: '/src/' })).toEqual(['src/cart/total.ts']);
    expect(await paths({ path_prefix: 'src/ca' })).toEqual([]);
    expect(await paths({ language: 'markdown' })).toEqual(['docs/cart.md']);
    expect(await paths({ limit: 1 })).toHaveLength(1);
    expect(await paths({ repository_ids: [UNKNOWN_ID] })).toEqual([]);
  });

  it('finds nothing in a repository without a run', async () => {
    const fresh = await api.register({ projectPath: 'shop/new', collectionName: 'not-made-yet' });
    expect(await hitsOf({ query: 'anything', repository_ids: [fresh.id] })).toEqual([]);
  });

  it('a search never shows a deleted repository, even before its points are purged', async () => {
    const doomed = await api.register({ projectPath: 'shop/doomed', collectionName: 'shop' });
    await store(doomed, 'src/zebra.ts', 'typescript', 'const zebraStripes = 1;');
    const found = async (more: object) => {
      const hits = await hitsOf({ query: 'zebra stripes', ...more });
      return hits.some(({ repository_id }) => repository_id === doomed.id);
    };
    expect(await found({})).toBe(true);
    await request(api.url)
      .delete(`/api/v1/repositories/${doomed.id}`)
      .set({ Authorization: api.authorization('admin') })
      .expect(204);
    expect(await found({})).toBe(false);
    expect(await found({ repository_ids: [doomed.id] })).toBe(false);
    // A hit in the deleted repository does not use up the limit either.
    expect(await hitsOf({ query: 'zebra stripes', path_prefix: 'src', limit: 1 })).toMatchObject([
      { repository_id: shop.id },
    ]);
  });

  it('sends no list of repositories to the vector store when no repository is deleted', async () => {
    const filters = await filtersOf(async () => {
      await hitsOf({ query: 'ledger balance', path_prefix: 'ledger' });
      await hitsOf({ query: 'ledger balance', repository_ids: [bank.id] });
    });
    expect(filters.get('bank')).toEqual([{ pathPrefix: 'ledger' }, { repositoryIds: [bank.id] }]);
  });

  it('sends the list of repositories to the vector store while a deleted one has points', async () => {
    const filters = await filtersOf(() => hitsOf({ query: 'zebra stripes', path_prefix: 'src', limit: 1 }));
    expect(filters.get('shop')).toEqual([
      { pathPrefix: 'src' },
      { pathPrefix: 'src', repositoryIds: expect.arrayContaining([shop.id]) },
    ]);
  });

  it('shows one hit of a text that several branches share, unless all are requested', async () => {
    const tables = { projectId: 70, projectPath: 'tide/tables', collectionName: 'tides' };
    const branches = await Promise.all(
      ['main', 'release', 'topic'].map((branch) => api.register({ ...tables, branch })),
    );
    const elsewhere = await api.register({ projectPath: 'tide/copy', collectionName: 'tides' });
    const shared = 'The moon draws the spring tide up the estuary.';
    for (const repository of [...branches, elsewhere]) await store(repository, 'moon.md', 'markdown', shared);
    await store(branches[1]!, 'sun.md', 'markdown', 'The sun draws the neap tide up the estuary.', 'n');

    const query = { query: 'what draws the tide up the estuary', limit: 3 };
    const placeOf = ({ project_path, branch, path }: Hit) => `${project_path}@${String(branch)}:${path}`;
    expect((await hitsOf(query)).map(placeOf).sort()).toEqual([
      'tide/copy@main:moon.md',
      'tide/tables@main:moon.md',
      'tide/tables@release:sun.md',
    ]);
    const all = (await hitsOf({ ...query, limit: 5, all_branches: true })).map(placeOf);
    expect(all.sort()).toEqual([
      'tide/copy@main:moon.md',
      'tide/tables@main:moon.md',
      'tide/tables@release:moon.md',
      'tide/tables@release:sun.md',
      'tide/tables@topic:moon.md',
    ]);
  });

  it('finds text literally or as a regular expression, with the lines of all matches', async () => {
    const found = async (body: object) =>
      (await hitsOf({ mode: 'exact', ...body })).map(({ path, matching_lines: lines }) => [path, lines]);
    await store(bank, 'src/two.py', 'python', 'a = Fee(1)\n\nb = fee(2)\nc = coffee(3)');
    expect(await found({ query: 'fee(' })).toEqual([['src/two.py', [5, 6]]]);
    expect(await found({ query: 'fee(', ignore_case: true })).toEqual([['src/two.py', [3, 5, 6]]]);
    expect(await found({ query: '^\\w = fee', regex: true })).toEqual([['src/two.py', [5]]]);
    expect(await found({ query: '^B = FEE', regex: true, ignore_case: true })).toEqual([['src/two.py', [5]]]);
    expect(await found({ query: 'fee(', repository_ids: [shop.id] })).toEqual([]);
    expect(await found({ query: 'fee(', path_glob: 'lib/**' })).toEqual([]);
    const [hit] = await hitsOf({ query: 'fee(2)', mode: 'exact' });
    expect(hit).toMatchObject({
      score: 0.75,
      scores: { dense: null, lexical: null, names: null, reranker: null },
    });
    expect(hit!['snippet']).toMatchObject({ highlights: [{ line: 5, start: 4, end: 10 }] });
    const answer = await search({ query: 'fee(', mode: 'exact' });
    expect(answer.body).toMatchObject({ is_complete: true });
  });

  it.each([
    [{}, 'query'],
    [{ query: '   ' }, 'query'],
    [{ query: 7 }, 'query'],
    [{ query: 'x', limit: 0 }, 'limit'],
    [{ query: 'x', limit: 101 }, 'limit'],
    [{ query: 'x', limit: '5' }, 'limit'],
    [{ query: 'x', repository_ids: ['7'] }, 'repository_ids'],
    [{ query: 'x', repository_ids: [] }, 'repository_ids'],
    [{ query: 'x', path_prefix: 'a\u0000' }, 'path_prefix'],
    [{ query: 'x', top: 5 }, 'top'],
  ])('a search with %j is refused', async (body, field) => {
    const answer = await search(body);
    expect(answer.body).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
  });

  it.each(['?', '…', '日本', '!'.repeat(5000)])('accepts any text, such as %j', async (query) => {
    await search({ query }).expect(200);
  });
});
