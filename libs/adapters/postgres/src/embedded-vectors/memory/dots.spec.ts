import { describe, expect, it } from '@jest/globals';
import { VectorBlock } from './dots.js';

/** The same numbers in every run; uniform in 0..1. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function unit(values: ArrayLike<number>): Float32Array {
  const length = Math.hypot(...Array.from(values));
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0);
}

const VECTORS: [name: string, vectorOf: (next: () => number, dimensions: number) => ArrayLike<number>][] = [
  ['of any direction', (next, length) => Array.from({ length }, () => next() + next() + next() - 1.5)],
  ['that are alike', (next, length) => Array.from({ length }, (_, index) => Math.sin(index) + next() / 50)],
  ['with few numbers', (next, length) => Array.from({ length }, () => (next() < 0.03 ? next() : 0))],
  [
    'with one large number',
    (next, length) => Array.from({ length }, (_, index) => (index === 3 ? 9 : next() / 9)),
  ],
  ['with equal numbers', (next, length) => Array.from({ length }, () => (next() < 0.5 ? 1 : -1))],
  ['of zeros', (_next, length) => new Float32Array(length)],
];

describe('dot products of a block of vectors', () => {
  it.each(VECTORS)(
    'are never above their bounds, and bounds are close, for vectors %s',
    (_name, vectorOf) => {
      for (const dimensions of [4, 100, 384, 1_536]) {
        const next = numbersOf(dimensions);
        const vectors = Array.from({ length: 200 }, () => unit(vectorOf(next, dimensions)));
        const block = new VectorBlock(dimensions, vectors.length);
        vectors.forEach((vector, place) => block.set(place, vector));
        const axis = unit([1, ...new Float32Array(dimensions - 1)]);
        for (const query of [vectors[7]!, unit(vectorOf(next, dimensions)), axis]) {
          const bounds = block.bounds(query, vectors.length);
          const exact = vectors.map((vector) => dot(vector, query));
          const products = vectors.map((_, place) => block.product(place));
          const errors = products.map((product, place) => Math.abs(product - exact[place]!));
          expect(Math.max(...errors)).toBeLessThan(1e-5);
          expect(products.filter((product, place) => product > bounds[place]!)).toEqual([]);
          // Half a step of each number may be lost.
          const distances = exact.map((product, place) => bounds[place]! - product);
          expect(Math.max(...distances)).toBeLessThan(Math.sqrt(dimensions) / 100);
        }
      }
    },
  );

  it('of one query do not depend on the query before it', () => {
    const block = new VectorBlock(20, 2);
    block.set(0, unit([1, 2, 3]));
    block.set(1, unit([0, 1]));
    block.bounds(unit(Array.from({ length: 20 }, () => 1)), 2);
    block.bounds(unit([0, 1, ...new Float32Array(18)]), 2);
    expect(block.product(1)).toBe(1);
    expect(block.product(0)).toBeCloseTo(2 / Math.sqrt(14), 6);
  });

  it('of the longest vectors do not overflow: the largest possible sum is bounded too', () => {
    const dimensions = 16_384;
    const equal = unit(new Float32Array(dimensions).fill(1));
    const block = new VectorBlock(dimensions, 2);
    block.set(0, equal);
    block.set(
      1,
      equal.map((value) => -value),
    );
    const [same, opposite] = block.bounds(equal, 2);
    expect(same).toBeGreaterThanOrEqual(block.product(0));
    expect(same).toBeLessThan(1.01);
    expect(opposite).toBeLessThan(-0.98);
  });
});
