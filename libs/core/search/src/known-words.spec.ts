import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KnownWords } from './known-words.js';

const LONGEST = 64;
const WORD = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9_]+)*/g;

/** The same by a pattern, in the order of the text. */
function expected(text: string): [string, number][] {
  const counts = new Map<string, number>();
  for (const word of text.match(WORD) ?? [])
    if (word.length <= LONGEST) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts];
}

describe('KnownWords', () => {
  const known = new KnownWords(LONGEST, (spelling) => spelling);
  const counted = (text: string) => {
    const words: [string, number][] = [];
    return known.count(text, (word, times) => words.push([word, times])) ? words : null;
  };

  it('counts the words of ASCII texts as a pattern does', () => {
    const part = fc.constantFrom('a', 'Bc', '_', '$', '-', '--', ' ', '\n', '.', '9', 'x'.repeat(63));
    const text = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(fc.property(text, (one) => expect(counted(one)).toEqual(expected(one))));
  });

  it('makes each word once', () => {
    const made: string[] = [];
    const words = new KnownWords(LONGEST, (spelling) => made.push(spelling));
    words.count('a b a', () => undefined);
    words.count('b c-d', () => undefined);
    expect(made).toEqual(['a', 'b', 'c-d']);
  });

  it('counts right when it has met more words than it has room for', () => {
    for (let text = 0; text < 24; text++) {
      const words = Array.from({ length: 6000 }, (_, index) => `w${text}${index}`);
      const one = [...words, ...words].join(' ').slice(0, 32_000);
      expect(counted(one)).toEqual(expected(one));
    }
  });

  it('counts neither texts with other characters nor very long ones', () => {
    expect(counted('Löschung')).toBeNull();
    expect(counted('word '.repeat(10_000))).toBeNull();
  });
});
