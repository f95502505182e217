import { describe, expect, it } from '@jest/globals';
import { markedPieces } from './marked-pieces.js';

describe('marking terms in highlighted code', () => {
  it('cuts tokens at the ends of a mark, and keeps their kinds', () => {
    const tokens = [
      { text: 'const ', kind: 'keyword' },
      { text: 'renewLease', kind: 'function' },
    ];
    expect(markedPieces(tokens, [{ start: 4, end: 11 }])).toEqual([
      { text: 'cons', kind: 'keyword', isMarked: false },
      { text: 't ', kind: 'keyword', isMarked: true },
      { text: 'renew', kind: 'function', isMarked: true },
      { text: 'Lease', kind: 'function', isMarked: false },
    ]);
  });

  it('leaves a line without marks as it is', () => {
    expect(markedPieces([{ text: 'a', kind: '' }], [])).toEqual([{ text: 'a', kind: '', isMarked: false }]);
  });
});
