import { describe, expect, it } from '@jest/globals';
import { repeated } from './repeated.js';

describe('repeated', () => {
  it('computes a result once while its text repeats, and again when twice as many others came since', () => {
    const computed: string[] = [];
    const lengthOf = repeated(2, (text) => {
      computed.push(text);
      return { length: text.length };
    });
    for (const text of ['often', 'a', 'often', 'b', 'often', 'c', 'often', 'd', 'often'])
      expect(lengthOf(text)).toEqual({ length: text.length });
    expect(computed).toEqual(['often', 'a', 'b', 'c', 'd']);
    lengthOf('a');
    expect(computed.at(-1)).toBe('a');
  });
});
