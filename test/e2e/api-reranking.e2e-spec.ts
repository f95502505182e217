import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ApiTokens } from '@adapters/postgres';
import { GenerationStore, type Repository } from '@core/domain';
import { type RerankingStandIn, startRerankingStandIn } from '@devkit';
import { hashToken } from '../../apps/server/src/access/api-token.js';
import { activeGeneration } from '../support/active-generation.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { metricOf } from '../support/scrape.js';
import { storeChunk } from '../support/stored-chunk.js';

const QUERY = 'how is the tide predicted';
/** A busy machine may be slow; two searches wait so long for a silent server. */
const TIMEOUT_MS = 4_000;

interface Answer {
  items: { path: string; score: number; scores: { reranker: number | null } }[];
  next_cursor: string | null;
  reranking: { status: string; candidates: number; error_code: string | null; error: string | null };
}

let reranker: RerankingStandIn;
let api: TestApi;
let harbour: Repository;
let secret: Repository;

/** The words of a file decide how well it answers, not those of the query. */
const BEST = 'moon gravity';
const scoreOf = (_: string, text: string) => (text.includes(BEST) ? 9 : -Number(/file(\d)/.exec(text)?.[1]));

async function store(repository: Repository, path: string, text: string): Promise<void> {
  const generation = await activeGeneration(api.get(GenerationStore), repository.collectionName);
  await storeChunk(api, generation, repository, { path, text });
}

async function search(body: object, authorization = api.authorization('viewer')): Promise<Answer> {
  const answer = await request(api.url)
    .post('/api/v1/search')
    .set({ authorization })
    .send({ query: QUERY, ...body })
    .expect(200);
  return answer.body as Answer;
}
const pathsOf = ({ items }: Answer) => items.map(({ path }) => path);

beforeAll(async () => {
  reranker = await startRerankingStandIn({ form: 'tei', scoreOf });
  const env = { RERANK_URL: reranker.url, RERANK_CANDIDATES: '3', RERANK_TIMEOUT_MS: String(TIMEOUT_MS) };
  api = await startTestApi({ env: { ...env, RERANK_MAX_CHARACTERS: '200' } });
  harbour = await api.register({ projectPath: 'harbour/tides', collectionName: 'tides' });
  secret = await api.register({ projectPath: 'bank/vault', collectionName: 'tides' });
  await store(harbour, 'file1.md', 'How is the tide predicted? The tide is predicted.');
  await store(harbour, 'file2.md', 'The tide is predicted by tables, how is described there.');
  await store(harbour, 'file3.md', `Predicted tide, from ${BEST} of all.`);
  await store(harbour, 'file4.md', 'A tide.');
  await store(secret, 'file5.md', `The tide of the vault is predicted with ${BEST} and a hidden key.`);
});
afterEach(() => {
  reranker.faults.clear();
  reranker.resetLog();
});
afterAll(async () => {
  await api.stop();
  await reranker.stop();
});

describe('reranking', () => {
  const own = () => ({ repository_ids: [harbour.id] });

  it('orders the candidates of a question by the reranker; the other hits follow', async () => {
    const off = await search({ ...own(), rerank: false });
    expect(off.reranking).toEqual({ status: 'off', candidates: 0, error_code: null, error: null });
    expect(reranker.work).toEqual([]);
    const answer = await search(own());
    expect(answer.reranking).toEqual({ status: 'applied', candidates: 3, error_code: null, error: null });
    const candidates = pathsOf(off).slice(0, 3);
    const place = (path: string) => (path === 'file3.md' ? 0 : Number(path[4]));
    const expected = candidates.toSorted((a, b) => place(a) - place(b));
    expect(pathsOf(answer)).toEqual([...expected, pathsOf(off)[3]]);
    expect(answer.items.map(({ scores }) => scores.reranker)).toEqual([
      9,
      expect.any(Number),
      expect.any(Number),
      null,
    ]);
    expect(answer.items.map(({ score }) => score).sort()).toEqual(off.items.map(({ score }) => score).sort());
  });

  it('sends nothing of repositories that the caller may not read', async () => {
    const clearText = randomBytes(24).toString('base64url');
    const owner = { name: 'harbour-master', role: 'viewer', createdBy: 'test', expiresAt: null } as const;
    const limits = { scope: ['harbour/*'], tokenHash: hashToken(clearText) };
    await api.get(ApiTokens).create({ ...owner, ...limits });
    await search(
      { query: 'how is the tide of the vault predicted with a hidden key' },
      `Bearer ${clearText}`,
    );
    expect(reranker.work).toHaveLength(1);
    expect(JSON.stringify(reranker.work[0]!.texts)).not.toMatch(/vault|hidden/);
  });

  it('sends the part of a long text that matches best, as well-formed text', async () => {
    const filler = `${'\u{1F30A}'.repeat(30)}\n`.repeat(40);
    await store(harbour, 'file6.md', `${filler}The pelican counts barnacles.\n${filler}`);
    await search({ ...own(), query: 'who counts barnacles of the pelican' });
    const text = reranker.work[0]!.texts.find((each) => each.startsWith('file6.md'))!;
    expect(text).toContain('The pelican counts barnacles.');
    expect(text.length).toBeLessThanOrEqual('file6.md\n'.length + 200);
    expect(text.isWellFormed()).toBe(true);
  });

  it('is for questions: names, words alone and exact text keep their order, unless a search asks for it', async () => {
    for (const body of [{ query: 'tide' }, { mode: 'lexical' }, { mode: 'exact', query: 'tide is' }])
      expect((await search({ ...own(), ...body })).reranking.status).toBe('off');
    expect(reranker.work).toEqual([]);
    expect((await search({ ...own(), query: 'tide', rerank: true })).reranking.status).toBe('applied');
    const refused = await request(api.url)
      .post('/api/v1/search')
      .set({ authorization: api.authorization('viewer') })
      .send({ query: 'tide', mode: 'exact', rerank: true });
    expect(refused.body).toMatchObject({ status: 422, code: 'mode_mismatch', errors: [{ field: 'rerank' }] });
  });

  it('pages in the order of the first page, with one request to the reranker', async () => {
    const query = 'when is a tide predicted by how many tables';
    const whole = pathsOf(await search({ ...own(), query }));
    reranker.resetLog();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await search({ ...own(), query, limit: 1, ...(cursor !== null && { cursor }) });
      seen.push(...pathsOf(page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(whole);
    expect(reranker.work).toEqual([]);
  });

  it('refuses a further page of reranked hits that it cannot order again', async () => {
    const query = 'how is the tide predicted today';
    const first = await search({ ...own(), query, limit: 1 });
    await store(harbour, 'file7.md', 'How the tide is predicted today, predicted today.');
    reranker.faults.add({ effect: { kind: 'status', status: 503 } });
    const further = await request(api.url)
      .post('/api/v1/search')
      .set({ authorization: api.authorization('viewer') })
      .send({ ...own(), query, limit: 1, cursor: first.next_cursor });
    expect(further.body).toMatchObject({ status: 503, code: 'reranker_unavailable' });
  });

  it('answers in the order without the reranker while that fails, says why, and stops trying for a while', async () => {
    const query = (words: string) => ({ ...own(), query: `how is the tide predicted ${words}` });
    const first = await search({ ...query('now'), limit: 1 });
    expect(first.reranking.status).toBe('applied');
    reranker.faults.add({ effect: { kind: 'stall' } });
    const off = await search({ ...query('one'), rerank: false });
    const slow = await search(query('one'));
    expect(slow.reranking).toMatchObject({
      status: 'failed',
      candidates: 0,
      error_code: 'reranker_unavailable',
    });
    expect(slow.reranking.error).toContain('RERANK_TIMEOUT_MS');
    expect(pathsOf(slow)).toEqual(pathsOf(off));
    // A cursor of this order continues in it.
    const unranked = await search({ ...query('two'), limit: 2 });
    reranker.faults.clear();
    reranker.faults.add({ effect: { kind: 'status', status: 500 } });
    const rest = await search({ ...query('two'), limit: 2, cursor: unranked.next_cursor });
    expect(rest.reranking.status).toBe('off');
    expect([...pathsOf(unranked), ...pathsOf(rest)]).toEqual(
      pathsOf(await search({ ...query('two'), rerank: false })).slice(0, 4),
    );
    expect((await search(query('three'))).reranking.error_code).toBe('reranker_unavailable');
    reranker.faults.clear();
    const paused = await search(query('four'));
    expect(paused.reranking).toMatchObject({ status: 'failed', error_code: 'reranker_paused' });
    expect(reranker.work).toHaveLength(1);
    const count = (outcome: string) => metricOf(api, 'repotide_rerankings_total', { outcome });
    expect(await Promise.all(['failed', 'paused'].map(count))).toEqual([4, 1]);
    expect(
      api.logger.lines.filter(({ message }) => message.startsWith('hits are not reranked')),
    ).toHaveLength(1);
  });
});
