import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sequencesOf, Signatures } from './signature.js';

function signed(...texts: string[]): Signatures {
  const signatures = new Signatures();
  texts.forEach((text, point) => signatures.add(point, text, Math.max(...texts.map(({ length }) => length))));
  return signatures;
}

const has = (signatures: Signatures, point: number, sequences: Int32Array) =>
  (signatures.having(sequences)[point >>> 5]! & (1 << (point & 31))) !== 0;

const may = (text: string, literal: string, ignoreCase = false) => {
  const sequences = sequencesOf(literal, ignoreCase);
  return sequences === null || has(signed(text), 0, sequences);
};

describe('the signature of a text', () => {
  it('never denies a part of the text, in any case of its letters', () => {
    const piece = fc.constantFrom(
      'lease',
      'Renew',
      'É',
      'é',
      'ß',
      '漢字',
      '\u{1F30A}',
      '\ud800',
      ' ',
      '(',
      '\n',
      'K',
      'k',
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        const whole = before + part + after;
        expect(may(whole, part)).toBe(true);
        // Only what JavaScript finds in any case: "ß" is no "SS" there.
        if (part.toUpperCase().length === part.length)
          expect(may(whole, part.toUpperCase(), true)).toBe(true);
      }),
    );
  });

  it('denies nearly all texts that lack a literal', () => {
    const texts = Array.from({ length: 1_000 }, (_, index) =>
      `const value${index} = compute${index * 7919}(input);\n`.repeat(20),
    );
    const passed = texts.filter((text) => may(text, 'compute7919(')).length;
    expect(may(texts[1]!, 'compute7919(')).toBe(true);
    expect(passed).toBeLessThan(20);
  });

  it('knows nothing about a literal of two characters, and of letters beyond ASCII in any case', () => {
    expect(sequencesOf('ab', false)).toBeNull();
    expect(sequencesOf('éàü', true)).toBeNull();
    expect(sequencesOf('éàü', false)).toHaveLength(1);
  });

  it('of a long text still never denies a part', () => {
    const text = Array.from({ length: 500 }, (_, index) => `const name${index} = ${index * 7};\n`).join('');
    const signatures = signed(text);
    for (let at = 0; at + 12 <= text.length; at += 97)
      expect(has(signatures, 0, sequencesOf(text.slice(at, at + 12), false)!)).toBe(true);
    expect(may('a'.repeat(10_000), 'lease')).toBe(false);
  });

  it('of a text that is much longer than the first of its block never denies a part', () => {
    const text = Array.from({ length: 500 }, (_, index) => `const name${index} = ${index * 7};\n`).join('');
    const signatures = new Signatures();
    signatures.add(0, 'a', 1);
    signatures.add(1, text, text.length);
    for (let at = 0; at + 12 <= text.length; at += 97)
      expect(has(signatures, 1, sequencesOf(text.slice(at, at + 12), false)!)).toBe(true);
    expect(has(signatures, 0, sequencesOf('lease', false)!)).toBe(false);
  });

  it('stays the same when those of many other texts follow; a text without one is not denied', () => {
    const texts = Array.from({ length: 400 }, (_, index) =>
      `function name${index}() {}\n`.repeat(1 + (index % 9)),
    );
    const signatures = signed(...texts);
    const sought = texts.map((_, index) => sequencesOf(`name${index}()`, false)!);
    texts.forEach((_, slot) => {
      const passing = sought.filter((sequences) => has(signatures, slot, sequences));
      expect(passing).toContain(sought[slot]);
      expect(passing.length).toBeLessThan(200);
    });
    expect(signatures.has(400)).toBe(false);
    expect(has(signatures, 400, sought[7]!)).toBe(true);
  });
});
