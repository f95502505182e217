import { describe, expect, it } from '@jest/globals';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import fc from 'fast-check';
import { separatorsFor } from './separators.js';
import { splitIntoSpans } from './text-spans.js';

const LANGUAGES = [
  'typescript',
  'python',
  'markdown',
  'html',
  'latex',
  'go',
  'restructuredtext',
  'solidity',
  null,
];

/** Difficult for splitters: repetition, CRLF, indentation, separators, long words, surrogate pairs, blanks. */
const piece = fc.constantFrom(
  'a',
  'same line\n',
  '  indented();\n',
  '\r\n',
  '\n\n',
  '\t',
  ' ',
  '\nfunction f() {',
  '\nclass A:',
  '\n## heading\n',
  '```\n\n',
  '<div>',
  '$',
  '\n\\section{',
  '😀',
  'é',
  '\u00a0',
  'x'.repeat(130),
  '😀'.repeat(70),
  'word '.repeat(40),
  '}\n'.repeat(60),
);
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.tuple(piece, fc.integer({ min: 1, max: 300 })).map(([repeated, times]) => repeated.repeat(times)),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
);
const anySettings = fc
  .integer({ min: 100, max: 400 })
  .chain((chunkSize) =>
    fc.record({ chunkSize: fc.constant(chunkSize), chunkOverlap: fc.nat({ max: (chunkSize - 1) >> 1 }) }),
  );

describe('splitIntoSpans', () => {
  it('covers all text but whitespace, in order, within the size, without splitting surrogate pairs', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        anySettings,
        fc.constantFrom(...LANGUAGES),
        async (text, settings, language) => {
          const spans = await splitIntoSpans(text, separatorsFor(language, text), settings);
          let covered = 0;
          let previousStart = -1;
          for (const { start, end } of spans) {
            expect(start).toBeGreaterThan(previousStart);
            expect(end).toBeGreaterThan(covered);
            expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('');
            expect(end - start).toBeLessThanOrEqual(settings.chunkSize);
            expect(text.slice(start, end).isWellFormed()).toBe(true);
            expect(text.slice(start, end).trimEnd()).toBe(text.slice(start, end));
            expect(covered - start).toBeLessThanOrEqual(settings.chunkOverlap);
            previousStart = start;
            covered = end;
          }
          expect(text.slice(covered).trim()).toBe('');
        },
      ),
      { numRuns: 400 },
    );
  });

  it('cuts where the plain LangChain splitter cuts', async () => {
    const settings = { chunkSize: 300, chunkOverlap: 60 };
    const text = Array.from({ length: 40 }, (_, index) =>
      [
        `function step${index}(input) {`,
        `  if (input > ${index}) {`,
        '    return input;',
        '  }',
        '',
        '}',
        '',
      ].join('\n'),
    ).join('\n');
    const expected = await RecursiveCharacterTextSplitter.fromLanguage('js', settings).splitText(text);
    const spans = await splitIntoSpans(text, separatorsFor('javascript', text), settings);
    expect(spans.length).toBeGreaterThanOrEqual(10);
    expect(spans.map(({ start, end }) => text.slice(start, end).trim())).toEqual(expected);
  });

  it('repeats the end of each chunk at the start of the next, in text that is cut at lines', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    const spans = await splitIntoSpans(text, separatorsFor(null, text), { chunkSize: 200, chunkOverlap: 50 });
    spans.slice(1).forEach(({ start }, index) => {
      const overlap = (spans[index]?.end ?? 0) - start;
      expect(overlap).toBeGreaterThan(30);
      expect(overlap).toBeLessThanOrEqual(50);
    });
  });

  it('cuts a text without any break into overlapping blocks', async () => {
    const text = 'x'.repeat(2_000_000);
    const spans = await splitIntoSpans(text, separatorsFor(null, text), {
      chunkSize: 7000,
      chunkOverlap: 1500,
    });
    expect(spans.at(-1)?.end).toBe(text.length);
    // Blocks of 109 characters: 64 fill a chunk, 13 of them overlap, so each chunk is 51 blocks after the former.
    expect(spans.slice(0, 2)).toEqual([
      { start: 0, end: 6976 },
      { start: 5559, end: 12_535 },
    ]);
  });

  it('keeps the indentation of a complete first line', async () => {
    const text = `${'a'.repeat(90)}\n\n    indented ${'b'.repeat(60)}`;
    const spans = await splitIntoSpans(text, separatorsFor('python', text), {
      chunkSize: 100,
      chunkOverlap: 0,
    });
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([
      'a'.repeat(90),
      `    indented ${'b'.repeat(60)}`,
    ]);
  });

  it('replaces a span by a longer one with the same start', async () => {
    const text = `${'\n'.repeat(60)}${'a'.repeat(30)}\n\n${'b'.repeat(30)}`;
    const spans = await splitIntoSpans(text, separatorsFor(null, text), { chunkSize: 100, chunkOverlap: 49 });
    expect(spans).toEqual([{ start: 60, end: 122 }]);
  });

  it('drops a span that only repeats the end of the previous one', async () => {
    const text = `${'a'.repeat(60)}\n\n${'b'.repeat(30)}${'\n'.repeat(30)}`;
    const spans = await splitIntoSpans(text, separatorsFor(null, text), { chunkSize: 100, chunkOverlap: 49 });
    expect(spans).toEqual([{ start: 0, end: 92 }]);
  });
});
