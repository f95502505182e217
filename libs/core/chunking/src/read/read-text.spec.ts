import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readText, type ReadResult } from './read-text.js';

const read = (content: Uint8Array | string, path = 'file'): ReadResult =>
  readText(typeof content === 'string' ? Buffer.from(content) : content, { path, maxFileBytes: 1_048_576 });
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => utf16le(text).swap16();
const skippedFor = (result: ReadResult): string => (result.kind === 'skipped' ? result.reason : 'text');

describe('readText: encodings', () => {
  const samples = {
    english: 'export const a = 1;\nexport const b = 2;\n',
    german: 'Größe ändern: fünf Straßen\n',
    chinese: '一切都好\n一二三四五\n这是一个测试\n',
    russian: 'Привет, мир\nещё строка\n',
    japanese: 'これはテストです。\n漢字とカタカナ\n',
    emoji: 'ok 😀 done\n',
  };

  it.each(Object.entries(samples))(
    'reads %s in UTF-8 and UTF-16 of either order, with and without mark',
    (_, text) => {
      expect(read(text)).toEqual({ kind: 'text', fileLines: null, text, encoding: 'utf-8' });
      expect(read(`\ufeff${text}`)).toEqual({ kind: 'text', fileLines: null, text, encoding: 'utf-8' });
      for (const marked of ['', '\ufeff']) {
        expect(read(utf16le(marked + text))).toEqual({
          kind: 'text',
          fileLines: null,
          text,
          encoding: 'utf-16le',
        });
        expect(read(utf16be(marked + text))).toEqual({
          kind: 'text',
          fileLines: null,
          text,
          encoding: 'utf-16be',
        });
      }
    },
  );

  it('reads one line of UTF-16 without mark and line end', () => {
    expect(read(utf16le('hi'))).toMatchObject({ text: 'hi', encoding: 'utf-16le' });
    expect(read(utf16be('hi'))).toMatchObject({ text: 'hi', encoding: 'utf-16be' });
  });

  it('reads Latin-1', () => {
    const text = '// Größe, créée, señor, Ångström ÄÖ\n';
    expect(read(Buffer.from(text, 'latin1'))).toEqual({
      kind: 'text',
      fileLines: null,
      text,
      encoding: 'windows-1252',
    });
  });

  it('reads every character that Windows-1252 has beyond Latin-1', () => {
    const codes = Array.from({ length: 32 }, (_, index) => 0x80 + index).filter(
      (code) => ![0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(code),
    );
    const bytes = Uint8Array.from(codes.flatMap((code) => [0x61, code]));
    const text = [...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'].map((character) => `a${character}`).join('');
    expect(read(bytes)).toEqual({ kind: 'text', fileLines: null, text, encoding: 'windows-1252' });
  });

  it('reads a view into a larger buffer by its own bounds', () => {
    const whole = Buffer.concat([
      Buffer.from('before '),
      Buffer.from('caf\u00e9 au lait', 'latin1'),
      Buffer.from(' after'),
    ]);
    expect(read(whole.subarray(7, whole.length - 6))).toMatchObject({ text: 'café au lait' });
  });

  it.each([
    [
      'Cyrillic in Windows-1251',
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0]),
    ],
    ['Japanese in Shift JIS', Buffer.from([0x82, 0xb1, 0x82, 0xea, 0x82, 0xcd, 0x83, 0x65, 0x0a])],
    ['a byte that Windows-1252 leaves undefined', Buffer.from([0x61, 0x81, 0x62])],
    [
      'UTF-8 with one broken byte',
      Buffer.concat([Buffer.from('Größe ändern '), Buffer.from([0xff]), Buffer.from(' x')]),
    ],
    ['marked UTF-8 that is broken', Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff])],
    ['marked UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62])],
    ['marked UTF-16 with a lone surrogate', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00])],
    ['UTF-32 little endian', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ['UTF-32 big endian', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61])],
    ['a surrogate encoded in UTF-8', Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62])],
  ])('refuses to guess at %s', (_, bytes) => {
    expect(skippedFor(read(bytes))).toBe('unsupported_encoding');
  });

  it('never returns a NUL, a lone surrogate, a byte order mark or a blank text, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.string({ unit: 'binary', maxLength: 100 }).map(utf16le),
          fc.string({ unit: 'binary', maxLength: 100 }).map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const result = read(bytes);
          if (result.kind === 'skipped') return expect(result.detail).not.toBe('');
          expect(result.text).not.toContain('\0');
          expect(result.text.isWellFormed()).toBe(true);
          expect(result.text.trim()).not.toBe('');
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('readText: what is not indexed', () => {
  it.each([
    ['no bytes', ''],
    ['blanks', ' \r\n\t\n'],
    ['a byte order mark alone', '\ufeff'],
  ])('%s is empty', (_, content) => {
    expect(skippedFor(read(content))).toBe('empty');
  });

  it('a file over the limit is too large, one at the limit is not', () => {
    expect(readText(Buffer.from('12345'), { path: 'file', maxFileBytes: 4 })).toEqual({
      kind: 'skipped',
      reason: 'too_large',
      detail: '5 bytes, limit 4',
    });
    expect(readText(Buffer.from('1234'), { path: 'file', maxFileBytes: 4 })).toMatchObject({ text: '1234' });
  });

  it('a Git LFS pointer is distinguished from a text about one', () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
    expect(read(pointer)).toEqual({
      kind: 'skipped',
      reason: 'lfs_pointer',
      detail: 'pointer to a file of 12345 bytes in Git LFS',
    });
    expect(read(`A pointer reads:\n${pointer}`).kind).toBe('text');
    expect(read(pointer + 'An essay on pointers.\n'.repeat(60)).kind).toBe('text');
  });

  it.each([
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'PNG image'],
    ['a PDF of readable bytes', Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n'), 'PDF document'],
    ['gzip', gzipSync('text '.repeat(100)), 'gzip data'],
    ['text with a NUL', Buffer.from('text\0more text\n'), 'NUL byte at offset 4'],
    ['NULs alone', Buffer.alloc(64), 'NUL byte at offset 0'],
    ['marked UTF-16 with a NUL', utf16le('\ufeffa\0b'), 'NUL character at position 1'],
    [
      'numbers of 16 bits',
      Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => index).buffer),
      'NUL byte at offset 0',
    ],
    ['control characters', Buffer.from('\x01\x02ab\x03\x04cd'.repeat(10)), '40 control characters among 80'],
    ['a bare deflate stream', deflateSync('some text to deflate, long enough to have odd bytes '), null],
  ])('%s is binary', (_, bytes, detail) => {
    expect(read(bytes)).toMatchObject({
      kind: 'skipped',
      reason: 'binary',
      ...(detail !== null && { detail }),
    });
  });

  it('random bytes are never text', () => {
    for (let round = 0; round < 200; round += 1) expect(read(randomBytes(512)).kind).toBe('skipped');
  });

  it('logs with colours, form feeds and backspaces are text', () => {
    expect(read('\x1b[31mred\x1b[0m\n\fpage b\bbold\n').kind).toBe('text');
  });
});

describe('readText: minified', () => {
  const statement = 'function a(b,c){return b.map(function(d){return d*c+1})}';

  it.each([
    ['a bundle on one line', statement.repeat(100)],
    [
      'a bundle under a licence comment',
      `/*! licence */\n${statement.repeat(100)}\n//# sourceMappingURL=a.map\n`,
    ],
    ['one-line JSON', JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `name ${id}` })))],
    ['one-line CSS', '.a{margin:0;padding:0 1px}'.repeat(200)],
    ['a bundle broken at 500 characters', `${statement.repeat(9)}\n`.repeat(20)],
    [
      'a source with a large embedded image',
      `const icon = "${'QUJD'.repeat(5000)}";\n${'export const a = 1;\n'.repeat(50)}`,
    ],
  ])('%s is skipped in a code format, and indexed in prose', (_, content) => {
    for (const path of ['a.js', 'a.css', 'a.json', 'unknown']) {
      expect(skippedFor(read(content, path))).toBe('minified');
    }
    for (const path of ['a.md', 'a.txt', 'a.rst', 'a.adoc', 'README', 'a.tex', 'a.ipynb']) {
      expect(skippedFor(read(content, path))).toBe('text');
    }
  });

  it.each([
    ['a small one-line JSON', JSON.stringify({ a: 1, b: [1, 2, 3] })],
    [
      'prose with a paragraph to a line',
      `${'The quick brown fox jumps over the lazy dog. '.repeat(30)}\n\n`.repeat(10),
    ],
    ['Chinese prose with long paragraphs', `${'这是一个很长的段落,没有空格。'.repeat(40)}\n`.repeat(20)],
    ['indented code', '    if (value > limit) {\n        return value;\n    }\n'.repeat(200)],
    [
      'a source with one long literal',
      `${'export const a = 1;\n'.repeat(500)}const data = "${'x'.repeat(5000)}";\n`,
    ],
    [
      'indented code with carriage returns',
      '    if (value > limit) {\r        return value;\r    }\r'.repeat(200),
    ],
    ['a wide table', `${'some cell, 12.5, another cell, '.repeat(12)}\n`.repeat(50)],
  ])('%s is text', (_, content) => {
    expect(read(content).kind).toBe('text');
  });

  it('returns the numbers', () => {
    expect(read('x'.repeat(3000))).toMatchObject({
      detail: 'longest line 3000 characters; 100 % of the text in lines over 2000',
    });
  });
});
