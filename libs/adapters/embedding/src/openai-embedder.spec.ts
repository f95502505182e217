import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Logger, RepotideError } from '@core/domain';
import { embeddingOf, type EmbeddingStandIn, startEmbeddingStandIn } from '@devkit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ownLimiter } from '../../../../test/support/limiter.js';
import { OpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

const MODEL = 'text-embedding-3-small';
const KEY = 'sk-hush-hush';
const RETRY = { attempts: 3, firstDelayMs: 1, longestDelayMs: 5000 };
const never = new AbortController().signal;

let standIn: EmbeddingStandIn;

beforeEach(async () => {
  standIn = await startEmbeddingStandIn({ apiKey: KEY });
});
afterEach(() => standIn.stop());

function embedderWith(options: Partial<OpenAiEmbedderOptions> = {}) {
  return new OpenAiEmbedder({
    url: standIn.url,
    model: MODEL,
    apiKey: KEY,
    batchSize: 32,
    concurrency: 4,
    timeoutSeconds: 30,
    limiter: ownLimiter(),
    retry: RETRY,
    ...options,
  });
}

async function failureOf(work: Promise<unknown>): Promise<RepotideError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RepotideError) return error;
  throw new Error('expected a RepotideError', { cause: error });
}

function textsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `text ${index}\nsecond line`);
}

describe('embed', () => {
  it('gives the vector of each text in order, over several batches', async () => {
    const texts = textsOf(25);
    const vectors = await embedderWith({ batchSize: 4 }).embed(texts, 'document', never);
    expect(vectors).toEqual(texts.map((text) => embeddingOf(MODEL, text, 1536)));
    expect(standIn.totals()).toMatchObject({ requests: 7, texts: 25 });
  });

  it('sends no request for no texts', async () => {
    expect(await embedderWith().embed([], 'document', never)).toEqual([]);
    expect(standIn.requests).toHaveLength(0);
  });

  it('sorts an answer by its index', async () => {
    standIn.faults.add({ effect: { kind: 'reversed' } });
    const texts = textsOf(5);
    const vectors = await embedderWith().embed(texts, 'document', never);
    expect(vectors).toEqual(texts.map((text) => embeddingOf(MODEL, text, 1536)));
  });

  it('limits a batch by its bytes too', async () => {
    const texts = Array<string>(24).fill('x'.repeat(30_000));
    await embedderWith({ batchSize: 100 }).embed(texts, 'document', never);
    const sizes = standIn.work.map(({ contentHashes }) => contentHashes.length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([17, 7]);
  });

  it('requests a shorter vector if the model supports it', async () => {
    const embedder = embedderWith({ dimensions: 256 });
    expect(embedder.model).toEqual({ id: `${MODEL}@256`, dimensions: 256, maxInputTokens: 8192 });
    const [vector] = await embedder.embed(['a'], 'query', never);
    expect(vector).toEqual(embeddingOf(MODEL, 'a', 256));
  });

  it('does not send the length that the model has by default', async () => {
    const embedder = embedderWith({ model: 'text-embedding-ada-002', dimensions: 1536 });
    await embedder.embed(['a'], 'document', never);
    expect(standIn.requests.map(({ status }) => status)).toEqual([200]);
  });

  it('stops sending a length that the server refuses', async () => {
    standIn.settings.models.push({ id: 'house-model', dimensions: 64, canShorten: false });
    const embedder = embedderWith({ model: 'house-model', dimensions: 64 });
    expect(await embedder.embed(['a'], 'document', never)).toEqual([embeddingOf('house-model', 'a', 64)]);
    await embedder.embed(['b'], 'document', never);
    expect(standIn.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  });

  it('embeds the beginning of a text that is too long, and the other texts completely', async () => {
    const warnings: string[] = [];
    const tell = (_fields: object, message: string) => void warnings.push(message);
    const logger: Logger = { debug: tell, info: tell, warn: tell, error: tell, child: () => logger };
    const long = 'long '.repeat(8000);
    const texts = ['a', 'b', long, 'c', ''];
    const vectors = await embedderWith({ logger }).embed(texts, 'document', never);
    const expected = ['a', 'b', long.slice(0, long.length / 2), 'c', '(blank)'];
    expect(vectors).toEqual(expected.map((text) => embeddingOf(MODEL, text, 1536)));
    expect(warnings).toEqual([expect.stringContaining('CHUNK_SIZE')]);
  });

  it('limits its parallel requests, however many callers there are', async () => {
    const live = await startSlowServer();
    try {
      const embedder = embedderWith({ url: live.url, dimensions: 2, batchSize: 1, concurrency: 3 });
      await Promise.all([1, 2, 3].map(() => embedder.embed(textsOf(5), 'document', never)));
      expect(live.counts()).toEqual({ served: 15, most: 3 });
    } finally {
      live.stop();
    }
  });
});

describe('probe', () => {
  it('finds the length of an unknown model once', async () => {
    standIn.settings.models.push({ id: 'house-model', dimensions: 48, canShorten: false });
    const embedder = embedderWith({ model: 'house-model' });
    expect(() => embedder.model).toThrow('EMBEDDING_DIMENSIONS');
    await embedder.embed(['a'], 'document', never);
    expect(await embedder.probe(never)).toEqual({
      id: 'house-model@48',
      dimensions: 48,
      maxInputTokens: null,
    });
    expect(embedder.model.dimensions).toBe(48);
    expect(standIn.totals().requests).toBe(2);
  });

  it('sends no request for a known model', async () => {
    expect(await embedderWith().probe(never)).toMatchObject({ dimensions: 1536 });
    expect(standIn.requests).toHaveLength(0);
  });
});

describe('an answer that cannot be used', () => {
  it.each([
    ['wrong_count', { kind: 'wrong_count' }, '1 vectors for 2 texts'],
    ['null', { kind: 'not_a_number', as: 'null' }, 'holds null'],
    ['a bare NaN', { kind: 'not_a_number', as: 'NaN' }, 'not JSON'],
    ['zero_vector', { kind: 'zero_vector' }, 'all zero'],
    ['truncate', { kind: 'truncate', keepBytes: 200 }, 'not JSON'],
  ] as const)('is refused: %s', async (_name, effect, words) => {
    standIn.faults.add({ effect });
    const error = await failureOf(embedderWith().embed(['a', 'b'], 'document', never));
    expect(error).toMatchObject({ kind: 'internal', code: 'embedding_answer_invalid' });
    expect(error.message).toContain(words);
  });

  it('names found and expected dimensions and the setting', async () => {
    standIn.faults.add({ effect: { kind: 'wrong_dimension' } });
    const error = await failureOf(embedderWith().embed(['a'], 'document', never));
    expect(error).toMatchObject({
      kind: 'invalid',
      code: 'embedding_dimension_mismatch',
      details: { found_dimensions: 1535, expected_dimensions: 1536 },
    });
    expect(error.message).toMatch(/found 1535 dimensions, expected 1536.*EMBEDDING_DIMENSIONS=1535/);
  });

  it('is refused when it is a web page', async () => {
    const page = { kind: 'status', status: 200, body: '<html>Welcome</html>' } as const;
    standIn.faults.add({ effect: page });
    const error = await failureOf(embedderWith().embed(['a'], 'document', never));
    expect(error.code).toBe('embedding_answer_invalid');
  });
});

describe('failure', () => {
  it.each([
    ['a passing 503', { kind: 'status', status: 503 }],
    ['a passing 429', { kind: 'status', status: 429, retryAfterSeconds: 0 }],
    ['a broken connection', { kind: 'cut' }],
    ['a connection broken within the answer', { kind: 'cut', afterBytes: 500 }],
  ] as const)('is survived: %s', async (_name, effect) => {
    standIn.faults.add({ times: 2, effect });
    const [vector] = await embedderWith().embed(['a'], 'document', never);
    expect(vector).toEqual(embeddingOf(MODEL, 'a', 1536));
    expect(standIn.requests).toHaveLength(3);
  });

  it.each([
    // One extra request, which shows whether another text fails too.
    [500, 'temporary', 'embedding_unavailable', 4],
    [503, 'temporary', 'embedding_unavailable', 3],
    [401, 'unauthorized', 'embedding_key_rejected', 1],
    [403, 'unauthorized', 'embedding_key_rejected', 1],
    [404, 'invalid', 'embedding_request_refused', 1],
    [429, 'rate_limited', 'embedding_rate_limited', 3],
  ])('with status %i is %s %s after %i requests', async (status, kind, code, requests) => {
    standIn.faults.add({ effect: { kind: 'status', status } });
    const error = await failureOf(embedderWith().embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind, code, details: { status } });
    expect(standIn.requests).toHaveLength(requests);
  });

  it('with a long Retry-After is thrown with the time', async () => {
    standIn.faults.add({ effect: { kind: 'status', status: 429, retryAfterSeconds: 3600 } });
    const before = Date.now();
    const error = await failureOf(embedderWith().embed(['a'], 'document', never));
    expect(error.retryAt?.getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(standIn.requests).toHaveLength(1);
  });

  it('is not retried when the account is out of credit', async () => {
    const body = { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } };
    standIn.faults.add({ effect: { kind: 'status', status: 429, body } });
    const error = await failureOf(embedderWith().embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind: 'forbidden', code: 'embedding_quota_exhausted' });
    expect(standIn.requests).toHaveLength(1);
  });

  it('quotes the server without the key', async () => {
    const body = { object: 'error', message: `no model for ${KEY}\n here`, code: 400 };
    standIn.faults.add({ effect: { kind: 'status', status: 400, body } });
    const error = await failureOf(embedderWith().embed(['secret file text'], 'document', never));
    expect(error.message).toContain('answered 400: "no model for *** here"');
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hush|secret file text/);
  });

  it('distinguishes one refused text from a server that refuses all', async () => {
    standIn.settings.refusedTexts = /text 3/;
    const refused = await failureOf(embedderWith().embed(textsOf(6), 'document', never));
    expect(refused).toMatchObject({ kind: 'invalid', code: 'embedding_text_refused' });
    expect(refused.message).toContain('content policy');
    standIn.settings.refusedTexts = /./;
    const all = await failureOf(embedderWith().embed(textsOf(6), 'document', never));
    expect(all).toMatchObject({ kind: 'invalid', code: 'embedding_request_refused' });
  });

  it.each(['status 500', 'zeros'] as const)(
    'distinguishes one text that the model cannot embed (%s) from a server in trouble',
    async (as) => {
      const texts = textsOf(6);
      standIn.settings.poisonedTexts = { pattern: /text 3/, as };
      const poisoned = await failureOf(embedderWith().embed(texts, 'document', never));
      expect(poisoned).toMatchObject({ kind: 'invalid', code: 'embedding_text_refused' });
      expect(await embedderWith().embed(texts.toSpliced(3, 1), 'document', never)).toHaveLength(5);
      standIn.settings.poisonedTexts = { pattern: /./, as };
      const all = await failureOf(embedderWith().embed(texts, 'document', never));
      expect(all.code).toBe(as === 'zeros' ? 'embedding_answer_invalid' : 'embedding_unavailable');
    },
  );

  it('at a redirect does not send the key elsewhere', async () => {
    const elsewhere = await startEmbeddingStandIn();
    try {
      standIn.faults.add({ effect: { kind: 'redirect', to: elsewhere.url } });
      const error = await failureOf(embedderWith().embed(['a'], 'document', never));
      expect(error).toMatchObject({ kind: 'invalid', code: 'embedding_request_refused' });
      expect(error.message).toContain('EMBEDDING_URL');
      expect(elsewhere.requests).toHaveLength(0);
    } finally {
      await elsewhere.stop();
    }
  });

  it('names an unreachable server', async () => {
    const { url } = standIn;
    await standIn.stop();
    const error = await failureOf(embedderWith({ url }).embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind: 'temporary', code: 'embedding_unavailable' });
    expect(error.message).toMatch(/could not be reached \(ECONNREFUSED\).*EMBEDDING_URL/);
  });

  it.each([
    ['before', { kind: 'stall' }],
    ['within', { kind: 'stall', afterBytes: 100 }],
  ] as const)('is a timeout when the server stalls %s the answer', async (_name, effect) => {
    standIn.faults.add({ effect });
    const embedder = embedderWith({ timeoutSeconds: 0.2, retry: { ...RETRY, attempts: 1 } });
    const error = await failureOf(embedder.embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind: 'temporary', code: 'embedding_unavailable' });
    expect(error.message).toMatch(/within 0.2 s.*REQUEST_TIMEOUT_SECONDS/);
  });

  it('of one batch stops the other batches', async () => {
    standIn.faults.add({ times: 1, effect: { kind: 'status', status: 404 } });
    standIn.faults.add({ effect: { kind: 'stall' } });
    const error = await failureOf(embedderWith({ batchSize: 1 }).embed(textsOf(12), 'document', never));
    expect(error.code).toBe('embedding_request_refused');
    expect(standIn.requests.length).toBeLessThanOrEqual(4);
  });
});

describe('cancellation', () => {
  it.each([
    ['an answer', { kind: 'stall' }],
    ['the rest of an answer', { kind: 'stall', afterBytes: 100 }],
    ['the time to try again', { kind: 'status', status: 429, retryAfterSeconds: 4 }],
  ] as const)('ends the wait for %s', async (_name, effect) => {
    standIn.faults.add({ effect });
    const controller = new AbortController();
    const work = failureOf(embedderWith().embed(textsOf(3), 'document', controller.signal));
    while (standIn.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new RepotideError('fence_lost', 'fence_lost', 'gone'));
    expect(await work).toMatchObject({ kind: 'fence_lost' });
    expect(standIn.requests).toHaveLength(1);
  });

  it('before the call sends no request', async () => {
    const signal = AbortSignal.abort(new RepotideError('cancelled', 'cancelled', 'gone'));
    expect(await failureOf(embedderWith().embed(['a'], 'query', signal))).toMatchObject({
      kind: 'cancelled',
    });
    expect(standIn.requests).toHaveLength(0);
  });
});

describe('the key', () => {
  it('is not taken from OPENAI_API_KEY', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-of-somebody-else';
    try {
      const error = await failureOf(embedderWith({ apiKey: undefined }).embed(['a'], 'query', never));
      expect(error.message).toContain('EMBEDDING_API_KEY is not set');
      expect(standIn.requests).toMatchObject([{ token: 'absent' }]);
    } finally {
      delete process.env['OPENAI_API_KEY'];
    }
  });
});

/** Answers three requests together, a moment after the third has come: shows how many are under way at once. */
async function startSlowServer() {
  let served = 0;
  let most = 0;
  const live = new Set<ServerResponse>();
  const answerAll = (): void => {
    for (const response of live) {
      served += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] }));
    }
    live.clear();
  };
  const server = createServer((request, response) => {
    request.resume();
    live.add(response);
    most = Math.max(most, live.size);
    if (live.size === 3) setTimeout(answerAll, 20);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/v1`, counts: () => ({ served, most }), stop };
}
