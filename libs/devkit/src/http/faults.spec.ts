import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { type Answer, jsonAnswer, textAnswer } from './answer.js';
import { FaultSet } from './faults.js';
import { type RequestRecord, type RunningServer, startStandInServer } from './stand-in-server.js';
import { Readable } from 'node:stream';

const BODY = 'x'.repeat(1000);
const faults = new FaultSet();
const records: RequestRecord[] = [];
let server: RunningServer;
let streamsClosed: number;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

afterEach(() => {
  faults.clear();
  records.length = 0;
});

function startServer(): Promise<RunningServer> {
  streamsClosed = 0;
  return startStandInServer<never>(
    {
      faults,
      record: (record) => records.push(record),
      tokenSeen: (headers) => (headers.authorization === undefined ? 'absent' : 'rejected'),
      answer: async ({ path }): Promise<Answer> => {
        if (path === '/broken') throw new Error('out of order');
        if (path === '/endless') return endless();
        return textAnswer(200, BODY);
      },
      errorAnswer: (status) => jsonAnswer(status, { vendor: status }),
    },
    0,
  );
}

function endless(): Answer {
  const body = Readable.from(
    (async function* () {
      try {
        while (true) yield Buffer.alloc(65536);
      } finally {
        streamsClosed += 1;
      }
    })(),
  );
  return { status: 200, headers: {}, body };
}

async function ask(path = '/a', signal: AbortSignal | null = null) {
  const answer = await request(`${server.url}${path}`, { signal });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

describe('FaultSet', () => {
  it('applies to matching requests, within its limits `after` and `times`', () => {
    const set = new FaultSet();
    set.add({ method: 'GET', url: /blobs/, after: 1, times: 2, effect: { kind: 'corrupt' } });
    const strikes = [
      'GET /tree',
      'POST /blobs',
      'GET /blobs/1',
      'GET /blobs/2',
      'GET /blobs/3',
      'GET /blobs/4',
    ].map((line) => set.strike(...(line.split(' ') as [string, string]))?.kind ?? null);
    expect(strikes).toEqual([null, null, null, 'corrupt', 'corrupt', null]);
  });

  it('applies the fault that was added first, and none that was removed', () => {
    const set = new FaultSet();
    const remove = set.add({ effect: { kind: 'corrupt' } });
    set.add({ effect: { kind: 'cut' } });
    expect(set.strike('GET', '/')?.kind).toBe('corrupt');
    remove();
    expect(set.strike('GET', '/')?.kind).toBe('cut');
    set.clear();
    expect(set.strike('GET', '/')).toBeNull();
  });

  it('matches every request with a global regular expression', () => {
    const set = new FaultSet();
    set.add({ url: /blobs/g, effect: { kind: 'cut' } });
    expect([1, 2, 3].map(() => set.strike('GET', '/blobs/x')?.kind)).toEqual(['cut', 'cut', 'cut']);
  });
});

describe('faults over HTTP', () => {
  it('answer with a status and the vendor’s body or a given one', async () => {
    faults.add({ times: 1, effect: { kind: 'status', status: 500 } });
    expect(await ask()).toMatchObject({ status: 500, text: '{"vendor":500}' });
    faults.add({ times: 1, effect: { kind: 'status', status: 429, retryAfterSeconds: 7 } });
    expect(await ask()).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    faults.add({ times: 1, effect: { kind: 'status', status: 502, body: '<h1>Bad</h1>' } });
    expect(await ask()).toMatchObject({ headers: { 'content-type': 'text/html; charset=utf-8' } });
    faults.add({ times: 1, effect: { kind: 'status', status: 429, body: { message: { error: 'x' } } } });
    expect(await ask()).toMatchObject({ text: '{"message":{"error":"x"}}' });
    expect(await ask()).toMatchObject({ status: 200, text: BODY });
    expect(records.map(({ status, fault }) => [status, fault])).toEqual([
      [500, 'status'],
      [429, 'status'],
      [502, 'status'],
      [429, 'status'],
      [200, null],
    ]);
  });

  it('redirect to the same path at another origin', async () => {
    faults.add({ effect: { kind: 'redirect', to: 'http://127.0.0.1:9/ignored' } });
    expect(await ask('/a/b%2Fc?d=e')).toMatchObject({
      status: 302,
      headers: { location: 'http://127.0.0.1:9/a/b%2Fc?d=e' },
    });
  });

  it('cut the connection before the answer', async () => {
    faults.add({ effect: { kind: 'cut' } });
    await expect(ask()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(records[0]).toMatchObject({ status: null, fault: 'cut' });
  });

  it('cut the connection in the middle of the body', async () => {
    faults.add({ effect: { kind: 'cut', afterBytes: 100 } });
    const answer = await request(`${server.url}/a`);
    expect(answer.statusCode).toBe(200);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) received += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(received).toBe(100);
  });

  it('stall until the client gives up', async () => {
    faults.add({ effect: { kind: 'stall' } });
    await expect(ask('/a', AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'TimeoutError' });
    faults.clear();
    faults.add({ effect: { kind: 'stall', afterBytes: 10 } });
    const giveUp = new AbortController();
    const answer = await request(`${server.url}/a`, { signal: giveUp.signal });
    const chunks = (answer.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toHaveLength(10);
    giveUp.abort();
    await expect(chunks.next()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('send the whole body slowly', async () => {
    faults.add({ effect: { kind: 'drip', chunkBytes: 250, everyMs: 1 } });
    expect((await ask()).text).toBe(BODY);
  });

  it('truncate a body and end it properly', async () => {
    faults.add({ effect: { kind: 'truncate', keepBytes: 300 } });
    expect(await ask()).toMatchObject({ status: 200, text: BODY.slice(0, 300) });
  });

  it('flip one bit of the body', async () => {
    faults.add({ effect: { kind: 'corrupt' } });
    const { text, headers } = await ask();
    expect(headers['content-length']).toBe('1000');
    expect([...text].filter((letter) => letter !== 'x')).toEqual(['y']);
  });
});

describe('startStandInServer', () => {
  it('answers 500 when its handler fails, and logs the reason', async () => {
    expect(await ask('/broken')).toMatchObject({ status: 500 });
    expect(records[0]?.failure).toBe('out of order');
  });

  it('destroys the body stream when the client disconnects', async () => {
    const giveUp = new AbortController();
    const answer = await request(`${server.url}/endless`, { signal: giveUp.signal });
    await (answer.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]().next();
    giveUp.abort();
    await server.stop();
    expect(streamsClosed).toBe(1);
    server = await startServer();
  });

  it('stops while requests stall, frees its port, and can be stopped again', async () => {
    faults.add({ effect: { kind: 'stall' } });
    const stalled = ask();
    const outcome = expect(stalled).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    while (records.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all([server.stop(), server.stop()]);
    await outcome;
    await expect(request(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    server = await startServer();
  });
});
