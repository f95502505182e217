import { describe, expect, it } from '@jest/globals';
import { Hints } from './hints.js';

const WORDS = ['ghp_', 'AKIA', 'pass', 'password: `', '://', '-us'];
const hints = new Hints(WORDS);
const found = (text: string) => [...hints.in(text)].sort();

describe('the words that a text contains', () => {
  it.each([
    ['', []],
    ['AKI', []],
    ['AKIA', ['AKIA']],
    ['a pass, https://a-us', ['-us', '://', 'pass']],
    ['password: `x`', ['pass', 'password: `']],
    // The lowest eight bits of these characters are those of `AKIA`.
    ['\u0141\u014b\u0149\u0141', []],
    ['é\u0141AKIA', ['AKIA']],
  ])('%j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('are found at the end of a very long text, and not of the text before it', () => {
    expect(found(`${'x'.repeat(200_000)}ghp_`)).toEqual(['ghp_']);
    expect(found(`${'x'.repeat(60_000)}AKIA`)).toEqual(['AKIA']);
    expect(found('x')).toEqual([]);
  });
});
