import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CollectionMemory } from './collection-memory.js';
import { POINTS_PER_SEGMENT } from './segment.js';

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

/** Few different numbers, so that many vectors are equal or nearly so. */
const vectors = fc
  .array(fc.oneof(fc.integer({ min: -2, max: 2 }), fc.float({ noNaN: true, min: -1, max: 1 })), {
    minLength: 3,
    maxLength: 3,
  })
  .map(unit);

function memoryOf(all: readonly Float32Array[]): CollectionMemory {
  const memory = new CollectionMemory(all[0]!.length);
  all.forEach((vector, index) => {
    const id = String(index).padStart(5, '0');
    const file = { repositoryId: 'r', path: `${index % 2}.ts`, directories: [], language: null };
    memory.put({ id, file, vector, terms: null }, '1');
  });
  return memory;
}

describe('the dense lane in memory', () => {
  it('finds the first points of the list of all points: same points, same scores, same order', () => {
    const all = fc.array(vectors, { minLength: 1, maxLength: 200 });
    const limits = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(all, vectors, limits, fc.boolean(), (stored, query, limit, isFiltered) => {
        const memory = memoryOf(stored);
        memory.remove('00000');
        const filter = isFiltered ? { pathPrefix: '1.ts' } : {};
        // With a limit of all points none is left out by its bound.
        const exact = memory.dense(query, stored.length, filter);
        expect(memory.dense(query, limit, filter)).toEqual(exact.slice(0, limit));
      }),
    );
  });

  it('finds the best of several segments, also when each point is better than all before it', () => {
    const count = POINTS_PER_SEGMENT + 100;
    const angles = Array.from({ length: count }, (_, index) => (Math.PI / 2) * (1 - index / count));
    const memory = memoryOf(angles.map((angle) => unit([Math.cos(angle), Math.sin(angle)])));
    const found = memory.dense(unit([1, 0]), 5, {}).map(({ score }) => score);
    const expected = angles.map((angle) => Math.cos(angle)).slice(-5);
    found.forEach((score, rank) => expect(score).toBeCloseTo(expected.at(-1 - rank)!, 6));
  });
});
