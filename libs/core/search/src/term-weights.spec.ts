import { describe, expect, it } from '@jest/globals';
import { TermWeights } from './term-weights.js';

describe('TermWeights', () => {
  const weights = new TermWeights();

  it('adds and sets the values of terms, sorts them by unsigned ids, and is empty afterwards', () => {
    weights.add(5, 1);
    weights.add(-1, 2);
    weights.add(0, 3);
    weights.add(5, 1);
    weights.change((value) => value * 10);
    weights.set(0, 0.5);
    weights.set(7, 1);
    const { ids, weights: found } = weights.take();
    expect([...ids]).toEqual([0, 5, 7, 0xffffffff]);
    expect([...found]).toEqual([0.5, 20, 1, 20]);
    expect(weights.take().ids).toHaveLength(0);
  });

  it('forgets the terms of a text that failed in the middle', () => {
    weights.add(9, 1);
    weights.clear();
    weights.add(9, 1);
    expect([...weights.take().weights]).toEqual([1]);
  });

  it('keeps the values of very many terms', () => {
    const count = 50_000;
    for (let id = 0; id < count; id++) weights.add(id * 4096, id + 1);
    const { ids, weights: found } = weights.take();
    const values = new Map(Array.from(ids, (id, index) => [id | 0, found[index]]));
    expect(values.size).toBe(count);
    for (let id = 0; id < count; id += 997) expect(values.get((id * 4096) | 0)).toBe(id + 1);
  });
});
