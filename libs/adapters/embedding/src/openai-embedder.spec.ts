import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { cosineOf, type EmbeddedText, RepotideError } from '@core/domain';
import { embeddingOf, type EmbeddingStandIn, LENGTH_REFUSALS, startEmbeddingStandIn } from '@devkit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { memoryRegistry } from '../../../../test/support/model-registry.js';
import { testEmbedder } from '../../../../test/support/test-embedder.js';
import { prefixesOf } from './known-models.js';
import { CANARY } from './model-identity.js';
import { type OpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

const MODEL = 'text-embedding-3-small';
const KEY = 'sk-hush-hush';
const RETRY = { attempts: 3, firstDelayMs: 1, longestDelayMs: 5000 };
const never = new AbortController().signal;

let standIn: EmbeddingStandIn;
/** Knows which model the server runs, so that a test counts only its own requests. */
let embedder: OpenAiEmbedder;

beforeEach(async () => {
  standIn = await startEmbeddingStandIn({ apiKey: KEY });
  embedder = await identified();
});
afterEach(() => standIn.stop());

function embedderWith(options: Partial<OpenAiEmbedderOptions> = {}) {
  return testEmbedder({ url: standIn.url, apiKey: KEY, retry: RETRY, ...options });
}

async function identified(options: Partial<OpenAiEmbedderOptions> = {}) {
  const embedder = embedderWith(options);
  await embedder.identify(never);
  standIn.resetLog();
  return embedder;
}

/** One result per text: the error's code, or whether the vector is right. */
function outcomesOf(texts: readonly string[], results: readonly EmbeddedText[], dimensions = 1536) {
  return results.map((result, index) =>
    result instanceof RepotideError
      ? result.code
      : cosineOf(result, embeddingOf(MODEL, texts[index]!, dimensions)) >= 0.9999,
  );
}

async function failureOf(work: Promise<unknown>): Promise<RepotideError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RepotideError) return error;
  throw new Error('expected a RepotideError', { cause: error });
}

/** Fails fast, so that isolating texts is tried often. */
const hastyEmbedder = () => embedderWith({ batchSize: 8, retry: { ...RETRY, attempts: 2 } });

function textsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `text ${index}\nsecond line`);
}

describe('embed', () => {
  it('gives the vector of each text in order, over several batches', async () => {
    const texts = textsOf(25);
    const vectors = await (await identified({ batchSize: 4 })).embed(texts, 'document', never);
    expect(vectors).toEqual(texts.map((text) => embeddingOf(MODEL, text, 1536)));
    expect(standIn.totals()).toMatchObject({ requests: 7, texts: 25 });
  });

  it('sends no request for no texts', async () => {
    expect(await embedder.embed([], 'document', never)).toEqual([]);
    expect(standIn.requests).toHaveLength(0);
  });

  it('sorts an answer by its index', async () => {
    standIn.faults.add({ effect: { kind: 'reversed' } });
    const texts = textsOf(5);
    const vectors = await embedder.embed(texts, 'document', never);
    expect(vectors).toEqual(texts.map((text) => embeddingOf(MODEL, text, 1536)));
  });

  it('limits a batch by its bytes too', async () => {
    const texts = Array<string>(24).fill('x'.repeat(30_000));
    const large = await identified({ batchSize: 100 });
    await large.embed(texts, 'document', never);
    const sizes = standIn.work.map(({ contentHashes }) => contentHashes.length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([17, 7]);
  });

  it('requests a shorter vector if the model supports it', async () => {
    const shorter = await identified({ dimensions: 256 });
    expect(shorter.model).toEqual({ id: `${MODEL}@256`, dimensions: 256, maxInputTokens: 8192 });
    const [vector] = await shorter.embed(['a'], 'query', never);
    expect(vector).toEqual(embeddingOf(MODEL, 'a', 256));
  });

  it('does not send the length that the model has by default', async () => {
    const ada = await identified({ model: 'text-embedding-ada-002', dimensions: 1536 });
    await ada.embed(['a'], 'document', never);
    expect(standIn.requests.map(({ status }) => status)).toEqual([200]);
  });

  it('stops sending a length that the server refuses', async () => {
    standIn.settings.models.push({ id: 'house-model', dimensions: 64, canShorten: false });
    const house = embedderWith({ model: 'house-model', dimensions: 64 });
    await house.identify(never);
    expect(await house.embed(['a'], 'document', never)).toEqual([embeddingOf('house-model', 'a', 64)]);
    expect(standIn.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  });

  it('limits its parallel requests, however many callers there are', async () => {
    const live = await startSlowServer();
    try {
      const options = { url: live.url, model: 'any', dimensions: 2, batchSize: 1, concurrency: 3 };
      const busy = embedderWith(options);
      // Each begins with a question for the model.
      await Promise.all([1, 2, 3].map(() => busy.embed(textsOf(5), 'document', never)));
      expect(live.counts()).toEqual({ served: 18, most: 3 });
    } finally {
      live.stop();
    }
  });
});

describe('the model', () => {
  const HOUSE = { id: 'house-model', dimensions: 48, canShorten: false };
  const registry = () => memoryRegistry();

  it('of unknown length takes one request, also for later processes', async () => {
    standIn.settings.models.push(HOUSE);
    const options = { model: 'house-model', registry: registry() };
    const first = embedderWith(options);
    expect(() => first.model).toThrow('EMBEDDING_DIMENSIONS');
    await first.open(never);
    expect(first.model).toEqual({ id: 'house-model@48', dimensions: 48, maxInputTokens: null });
    const second = embedderWith(options);
    await second.open(never);
    expect(second.model).toEqual(first.model);
    expect(standIn.totals().requests).toBe(1);
  });

  it('that is known takes no request at start', async () => {
    const known = embedderWith();
    await known.open(never);
    expect(known.model.dimensions).toBe(1536);
    expect(standIn.requests).toHaveLength(0);
  });

  it('under the same name with other weights is another model, with its own id', async () => {
    standIn.settings.models = [HOUSE];
    const options = { model: 'house-model', registry: registry() };
    const house = await identified(options);
    standIn.settings.models = [{ ...HOUSE, weights: 'newer' }];
    expect(await failureOf(house.confirm(never))).toMatchObject({
      kind: 'temporary',
      code: 'embedding_model_changed',
      details: { former_model: 'house-model@48', found_model: 'house-model@48#2' },
    });
    expect(house.model.id).toBe('house-model@48#2');
    await house.confirm(never);
    standIn.settings.models = [HOUSE];
    await failureOf(house.confirm(never));
    expect(house.model.id).toBe('house-model@48');
  });

  it('of other dimensions under the same name is another model, unless a length is set', async () => {
    standIn.settings.models = [HOUSE];
    const house = await identified({ model: 'house-model' });
    const fixed = await identified({ model: 'house-model', dimensions: 48 });
    standIn.settings.models = [{ ...HOUSE, dimensions: 64 }];
    expect(await failureOf(house.confirm(never))).toMatchObject({ code: 'embedding_model_changed' });
    expect(house.model).toMatchObject({ id: 'house-model@64', dimensions: 64 });
    expect(await failureOf(fixed.confirm(never))).toMatchObject({ code: 'embedding_dimension_mismatch' });
  });

  it('is the same after rounding differences', async () => {
    const shared = registry();
    const seen = { name: '["house-model","",""]', server: standIn.url, dimensions: 48, limits: {} };
    const canary = embeddingOf('house-model', CANARY, 48).map(
      (value, index) => value * (1 + (index % 3) / 1000),
    );
    await shared.add({ ...seen, id: 'house-model@48', canary });
    standIn.settings.models = [HOUSE];
    expect((await identified({ model: 'house-model', registry: shared })).model.id).toBe('house-model@48');
  });

  it('that must be a certain one gives no vector of another one', async () => {
    const options = { model: 'house-model', registry: registry() };
    standIn.settings.models = [HOUSE];
    await identified(options);
    standIn.settings.models = [{ ...HOUSE, weights: 'newer' }];
    const former = embedderWith({ ...options, dimensions: 48, modelId: 'house-model@48' });
    const error = await failureOf(former.embed(['query'], 'query', never));
    expect(error).toMatchObject({ code: 'embedding_model_changed' });
    expect(former.model.id).toBe('house-model@48');
  });

  it('is checked after a broken connection, before the vectors are used', async () => {
    standIn.settings.models = [HOUSE];
    const house = await identified({ model: 'house-model' });
    const work = house.embed(['a'], 'document', never);
    standIn.faults.add({ times: 1, effect: { kind: 'cut' } });
    standIn.settings.models = [{ ...HOUSE, weights: 'newer' }];
    expect(await failureOf(work)).toMatchObject({ code: 'embedding_model_changed' });
  });

  it.each([
    ['intfloat/multilingual-e5-small', 'query: ', 'passage: '],
    ['intfloat/multilingual-e5-large-instruct', /^Instruct: .*\nQuery: /, ''],
    ['BAAI/bge-small-en-v1.5', 'Represent this sentence for searching relevant passages: ', ''],
    ['BAAI/bge-m3', '', ''],
    ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
    ['Qwen/Qwen3-Embedding-0.6B', /^Instruct: .*\nQuery:/, ''],
    ['qwen3-embedding:0.6b', /^Instruct: .*\nQuery:/, ''],
    ['mxbai-embed-large:latest', 'Represent this sentence for searching relevant passages: ', ''],
    ['Snowflake/snowflake-arctic-embed-l-v2.0', 'query: ', ''],
    ['thenlper/gte-large', '', ''],
  ])('%s gets texts with the words that it was trained with', async (model, query, document) => {
    standIn.settings.models = [{ id: model, dimensions: 8, canShorten: false }];
    const own = await identified({ model, dimensions: 8 });
    const plain = await identified({ model, dimensions: 8, usesPrefixes: false });
    const hasPrefixes = query !== '' || document !== '';
    expect(own.model.id === plain.model.id).toBe(!hasPrefixes);
    expect(plain.model.id).toBe(`${model}@8`);
    const prefixed = (prefix: string | RegExp) =>
      typeof prefix === 'string' ? prefix : prefix.exec(prefixesOf(model).query)![0];
    const [asQuery] = await own.embed(['text'], 'query', never);
    const [asDocument] = await own.embed(['text'], 'document', never);
    expect(asQuery).toEqual(embeddingOf(model, `${prefixed(query)}text`, 8));
    expect(asDocument).toEqual(embeddingOf(model, `${prefixed(document)}text`, 8));
  });
});

describe('a text that is too long', () => {
  const long = 'long '.repeat(500);
  const texts = ['a', 'b', long, 'c'];

  it.each(Object.entries(LENGTH_REFUSALS))(
    'for a server that refuses it as %s does has no vector, and the others have theirs',
    async (_name, refusal) => {
      Object.assign(standIn.settings, { maxInputTokens: 512, longTexts: refusal });
      const results = await embedder.embed(texts, 'document', never);
      expect(outcomesOf(texts, results)).toEqual([true, true, 'embedding_text_too_long', true]);
    },
  );

  it.each(['embedded', 'sent', 'none'] as const)(
    'for a server that cuts it without an error is never embedded in part (usage: %s)',
    async (usage) => {
      Object.assign(standIn.settings, { maxInputTokens: 512, longTexts: 'cut', usage });
      const fitting = await embedder.longestChunk(7000, never);
      expect(fitting).toBeLessThanOrEqual(512 * 4);
      expect(fitting).toBeGreaterThan(1000);
      const chunks = ['x'.repeat(fitting), 'short', '検索'.repeat(2000)];
      const results = await embedder.embed(chunks, 'document', never);
      expect(outcomesOf(chunks, results)).toEqual([true, true, 'embedding_text_too_long']);
    },
  );

  it('is found by the count of its tokens when the server begins to cut', async () => {
    expect(await embedder.longestChunk(7000, never)).toBe(7000);
    Object.assign(standIn.settings, { maxInputTokens: 100, longTexts: 'cut' });
    const error = await failureOf(embedder.embed(['a', 'x'.repeat(7000)], 'document', never));
    expect(error).toMatchObject({ kind: 'temporary', code: 'embedding_text_cut' });
    expect(await embedder.longestChunk(7000, never)).toBe(300);
  });

  it('is not suspected because it has few tokens', async () => {
    standIn.settings.charactersPerToken = 20;
    const words = ['many visible characters in each token '.repeat(20)];
    expect(outcomesOf(words, await embedder.embed(words, 'document', never))).toEqual([true]);
  });
});

describe('the longest chunk', () => {
  it('is probed with two texts once, for all processes', async () => {
    const registry = memoryRegistry();
    const first = await identified({ registry });
    expect(await first.longestChunk(7000, never)).toBe(7000);
    expect(standIn.totals()).toMatchObject({ requests: 1, texts: 2 });
    const second = await identified({ registry });
    expect(await second.longestChunk(7000, never)).toBe(7000);
    expect(standIn.totals().texts).toBe(0);
  });

  it('is estimated, without a request, from the known limit of the model', async () => {
    const small = await identified({ maxInputTokens: 512 });
    expect(await small.longestChunk(7000, null)).toBe(1536);
    expect(standIn.totals().texts).toBe(0);
  });

  it('follows the limit that a refusal states', async () => {
    Object.assign(standIn.settings, { maxInputTokens: 512 });
    expect(await embedder.longestChunk(7000, never)).toBe(1536);
  });

  it('is halved until a server takes it that states no limit', async () => {
    Object.assign(standIn.settings, { maxInputTokens: 512, longTexts: LENGTH_REFUSALS.Ollama });
    expect(await embedder.longestChunk(7000, never)).toBe(1750);
  });

  it('stays as it is when the vectors of the server do not depend on the text', async () => {
    standIn.settings.poisonedTexts = { pattern: /./, as: 'equal' };
    expect(await embedder.longestChunk(7000, never)).toBe(7000);
  });
});

describe('an answer that cannot be used', () => {
  const answers = [
    ['wrong_count', { kind: 'wrong_count' }, '1 vectors for 2 texts'],
    ['null', { kind: 'not_a_number', as: 'null' }, 'holds null'],
    ['a bare NaN', { kind: 'not_a_number', as: 'NaN' }, 'not JSON'],
    ['zero_vector', { kind: 'zero_vector' }, 'all zero'],
    ['wrong_dimension', { kind: 'wrong_dimension' }, 'found 1535 dimensions'],
    ['truncate', { kind: 'truncate', keepBytes: 200 }, 'not JSON'],
  ] as const;

  it.each(answers)('fails the run when it stays so: %s', async (name, effect, words) => {
    standIn.faults.add({ effect });
    const error = await failureOf(embedder.embed(['a', 'b'], 'document', never));
    const isLength = name === 'wrong_dimension';
    expect(error).toMatchObject(
      isLength
        ? { kind: 'invalid', code: 'embedding_dimension_mismatch' }
        : { kind: 'temporary', code: 'embedding_answer_invalid' },
    );
    expect(error.message).toContain(words);
  });

  it.each(answers)('is requested again: %s', async (...[, effect]) => {
    standIn.faults.add({ times: 1, effect });
    const results = await embedder.embed(['a', 'b'], 'document', never);
    expect(outcomesOf(['a', 'b'], results)).toEqual([true, true]);
    expect(standIn.totals().requests).toBe(2);
  });

  it('is never used in part: of many answers of which most are wrong, each vector is that of its whole text', async () => {
    standIn.faults.add({ share: 0.25, effect: { kind: 'not_a_number', as: 'NaN' } });
    standIn.faults.add({ share: 1 / 3, effect: { kind: 'wrong_count' } });
    standIn.faults.add({ share: 1 / 2, effect: { kind: 'status', status: 500 } });
    const texts = textsOf(60);
    const found = new Set<string>();
    for (let run = 0; run < 20; run++) {
      const some = texts.slice(run * 3, run * 3 + 3);
      const work: Promise<EmbeddedText[]> = hastyEmbedder().embed(some, 'document', never);
      const results = await work.catch((error: RepotideError) => [error]);
      for (const outcome of outcomesOf(some, results)) found.add(String(outcome));
    }
    expect(found).toContain('true');
    expect(found).not.toContain('false');
    standIn.faults.clear();
    const healthy = await embedder.embed(texts, 'document', never);
    expect(outcomesOf(texts, healthy).every((outcome) => outcome === true)).toBe(true);
  });

  it('is refused when it is a web page', async () => {
    const page = { kind: 'status', status: 200, body: '<html>Welcome</html>' } as const;
    standIn.faults.add({ effect: page });
    const error = await failureOf(embedder.embed(['a'], 'document', never));
    expect(error.code).toBe('embedding_answer_invalid');
  });
});

describe('failure', () => {
  it.each([
    ['a passing 500', { kind: 'status', status: 500 }, 3],
    ['a passing 429', { kind: 'status', status: 429, retryAfterSeconds: 0 }, 3],
    // One more request, which shows that the server was not replaced by one with another model.
    ['a passing 503', { kind: 'status', status: 503 }, 4],
    ['a broken connection', { kind: 'cut' }, 4],
    ['a connection broken within the answer', { kind: 'cut', afterBytes: 500 }, 4],
  ] as const)('is survived: %s', async (_name, effect, requests) => {
    standIn.faults.add({ times: 2, effect });
    const [vector] = await embedder.embed(['a'], 'document', never);
    expect(vector).toEqual(embeddingOf(MODEL, 'a', 1536));
    expect(standIn.requests).toHaveLength(requests);
  });

  it.each([
    // Half of the requests send another text: when it fails too, the first text is not the cause.
    [500, 'temporary', 'embedding_unavailable', 6],
    [503, 'temporary', 'embedding_unavailable', 6],
    [401, 'unauthorized', 'embedding_key_rejected', 1],
    [403, 'unauthorized', 'embedding_key_rejected', 1],
    [404, 'invalid', 'embedding_request_refused', 1],
    [429, 'rate_limited', 'embedding_rate_limited', 3],
  ])('with status %i is %s %s after %i requests', async (status, kind, code, requests) => {
    standIn.faults.add({ effect: { kind: 'status', status } });
    const error = await failureOf(embedder.embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind, code, details: { status } });
    expect(standIn.requests).toHaveLength(requests);
  });

  it('with a long Retry-After is thrown with the time', async () => {
    standIn.faults.add({ effect: { kind: 'status', status: 429, retryAfterSeconds: 3600 } });
    const before = Date.now();
    const error = await failureOf(embedder.embed(['a'], 'document', never));
    expect(error.retryAt?.getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(standIn.requests).toHaveLength(1);
  });

  it('is not retried when the account is out of credit', async () => {
    const body = { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } };
    standIn.faults.add({ effect: { kind: 'status', status: 429, body } });
    const error = await failureOf(embedder.embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind: 'forbidden', code: 'embedding_quota_exhausted' });
    expect(standIn.requests).toHaveLength(1);
  });

  it('names the status, and repeats nothing of what the server answered', async () => {
    const body = { object: 'error', message: `no model for ${KEY}\n here`, code: 400 };
    standIn.faults.add({ effect: { kind: 'status', status: 400, body } });
    const error = await failureOf(embedder.embed(['secret file text'], 'document', never));
    expect(error.message).toContain('answered 400.');
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hush|secret file text|no model for/);
  });

  it('distinguishes one refused text from a server that refuses all', async () => {
    const texts = textsOf(6);
    standIn.settings.refusedTexts = /text 3/;
    const results = await embedder.embed(texts, 'document', never);
    expect(outcomesOf(texts, results)).toEqual([true, true, true, 'embedding_text_refused', true, true]);
    expect(results[3]).toMatchObject({ kind: 'invalid', code: 'embedding_text_refused' });
    expect((results[3] as Error).message).not.toContain('content policy');
    standIn.settings.refusedTexts = /./;
    const all = await failureOf(embedder.embed(texts, 'document', never));
    expect(all).toMatchObject({ kind: 'invalid', code: 'embedding_request_refused' });
  });

  it.each(['status 500', 'zeros'] as const)(
    'distinguishes one text that the model cannot embed (%s) from a server in trouble',
    async (as) => {
      const texts = textsOf(6);
      standIn.settings.poisonedTexts = { pattern: /text 3/, as };
      const results = await embedder.embed(texts, 'document', never);
      expect(outcomesOf(texts, results)).toEqual([true, true, true, 'embedding_text_failed', true, true]);
      expect(results[3]).toMatchObject({ kind: 'temporary' });
      standIn.settings.poisonedTexts = { pattern: /./, as };
      const all = await failureOf(embedder.embed(texts, 'document', never));
      expect(all.code).toBe(as === 'zeros' ? 'embedding_answer_invalid' : 'embedding_unavailable');
    },
  );

  it('at a redirect does not send the key elsewhere', async () => {
    const elsewhere = await startEmbeddingStandIn();
    try {
      standIn.faults.add({ effect: { kind: 'redirect', to: elsewhere.url } });
      const error = await failureOf(embedder.embed(['a'], 'document', never));
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
    const hasty = embedderWith({ timeoutSeconds: 0.2, retry: { ...RETRY, attempts: 1 } });
    const error = await failureOf(hasty.embed(['a'], 'document', never));
    expect(error).toMatchObject({ kind: 'temporary', code: 'embedding_unavailable' });
    expect(error.message).toMatch(/within 0.2 s.*REQUEST_TIMEOUT_SECONDS/);
  });

  it('of one batch stops the other batches', async () => {
    const single = await identified({ batchSize: 1 });
    standIn.faults.add({ times: 1, effect: { kind: 'status', status: 404 } });
    standIn.faults.add({ effect: { kind: 'stall' } });
    const error = await failureOf(single.embed(textsOf(12), 'document', never));
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
    const work = failureOf(embedder.embed(textsOf(3), 'document', controller.signal));
    while (standIn.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new RepotideError('fence_lost', 'fence_lost', 'gone'));
    expect(await work).toMatchObject({ kind: 'fence_lost' });
    expect(standIn.requests).toHaveLength(1);
  });

  it('before the call sends no request', async () => {
    const signal = AbortSignal.abort(new RepotideError('cancelled', 'cancelled', 'gone'));
    expect(await failureOf(embedder.embed(['a'], 'query', signal))).toMatchObject({
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
