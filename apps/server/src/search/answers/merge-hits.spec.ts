import { describe, expect, it } from '@jest/globals';
import { type RepositoryHit } from '../repository-hit.js';
import { mergeNeighbours } from './merge-hits.js';

/** A chunk of ten lines that overlaps the one before it by two. */
function hit(path: string, index: number, score: number, repository = 'r'): RepositoryHit {
  const payload = { path, chunk_index: index, start_line: index * 8 + 1, end_line: index * 8 + 10 };
  return { score, payload, repository: { id: repository } } as unknown as RepositoryHit;
}

const placesOf = (hits: readonly RepositoryHit[]) =>
  mergeNeighbours(hits).map(({ best, chunks }) => [
    best.payload.path,
    best.payload.chunk_index,
    chunks.length,
  ]);

describe('merging hits', () => {
  it('neighbouring chunks of a file are one hit at the place of the best', () => {
    expect(placesOf([hit('a', 3, 0.9), hit('b', 1, 0.8), hit('a', 2, 0.7), hit('a', 4, 0.6)])).toEqual([
      ['a', 3, 3],
      ['b', 1, 1],
    ]);
  });

  it('a chunk between two hits joins them', () => {
    expect(placesOf([hit('a', 1, 0.9), hit('a', 3, 0.8), hit('a', 2, 0.7)])).toEqual([['a', 1, 3]]);
  });

  it('distant chunks, and the same path in another repository, stay apart', () => {
    expect(placesOf([hit('a', 1, 0.9), hit('a', 5, 0.8), hit('a', 2, 0.7, 'other')])).toHaveLength(3);
  });
});
