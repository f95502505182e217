import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { startedStream } from './started-stream.js';

/** Pieces larger than any buffer of a stream. */
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
  it('gives every piece in order', async () => {
    const { pieces, seen } = source(5);
    let text = '';
    for await (const part of await startedStream(pieces)) text += String(part);
    expect(text.split(/ +/).filter(Boolean)).toEqual(['0', '1', '2', '3', '4']);
    expect(seen.hasEnded).toBe(true);
  });

  it('reads no further than it is read, and ends the source when it is destroyed', async () => {
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

  it('throws what the first piece throws', async () => {
    async function* broken(): AsyncIterable<string> {
      yield await Promise.reject(new Error('no database'));
    }
    await expect(startedStream(broken())).rejects.toThrow('no database');
  });

  it('gives nothing of nothing', async () => {
    const stream = await startedStream(source(0).pieces);
    expect(await stream.toArray()).toEqual([]);
  });
});
