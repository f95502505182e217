import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { request } from 'undici';
import { type EmbeddingStandIn, startEmbeddingStandIn } from './embedding-stand-in.js';
import { embeddingOf } from './vectors.js';

const MODEL = 'text-embedding-3-small';

interface EmbeddingAnswer {
  data: { index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
  error: { message: string; type: string; param: string | null; code: string | null };
}

let server: EmbeddingStandIn;

beforeEach(async () => {
  server = await startEmbeddingStandIn({ apiKey: 'right-key' });
});

afterEach(() => server.stop());

async function embed(body: object, key = 'right-key') {
  const answer = await request(`${server.url}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text) as EmbeddingAnswer,
  };
}

function floats(embedding: number[] | string | undefined): Float32Array {
  if (typeof embedding !== 'string') return Float32Array.from(embedding ?? []);
  const bytes = Buffer.from(embedding, 'base64');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

describe('embeddings of the stand-in', () => {
  it('have one vector per text, in order, and are equal in every request', async () => {
    const { data, usage } = (await embed({ input: ['one', 'two', 'one'] })).json();
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(data.map(({ embedding }) => embedding.length)).toEqual([1536, 1536, 1536]);
    expect(data[0]?.embedding).toEqual(data[2]?.embedding);
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
    expect(floats(data[1]?.embedding)).toEqual(embeddingOf(MODEL, 'two', 1536));
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  it('accept a single text', async () => {
    expect((await embed({ input: 'one' })).json().data).toHaveLength(1);
  });

  it('have the same numbers in base64', async () => {
    const plain = (await embed({ input: ['one'] })).json().data[0];
    const packed = (await embed({ input: ['one'], encoding_format: 'base64' })).json().data[0];
    expect(typeof packed?.embedding).toBe('string');
    expect(floats(packed?.embedding)).toEqual(floats(plain?.embedding));
  });

  it('can be shortened to the first numbers of the long vectors, scaled to length 1', async () => {
    const long = floats((await embed({ input: ['one'] })).json().data[0]?.embedding);
    const short = floats((await embed({ input: ['one'], dimensions: 256 })).json().data[0]?.embedding);
    expect(short).toHaveLength(256);
    expect(Math.hypot(...short)).toBeCloseTo(1, 5);
    const ratio = (long[0] ?? 0) / (short[0] ?? 1);
    expect((long[255] ?? 0) / (short[255] ?? 1)).toBeCloseTo(ratio, 5);
  });

  it('are offered for the models that the server lists', async () => {
    const { body } = await request(`${server.url}/models`, {
      headers: { authorization: 'Bearer right-key' },
    });
    expect(await body.json()).toMatchObject({
      object: 'list',
      data: [{ id: MODEL, object: 'model' }, {}, {}],
    });
  });
});

describe('the embedding stand-in', () => {
  it('refuses a missing or wrong key', async () => {
    const refused = await embed({ input: ['one'] }, 'wrong-key');
    expect([refused.status, refused.json().error.code]).toEqual([401, 'invalid_api_key']);
    expect(server.requests[0]).toMatchObject({ token: 'rejected', status: 401 });
    expect(JSON.stringify(server.requests)).not.toContain('wrong-key');
  });

  it.each([
    ['an empty text', { input: ['one', ''] }, 400, null],
    ['no text', { input: [] }, 400, null],
    ['an unknown model', { input: ['one'], model: 'nope' }, 404, 'model_not_found'],
    ['too many dimensions', { input: ['one'], dimensions: 2000 }, 400, null],
    [
      'dimensions of a fixed model',
      { input: ['one'], model: 'text-embedding-ada-002', dimensions: 3 },
      400,
      null,
    ],
    ['an unknown format', { input: ['one'], encoding_format: 'int8' }, 400, null],
  ])('refuses %s', async (_, body, status, code) => {
    const refused = await embed(body);
    expect(refused.status).toBe(status);
    expect(refused.json().error).toMatchObject({ type: 'invalid_request_error', code });
    expect(server.totals()).toEqual({ requests: 1, texts: 0, tokens: 0 });
  });

  it('limits texts per request, tokens per text and tokens per request', async () => {
    Object.assign(server.settings, { maxInputs: 3, maxInputTokens: 10, maxRequestTokens: 15 });
    expect((await embed({ input: ['1', '2', '3', '4'] })).json().error.code).toBe('array_above_max_length');
    expect((await embed({ input: ['x'.repeat(41)] })).json().error.message).toContain(
      'maximum context length is 10',
    );
    const request = await embed({ input: ['x'.repeat(40), 'y'.repeat(40)] });
    expect([request.status, request.json().error.code]).toEqual([400, 'max_tokens_per_request']);
    expect((await embed({ input: ['x'.repeat(40), 'y'.repeat(20)] })).status).toBe(200);
  });

  it('answers 404 on other routes', async () => {
    const { statusCode, body } = await request(`${server.url}/chat`, {
      headers: { authorization: 'Bearer right-key' },
    });
    expect([statusCode, await body.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }]);
  });
});

describe('faults of the embedding stand-in', () => {
  it('can refuse requests in OpenAI’s format, with Retry-After', async () => {
    server.faults.add({ times: 1, effect: { kind: 'status', status: 429, retryAfterSeconds: 3 } });
    const limited = await embed({ input: ['one'] });
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
    expect(limited.json().error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
    server.faults.add({ times: 1, effect: { kind: 'status', status: 500 } });
    expect((await embed({ input: ['one'] })).json().error.type).toBe('server_error');
    expect((await embed({ input: ['one'] })).status).toBe(200);
  });

  it('can make vectors wrong', async () => {
    const answers = async (effect: Parameters<typeof server.faults.add>[0]['effect'], format = 'float') => {
      server.faults.add({ times: 1, effect });
      return embed({ input: ['one', 'two'], encoding_format: format });
    };
    const vectors = (answer: EmbeddingAnswer) => answer.data.map(({ embedding }) => floats(embedding));
    expect(vectors((await answers({ kind: 'wrong_dimension' })).json()).map(({ length }) => length)).toEqual([
      1535, 1535,
    ]);
    expect((await answers({ kind: 'wrong_count' })).json().data).toHaveLength(1);
    expect((await answers({ kind: 'not_a_number', as: 'null' })).json().data[0]?.embedding[0]).toBeNull();
    expect((await answers({ kind: 'not_a_number', as: 'NaN' })).text).toContain('"embedding":[NaN,');
    expect(vectors((await answers({ kind: 'not_a_number', as: 'NaN' }, 'base64')).json())[0]?.[0]).toBeNaN();
    expect(vectors((await answers({ kind: 'zero_vector' })).json())[0]?.every((value) => value === 0)).toBe(
      true,
    );
    const reversed = (await answers({ kind: 'reversed' })).json().data;
    expect(reversed.map(({ index }) => index)).toEqual([1, 0]);
    expect(floats(reversed[0]?.embedding)).toEqual(embeddingOf(MODEL, 'two', 1536));
  });

  it('can cut the connection in the middle of the answer', async () => {
    server.faults.add({ times: 1, effect: { kind: 'cut', afterBytes: 500 } });
    await expect(embed({ input: ['one'] })).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});

describe('the log of the embedding stand-in', () => {
  it('counts requests, texts and tokens, and stores the hash of each text', async () => {
    await embed({ input: ['one', 'two'] });
    await embed({ input: ['three'] });
    expect(server.totals()).toEqual({ requests: 2, texts: 3, tokens: 4 });
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(server.work.map(({ contentHashes }) => contentHashes)).toEqual([
      [hash('one'), hash('two')],
      [hash('three')],
    ]);
    server.resetLog();
    expect(server.totals()).toEqual({ requests: 0, texts: 0, tokens: 0 });
  });
});
