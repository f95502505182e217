import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { startedStream } from './send-document.js';

/** Pieces that are larger than a stream's buffer. */
function source(count: number) {
  const seen = { pulled: 0, hasEnded: false };
  async function* pieces(): AsyncIterable<string> {
    try {
      for (; seen.pulled < count;) yield String(seen.pulled++).padEnd(100_000);
    } finally {
      seen.hasEnded = true;
    }
  }
  return { seen, pieces: pieces() };
}

describe('startedStream', () => {
  it('returns every piece in order', async () => {
    const { pieces, seen } = source(5);
    let text = '';
    for await (const part of await startedStream(pieces)) text += String(part);
    expect(text.split(/ +/).filter(Boolean)).toEqual(['0', '1', '2', '3', '4']);
    expect(seen.hasEnded).toBe(true);
  });

  it('respects backpressure, and closes the source when it is destroyed', async () => {
    const { pieces, seen } = source(1000);
    const stream = await startedStream(pieces);
    expect(seen.pulled).toBe(1);
    stream.read(0);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(seen.pulled).toBeLessThan(5);
    stream.destroy();
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(seen.hasEnded).toBe(true);
  });

  it('rejects with the error of the first piece', async () => {
    async function* broken(): AsyncIterable<string> {
      yield await Promise.reject(new Error('no database'));
    }
    await expect(startedStream(broken())).rejects.toThrow('no database');
  });

  it('is empty for an empty source', async () => {
    const stream = await startedStream(source(0).pieces);
    expect(await stream.toArray()).toEqual([]);
  });
});
