import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TopK } from './top-k.js';

describe('TopK', () => {
  it('keeps the same items as a full sort', () => {
    const scored = fc.array(fc.record({ id: fc.uuid(), score: fc.integer({ min: -5, max: 5 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(scored, fc.integer({ min: 1, max: 20 }), (candidates, limit) => {
        const top = new TopK(limit);
        for (const candidate of candidates) top.offer(candidate);
        const sorted = candidates.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
        expect(top.bestFirst().map(({ score }) => score)).toEqual(
          sorted.slice(0, limit).map(({ score }) => score),
        );
        expect(top.bestFirst()).toEqual(sorted.slice(0, limit));
      }),
    );
  });
});
