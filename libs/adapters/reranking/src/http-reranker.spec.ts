import { afterEach, describe, expect, it } from '@jest/globals';
import { type RerankingStandIn, startRerankingStandIn } from '@devkit';
import { silentLogger } from '../../../../test/support/silent-logger.js';
import { HttpReranker, type HttpRerankerOptions } from './http-reranker.js';

const TEXTS = ['the cart has a total', 'renew the lease of a run', 'a lease'];
const QUERY = 'renew lease';
const never = new AbortController().signal;

let server: RerankingStandIn;
afterEach(() => server.stop());

async function start(
  form: 'tei' | 'cohere',
  changes: Partial<HttpRerankerOptions> = {},
  apiKey?: string,
): Promise<HttpReranker> {
  server = await startRerankingStandIn({ form, ...(apiKey !== undefined && { apiKey }) });
  return new HttpReranker({
    url: server.url,
    model: undefined,
    apiKey: undefined,
    tlsDir: undefined,
    timeoutMs: 2_000,
    logger: silentLogger,
    ...changes,
  });
}

describe('reranker over HTTP', () => {
  it('uses the API of Text Embeddings Inference without a model, and returns scores in the order of the texts', async () => {
    const reranker = await start('tei');
    expect(await reranker.rank(QUERY, TEXTS, never)).toEqual([0, 1, 0.5]);
    expect(server.work).toEqual([{ model: null, query: QUERY, texts: TEXTS }]);
  });

  it('uses the API of Cohere and Jina with a model', async () => {
    const reranker = await start('cohere', { model: 'jina-reranker', apiKey: 'jina_key' }, 'jina_key');
    expect(await reranker.rank(QUERY, TEXTS, never)).toEqual([0, 1, 0.5]);
    expect(server.work).toEqual([{ model: 'jina-reranker', query: QUERY, texts: TEXTS }]);
  });

  it.each([
    [401, 'unauthorized', 'reranker_key_rejected', 'RERANK_API_KEY'],
    [404, 'invalid', 'reranker_request_refused', 'RERANK_URL'],
    [424, 'invalid', 'reranker_request_refused', 'reranker model'],
    [429, 'rate_limited', 'reranker_rate_limited', 'RERANK_CANDIDATES'],
    [503, 'temporary', 'reranker_unavailable', '503'],
  ])('translates status %i', async (status, kind, code, words) => {
    const reranker = await start('tei');
    server.faults.add({
      effect: { kind: 'status', status, body: { error: 'a secret text of the request' } },
    });
    const failure = reranker.rank(QUERY, TEXTS, never);
    await expect(failure).rejects.toMatchObject({ kind, code, message: expect.stringContaining(words) });
    await expect(failure).rejects.not.toThrow('a secret text');
  });

  it('does not follow a redirect, and does not send the key there', async () => {
    const reranker = await start('tei', { apiKey: 'key' });
    const other = await startRerankingStandIn({ form: 'tei' });
    try {
      server.faults.add({ effect: { kind: 'redirect', to: other.url } });
      await expect(reranker.rank(QUERY, TEXTS, never)).rejects.toMatchObject({
        code: 'reranker_request_refused',
        message: expect.stringContaining('redirect'),
      });
      expect(other.work).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('says how many texts a server refused as too many', async () => {
    const reranker = await start('tei');
    const texts = Array.from({ length: 33 }, (_, index) => `text ${index}`);
    await expect(reranker.rank(QUERY, texts, never)).rejects.toMatchObject({
      code: 'reranker_request_refused',
      message: expect.stringContaining('RERANK_CANDIDATES'),
    });
  });

  it.each([{ kind: 'wrong_count' }, { kind: 'not_a_number' }, { kind: 'truncate', keepBytes: 9 }] as const)(
    'refuses an unusable answer: $kind',
    async (effect) => {
      const reranker = await start('tei');
      server.faults.add({ effect });
      await expect(reranker.rank(QUERY, TEXTS, never)).rejects.toMatchObject({
        kind: 'temporary',
        code: 'reranker_answer_invalid',
      });
    },
  );

  it('gives up after the time limit, and names it', async () => {
    const reranker = await start('tei', { timeoutMs: 100 });
    server.faults.add({ effect: { kind: 'stall' } });
    await expect(reranker.rank(QUERY, TEXTS, never)).rejects.toMatchObject({
      code: 'reranker_unavailable',
      message: expect.stringContaining('RERANK_TIMEOUT_MS'),
    });
  });

  it('ends with the caller', async () => {
    const reranker = await start('tei');
    server.faults.add({ effect: { kind: 'stall' } });
    const caller = new AbortController();
    const failure = reranker.rank(QUERY, TEXTS, caller.signal);
    caller.abort();
    await expect(failure).rejects.toMatchObject({ kind: 'cancelled' });
  });
});
