import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Chunk } from '@core/domain';
import { createChunker } from './chunker.js';
import { SPLITTER_VERSION } from '../fingerprint.js';

const standard = createChunker({ chunkSize: 7000, chunkOverlap: 1500 });
const small = createChunker({ chunkSize: 120, chunkOverlap: 30 });

function linesOf(text: string, { startLine, endLine }: Chunk): string {
  return text
    .split('\n')
    .slice(startLine - 1, endLine)
    .join('\n');
}

/** Few different lines, so that nearly every chunk's text occurs in many places. */
const repetitiveText = fc
  .tuple(
    fc.array(fc.constantFrom('', 'x', '  x', 'return null;', '}', 'é😀 '.repeat(30), 'class A {'), {
      maxLength: 120,
    }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([lines, lineEnd]) => lines.join(lineEnd));

describe('createChunker', () => {
  it('covers repetitive text exactly, within the chunk size', () => {
    fc.assert(
      fc.property(repetitiveText, fc.constantFrom('a.ts', 'a.py', 'a.md', 'a'), (text, path) => {
        const chunks = small.split(text, path);
        expect(chunks.map(({ index }) => index)).toEqual([...chunks.keys()]);
        for (const chunk of chunks) {
          expect(linesOf(text, chunk)).toContain(chunk.text);
          expect(chunk.endLine - chunk.startLine).toBe(chunk.text.split('\n').length - 1);
          expect(chunk.text.length).toBeLessThanOrEqual(120);
          expect(chunk.contentHash).toBe(createHash('sha256').update(chunk.text, 'utf8').digest('hex'));
        }
        const covered = new Set(
          chunks.flatMap(({ startLine, endLine }) =>
            Array.from({ length: endLine - startLine + 1 }, (_, offset) => startLine + offset),
          ),
        );
        const filled = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));
        expect(filled.filter((line) => !covered.has(line))).toEqual([]);
        expect(small.split(text, path)).toEqual(chunks);
      }),
      { numRuns: 250 },
    );
  });

  it.each(['\n', '\r\n'])('gives the true lines of a text with %j line ends', (lineEnd) => {
    const text = Array.from({ length: 3000 }, (_, index) => `const value${index + 1} = compute();`).join(
      lineEnd,
    );
    const chunks = standard.split(text, 'values.ts');
    expect(chunks.length).toBeGreaterThan(10);
    for (const chunk of chunks) {
      const numbers = [...chunk.text.matchAll(/value(\d+) /g)].map(([, digits]) => Number(digits));
      expect([chunk.startLine, chunk.endLine]).toEqual([numbers[0], numbers.at(-1)]);
    }
    expect(chunks[0]?.startLine).toBe(1);
    expect(chunks.at(-1)?.endLine).toBe(3000);
  });

  it('cuts a text with CRLF at the same paragraphs as the same text with LF', () => {
    const text = Array.from(
      { length: 30 },
      (_, index) => `${'a'.repeat(45)}\n${'b'.repeat(30)} ${index}`,
    ).join('\n\n');
    const lines = (chunks: Chunk[]): number[][] =>
      chunks.map(({ startLine, endLine }) => [startLine, endLine]);
    const expected = Array.from({ length: 30 }, (_, index) => [3 * index + 1, 3 * index + 2]);
    const chunker = createChunker({ chunkSize: 100, chunkOverlap: 0 });
    expect(lines(chunker.split(text, 'a.txt'))).toEqual(expected);
    expect(lines(chunker.split(text.replaceAll('\n', '\r\n'), 'a.txt'))).toEqual(expected);
  });

  it('places repeated text by position, not by the first match', () => {
    const text = 'same\n'.repeat(1000);
    const chunks = small.split(text, 'same.txt');
    // 24 lines of 5 characters fill 120, the last line end is not needed; 6 of them (30) overlap.
    expect(chunks.slice(0, 3).map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 24],
      [19, 42],
      [37, 60],
    ]);
    expect(chunks.at(-1)?.endLine).toBe(1000);
  });

  it('keeps a short file in one chunk, without surrounding blank lines', () => {
    const chunks = standard.split('\n\n  first\nlast  \n\n', 'a.txt');
    expect(chunks).toEqual([
      {
        index: 0,
        text: '  first\nlast',
        startLine: 3,
        endLine: 4,
        contentHash: createHash('sha256').update('  first\nlast').digest('hex'),
      },
    ]);
  });

  it('has no chunk for an empty or blank text', () => {
    expect(standard.split('', 'a.ts')).toEqual([]);
    expect(standard.split(' \n\t\r\n ', 'a.ts')).toEqual([]);
  });

  it('cuts Markdown before a heading, and code where # is a comment at the last paragraph', () => {
    const paragraph = 'Words of a paragraph.\n\n';
    const text = `Intro.\n\n${paragraph.repeat(4)}# Two\n\n${paragraph.repeat(30)}`;
    expect(small.split(text, 'a.md')[0]?.endLine).toBe(9);
    expect(small.split(text, 'a.py')[0]?.endLine).toBe(11);
  });

  it('finishes 5 MB of TypeScript, and texts without line ends, paragraphs or anything but line ends', () => {
    const source = Array.from(
      { length: 60_000 },
      (_, index) => `export function step${index}(input: number): number {\n  return input + ${index};\n}\n`,
    ).join('\n');
    for (const text of [source, 'x'.repeat(2_000_000), 'x y '.repeat(500_000), 'x\n'.repeat(1_000_000)]) {
      const chunks = standard.split(text, 'big.ts');
      expect(chunks.length).toBeGreaterThanOrEqual(Math.floor(text.length / 7000));
    }
  });

  it('gives the recorded chunks of this SPLITTER_VERSION', () => {
    const text = Array.from(
      { length: 60 },
      (_, index) => `## Part ${index}\n\nText of part ${index}.\n\n---\n`,
    ).join('\n');
    const digest = createHash('sha256');
    for (const path of ['a.md', 'a.ts', 'a.html', 'a']) {
      for (const { startLine, endLine, contentHash } of small.split(text, path)) {
        digest.update(`${startLine}-${endLine} ${contentHash}\n`);
      }
    }
    // If this differs, every index must be chunked again: increase SPLITTER_VERSION together with this line.
    expect([SPLITTER_VERSION, digest.digest('hex').slice(0, 16)]).toEqual([2, '001ae740934bff19']);
  });

  it.each([
    [{ chunkSize: 10, chunkOverlap: 0 }, 'chunk_size_invalid'],
    [{ chunkSize: 1000, chunkOverlap: 500 }, 'chunk_overlap_invalid'],
  ])('refuses %j', (settings, code) => {
    expect(() => createChunker(settings)).toThrow(expect.objectContaining({ kind: 'invalid', code }));
  });
});
