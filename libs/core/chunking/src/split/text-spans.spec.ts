import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitIntoSpans, type SplitSettings, type TextSpan } from './text-spans.js';

const HEADING = /^#{1,6} /;

/** Difficult for splitters: repetition, CRLF, indentation, headings, long words, surrogate pairs, blanks. */
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
  '😀',
  'é',
  '\u00a0',
  'x'.repeat(130),
  '😀'.repeat(70),
  'word '.repeat(40),
  '}\n'.repeat(60),
);
const blanks = fc.constantFrom('\n'.repeat(300), ' '.repeat(200), '\r\n'.repeat(90));
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.array(fc.oneof({ weight: 3, arbitrary: piece }, blanks), { maxLength: 60 }).map((all) => all.join('')),
  fc.tuple(piece, fc.integer({ min: 1, max: 300 })).map(([repeated, times]) => repeated.repeat(times)),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
);
const anySettings = fc
  .integer({ min: 100, max: 400 })
  .chain((chunkSize) =>
    fc.record({ chunkSize: fc.constant(chunkSize), chunkOverlap: fc.nat({ max: (chunkSize - 1) >> 1 }) }),
  );

const textsOf = (text: string, spans: TextSpan[]): string[] =>
  spans.map(({ start, end }) => text.slice(start, end));
const overlapsOf = (spans: TextSpan[]): number[] =>
  spans.slice(1).map(({ start }, index) => spans[index]!.end - start);
const longestBlank = (text: string): number =>
  Math.max(0, ...(text.match(/\s+/g) ?? []).map((blank) => blank.length));

/** One unit more than a tenth: a cut is moved out of a surrogate pair. */
function isOverlapKept(overlap: number, { chunkOverlap }: SplitSettings): boolean {
  return chunkOverlap === 0 ? overlap <= 0 : Math.abs(overlap - chunkOverlap) <= chunkOverlap / 10 + 1;
}

/** What is wrong with the spans of a text. */
function faultsOf(text: string, spans: TextSpan[], { chunkSize }: SplitSettings): string[] {
  const faults: string[] = [];
  let former: TextSpan = { start: -1, end: 0 };
  for (const span of spans) {
    const chunk = text.slice(span.start, span.end);
    const isFault = {
      'order of starts': span.start <= former.start,
      'order of ends': span.end <= former.end,
      gap: text.slice(former.end, Math.max(former.end, span.start)).trim() !== '',
      size: chunk.length > chunkSize,
      'split character': !chunk.isWellFormed(),
      'blank end': chunk === '' || chunk.trimEnd() !== chunk,
    };
    for (const [fault, isFound] of Object.entries(isFault)) {
      if (isFound) faults.push(`${fault} at ${span.start}-${span.end}`);
    }
    former = span;
  }
  if (text.slice(former.end).trim() !== '') faults.push(`no span after ${former.end}`);
  return faults;
}

describe('splitIntoSpans', () => {
  it('covers all text but whitespace, in order, within the size, without splitting surrogate pairs', () => {
    fc.assert(
      fc.property(anyText, anySettings, fc.constantFrom(HEADING, null), (text, settings, heading) => {
        expect(faultsOf(text, splitIntoSpans(text, heading, settings), settings)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the overlap within a tenth wherever no blank space fills an eighth of a chunk', () => {
    fc.assert(
      fc.property(anyText, anySettings, fc.constantFrom(HEADING, null), (text, settings, heading) => {
        fc.pre(longestBlank(text) < settings.chunkSize / 8);
        const overlaps = overlapsOf(splitIntoSpans(text, heading, settings));
        expect(overlaps.filter((overlap) => !isOverlapKept(overlap, settings))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  const lines = (length: number): string => `${'word '.repeat(length / 5 - 1)}end.\n`;
  it.each([
    [7000, 1500],
    [7000, 3499],
    [1000, 200],
    [1000, 499],
    [500, 0],
  ])(
    'with size %d and overlap %d, has no fragment and keeps the overlap for every length of text and line',
    (chunkSize, chunkOverlap) => {
      const settings = { chunkSize, chunkOverlap };
      for (const lineLength of [40, 400, 9000, 1_000_000]) {
        const whole = lines(lineLength).repeat(Math.ceil((4 * chunkSize) / lineLength));
        for (let length = chunkSize + 1; length < 4 * chunkSize; length += Math.ceil(chunkSize / 50)) {
          const spans = splitIntoSpans(whole.slice(0, length), null, settings);
          expect(spans.length).toBeGreaterThanOrEqual(2);
          expect(Math.min(...spans.map(({ start, end }) => end - start))).toBeGreaterThanOrEqual(200);
          expect(overlapsOf(spans).filter((overlap) => !isOverlapKept(overlap, settings))).toEqual([]);
        }
      }
    },
  );

  it('balances the two chunks of a text that is just longer than one', () => {
    const text = 'x'.repeat(7010);
    expect(splitIntoSpans(text, null, { chunkSize: 7000, chunkOverlap: 1500 })).toEqual([
      { start: 0, end: 4838 },
      { start: 3338, end: 7010 },
    ]);
  });

  it.each(['\n', '\r\n'])('starts at whole lines when they end with %j', (lineEnd) => {
    const text = Array.from({ length: 2000 }, (_, index) => `const value${index} = compute();`).join(lineEnd);
    const spans = splitIntoSpans(text, null, { chunkSize: 7000, chunkOverlap: 1500 });
    expect(spans.length).toBeGreaterThan(8);
    for (const chunk of textsOf(text, spans)) {
      expect(chunk).toMatch(/^const value\d+ = /);
      expect(chunk).toMatch(/compute\(\);$/);
    }
    for (const overlap of overlapsOf(spans)) expect(Math.abs(overlap - 1500)).toBeLessThanOrEqual(15);
  });

  it('cuts inside a long line between words, and nowhere in a surrogate pair', () => {
    const prose = splitIntoSpans('several words '.repeat(400), null, { chunkSize: 1000, chunkOverlap: 200 });
    for (const chunk of textsOf('several words '.repeat(400), prose)) {
      expect(chunk).toMatch(/^(?:several|words) .* (?:several|words)$/);
    }
    const emoji = `x${'😀'.repeat(2000)}`;
    for (const chunkOverlap of [0, 199, 200]) {
      const spans = splitIntoSpans(emoji, null, { chunkSize: 1000, chunkOverlap });
      expect(textsOf(emoji, spans).every((chunk) => chunk.isWellFormed())).toBe(true);
    }
  });

  it.each([
    ['a function that starts a block of code', 'line();\n', 'function two() {\n'],
    ['a method rather than a statement', '    line();\n', '  two() {\n'],
    ['a definition after the end of a block', '  line();\n}\n', 'def two\n'],
  ])('ends a chunk before %s', (_, before, start) => {
    const filler = before.startsWith(' ') ? '    statement();\n' : '  statement();\n';
    const text = `${filler.repeat(52)}${before}${before.includes('}') ? '' : '\n'}${start}${filler}\n${filler.repeat(90)}`;
    const [first] = splitIntoSpans(text, null, { chunkSize: 1000, chunkOverlap: 200 });
    expect(text.slice(first!.end).trimStart().startsWith(start.trim())).toBe(true);
  });

  it('ends a chunk before the highest heading', () => {
    const paragraph = `${'Some words of a paragraph. '.repeat(3)}\n\n`;
    const text = `${paragraph.repeat(9)}${paragraph}# Two\n\n${paragraph}## Sub\n\n${paragraph.repeat(30)}`;
    const [first] = splitIntoSpans(text, HEADING, { chunkSize: 1100, chunkOverlap: 200 });
    expect(text.slice(first!.end).trimStart().startsWith('# Two')).toBe(true);
    const [plain] = splitIntoSpans(text, null, { chunkSize: 1100, chunkOverlap: 200 });
    expect(text.slice(plain!.end).trimStart().startsWith('# Two')).toBe(false);
  });

  it('keeps the indentation of the first line', () => {
    const text = `\n\n    indented ${'b'.repeat(60)}`;
    expect(textsOf(text, splitIntoSpans(text, null, { chunkSize: 100, chunkOverlap: 0 }))).toEqual([
      `    indented ${'b'.repeat(60)}`,
    ]);
  });

  it('leaves out blank space that fills most of a chunk, and starts anew after it', () => {
    const text = `first${'\n'.repeat(100_000)}  last`;
    const spans = splitIntoSpans(text, null, { chunkSize: 7000, chunkOverlap: 1500 });
    expect(textsOf(text, spans)).toEqual(['first', '  last']);
  });

  it.each([
    ['2 MB on one line', 'x'.repeat(2_000_000)],
    ['a million words on one line', 'x '.repeat(1_000_000)],
    ['100,000 empty lines between two words', `a${'\n'.repeat(100_000)}b`],
    ['2 MB of spaces between two words', `a${' '.repeat(2_000_000)}b`],
    ['a million lines', 'x\n'.repeat(1_000_000)],
    ['a million opening brackets', '['.repeat(1_000_000)],
    ['a million lines of closing brackets', '}\n'.repeat(1_000_000)],
    ['a million heading signs', '# '.repeat(1_000_000)],
    ['lines that are almost as long as a chunk', `${'x'.repeat(6900)}\n`.repeat(300)],
    ['whitespace in every line', `${' '.repeat(5000)}x\n`.repeat(400)],
  ])('finishes %s', (_, text) => {
    const spans = splitIntoSpans(text, HEADING, { chunkSize: 7000, chunkOverlap: 1500 });
    expect(spans.at(-1)?.end).toBe(text.trimEnd().length);
    expect(spans.length).toBeLessThanOrEqual(text.length / 2000 + 2);
  });
});
