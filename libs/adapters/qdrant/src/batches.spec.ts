import { describe, expect, it } from '@jest/globals';
import { RepotideError, type Point } from '@core/domain';
import { batchesOf, sendInHalves } from './batches.js';

function point(overrides: { text?: string; fence?: number; dimensions?: number } = {}): Point {
  const { text = 'text', fence = 1, dimensions = 4 } = overrides;
  return {
    id: '00000000-0000-4000-8000-000000000000',
    vector: new Float32Array(dimensions).fill(-1.2345678e-38),
    terms: null,
    payload: { text, fence } as Point['payload'],
  };
}

describe('batchesOf', () => {
  it('splits by number of points and keeps their order', () => {
    const points = Array.from({ length: 7 }, (_, index) => point({ text: `${index}` }));
    const batches = [...batchesOf(points, { bytes: 1e6, points: 3 })];
    expect(batches.map((batch) => batch.length)).toEqual([3, 3, 1]);
    expect(batches.flat()).toEqual(points);
  });

  it('never exceeds the byte limit, except with a single point', () => {
    const points = [
      ...Array.from({ length: 40 }, (_, index) => point({ text: 'ß"\u0000'.repeat(index), dimensions: 64 })),
      point({ text: 'x'.repeat(30_000) }),
      point(),
    ];
    const batches = [...batchesOf(points, { bytes: 10_000, points: 100 })];
    for (const batch of batches) {
      const sent = batch.map(({ id, vector, payload }) => ({ id, vector: Array.from(vector), payload }));
      const bytes = Buffer.byteLength(JSON.stringify({ points: sent }));
      expect(bytes <= 10_000 || batch.length === 1).toBe(true);
    }
    expect(batches.some((batch) => batch.length > 1)).toBe(true);
    expect(batches.flat()).toEqual(points);
  });

  it('starts a new batch where the fence changes', () => {
    const points = [1, 1, 2, 1].map((fence) => point({ fence }));
    expect([...batchesOf(points, { bytes: 1e6, points: 10 })].map((batch) => batch.length)).toEqual([
      2, 1, 1,
    ]);
  });

  it('yields nothing for no points', () => {
    expect([...batchesOf([], { bytes: 10, points: 10 })]).toEqual([]);
  });
});

describe('sendInHalves', () => {
  const tooLarge = new RepotideError('invalid', 'vector_store_request_too_large', 'too large');

  it('halves until the server accepts a part, in order, and adds up the results', async () => {
    const sent: number[][] = [];
    const sum = await sendInHalves([1, 2, 3, 4, 5, 6, 7], (part) => {
      if (part.length > 2) return Promise.reject(tooLarge);
      sent.push([...part]);
      return Promise.resolve(part.length);
    });
    expect(sum).toBe(7);
    expect(sent).toEqual([[1, 2], [3, 4], [5, 6], [7]]);
  });

  it('throws for a single item, and at once for other errors', async () => {
    let calls = 0;
    const refuse = (error: Error) => () => {
      calls++;
      return Promise.reject(error);
    };
    await expect(sendInHalves([1, 2, 3, 4], refuse(tooLarge))).rejects.toBe(tooLarge);
    expect(calls).toBe(3);
    const other = new RepotideError('forbidden', 'vector_store_forbidden', 'no', {
      details: { status: 403 },
    });
    await expect(sendInHalves([1, 2, 3, 4], refuse(other))).rejects.toBe(other);
    expect(calls).toBe(4);
  });
});
