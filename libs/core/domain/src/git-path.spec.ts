import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOfPath, pathOf, pathOfText } from './git-path.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
/** Parts of which names are made that are hard to tell apart. */
const PARTS = ['a', '\\', 'x', '5', 'C', 'E4', '\\xE4', '\\x5C', '\\xe4', 'ä', '日', '\u{1f30a}', '\ufffd'];
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PARTS).map((part) => Buffer.from(part)),
      fc.integer({ min: 1, max: 255 }).map((byte) => Buffer.from([byte])),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

describe('the path of a git name', () => {
  it.each([
    ['src/Größe 日本.ts', Buffer.from('src/Größe 日本.ts')],
    ['Gr\\xF6\\xDFe.txt', latin1('Größe.txt')],
    ['ä\\xE4.txt', Buffer.concat([Buffer.from('ä'), latin1('ä.txt')])],
    // The surrogate U+D800, an overlong slash, and a character that ends too early.
    ['\\xED\\xA0\\x80', Buffer.from([0xed, 0xa0, 0x80])],
    ['\\xC0\\xAF', Buffer.from([0xc0, 0xaf])],
    ['\\xE2\\x82', Buffer.from([0xe2, 0x82])],
    // A valid name that reads like an escaped one.
    ['\\x5CxE4', latin1('\\xE4')],
    ['\\x5Cx5CxE4', latin1('\\x5CxE4')],
    ['\\xe4 \\x41 \\E4', latin1('\\xe4 \\x41 \\E4')],
  ])('%s', (path, bytes) => {
    expect(pathOf(bytes)).toBe(path);
    expect(bytesOfPath(path)).toEqual(bytes);
  });

  it('stands for exactly these bytes', () => {
    fc.assert(
      fc.property(name, (bytes) => {
        expect(bytesOfPath(pathOf(bytes))).toEqual(bytes);
        if (isUtf8(bytes)) expect(pathOfText(bytes.toString())).toBe(pathOf(bytes));
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});
