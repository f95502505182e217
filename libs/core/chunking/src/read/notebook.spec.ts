import { describe, expect, it } from '@jest/globals';
import { createChunker } from '../split/chunker.js';
import { readNotebook } from './notebook.js';
import { readText } from './read-text.js';

const output = { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(5000) } };
const CELLS = [
  {
    cell_type: 'markdown',
    metadata: {},
    source: ['# Title "quoted" \\ ü 😀\n', '\n', 'Text, {with} [brackets]\n'],
  },
  { cell_type: 'code', metadata: { cells: ['no cell'] }, source: [], outputs: [] },
  {
    cell_type: 'code',
    execution_count: 7,
    metadata: { source: ['no source'] },
    outputs: [output, { text: ['printed\n'] }],
    source: ['import os\n', '\n', 'print(os.getcwd())'],
  },
  { cell_type: 'raw', metadata: {}, source: 'one string\nof two lines' },
];
const notebook = (cells: unknown[]): object => ({
  cells,
  metadata: { source: ['none'] },
  nbformat: 4,
  nbformat_minor: 5,
});
/** Jupyter writes one space for each level. */
const saved = (cells: unknown[]): string => `${JSON.stringify(notebook(cells), null, 1)}\n`;
const read = (content: string, path = 'a.ipynb'): ReturnType<typeof readText> =>
  readText(Buffer.from(content), { path, maxFileBytes: 10_000_000 });

const TEXT = [
  '# %% Cell 1 [markdown]',
  '# Title "quoted" \\ ü 😀',
  '',
  'Text, {with} [brackets]',
  '',
  '# %% Cell 3',
  'import os',
  '',
  'print(os.getcwd())',
  '',
  '# %% Cell 4 [raw]',
  'one string',
  'of two lines',
  '',
].join('\n');

describe('readNotebook', () => {
  it('gives the source of each cell under its number, without outputs, blank cells and metadata', () => {
    expect(readNotebook(saved(CELLS))?.text).toBe(TEXT);
  });

  it.each([
    ['saved by Jupyter', saved(CELLS)],
    ['saved with CRLF', saved(CELLS).replaceAll('\n', '\r\n')],
  ])('knows the line of the file for each line of a notebook %s', (_, json) => {
    const { text, fileLines } = readNotebook(json)!;
    const inFile = json.split(/\r?\n/);
    const lines = text.split('\n');
    expect(fileLines).toHaveLength(lines.length);
    const escaped = (line: string): string => JSON.stringify(line).slice(1, -1);
    lines.forEach((line, index) => {
      const held = inFile[fileLines[index]! - 1];
      if (!line.startsWith('# %%')) expect(held).toContain(escaped(line));
      else expect(fileLines[index]).toBe(fileLines[index + 1]);
    });
  });

  it('has line 1 for every line of a notebook on one line', () => {
    const { text, fileLines } = readNotebook(JSON.stringify(notebook(CELLS)))!;
    expect(text).toBe(TEXT);
    expect(new Set(fileLines)).toEqual(new Set([1]));
  });

  it('joins the parts of a line that stands in several strings', () => {
    const cells = [{ cell_type: 'code', source: ['a = ', '1\nb', ' = 2', '', '\n\n'] }];
    const { text, fileLines } = readNotebook(saved(cells))!;
    expect(text).toBe('# %% Cell 1\na = 1\nb = 2\n');
    const first = saved(cells).split('\n').indexOf('    "a = ",') + 1;
    expect(fileLines).toEqual([first, first, first + 1, first + 1]);
  });

  it.each([
    ['broken JSON', '{"cells": [{"cell_type": "code", "source": ["a"]}'],
    ['a merge conflict', `<<<<<<< HEAD\n${saved(CELLS)}`],
    ['JSON without cells', '{"a": 1}'],
    ['cells that are no list', '{"cells": "x"}'],
    ['no object', 'null'],
    ['a million brackets', '['.repeat(1_000_000)],
  ])('does not take %s for a notebook', (_, json) => {
    expect(readNotebook(json)).toBeNull();
  });
});

it('finishes a notebook with 100,000 nested lists and as many texts in them', () => {
  const nested = `${'['.repeat(100_000)}${'"x",'.repeat(100_000)}"x"${']'.repeat(100_000)}`;
  const json = `{"cells":[{"cell_type":"code","outputs":${nested},"source":"a"}]}`;
  expect(readNotebook(json)?.text).toBe('# %% Cell 1\na\n');
});

describe('a notebook file', () => {
  it('is read as its cells, whatever the length of its lines', () => {
    expect(read(JSON.stringify(notebook(CELLS)))).toMatchObject({ kind: 'text', text: TEXT });
    expect(read(JSON.stringify(notebook(CELLS)), 'a.json')).toMatchObject({ reason: 'minified' });
  });

  it('is read as plain text when it is not a valid notebook', () => {
    const broken = `${JSON.stringify(notebook(CELLS))},`;
    expect(read(broken)).toMatchObject({ kind: 'text', text: broken, fileLines: null });
  });

  it('is empty when no cell has text', () => {
    expect(read(saved([CELLS[1]]))).toMatchObject({ reason: 'empty', detail: 'no cell has text' });
    expect(read(saved([]))).toMatchObject({ reason: 'empty', detail: 'no cell has text' });
  });

  it('gives no NUL and no lone surrogate, even where its strings are escapes of them', () => {
    expect(read('{"cells":[{"cell_type":"code","source":["a\\u0000b"]}]}')).toMatchObject({
      reason: 'binary',
    });
    expect(read('{"cells":[{"cell_type":"code","source":["a\\ud800b"]}]}')).toMatchObject({
      text: '# %% Cell 1\na\ufffdb\n',
    });
  });

  it('is cut at cells, small ones together and a large one with the overlap', () => {
    const code = (name: string, length: number): object => ({
      cell_type: 'code',
      outputs: [output],
      source: Array.from({ length }, (_, index) => `${name}_${index} = compute(${index})\n`),
    });
    const cells = [
      ...Array.from({ length: 60 }, (_, index) => code(`small${index}`, 12)),
      code('large', 600),
    ];
    const json = saved(cells);
    const result = read(json);
    if (result.kind === 'skipped') throw new Error(result.detail);
    const chunks = createChunker({ chunkSize: 7000, chunkOverlap: 1500 }).split(
      result.text,
      'a.ipynb',
      result.fileLines,
    );
    const inFile = json.split('\n');
    for (const { text, startLine, endLine } of chunks) {
      expect(text).not.toContain('iVBOR');
      const [first = '', second = ''] = text.split('\n');
      expect(inFile[startLine - 1]).toContain(first.startsWith('# %%') ? second : first);
      expect(inFile[endLine - 1]).toContain(text.split('\n').at(-1));
    }
    expect(result.text).toContain('# %% Cell 61\nlarge_0 =');
    expect(chunks.filter(({ text }) => text.includes('large_')).length).toBeGreaterThan(2);
    // Each chunk that ends among the small cells ends with the last line of one.
    const inSmallCells = chunks.filter(({ text }) => !text.includes('large_'));
    expect(inSmallCells.length).toBeGreaterThan(2);
    for (const { text } of inSmallCells) expect(text).toMatch(/small\d+_11 = compute\(11\)$/);
    chunks.slice(1).forEach(({ text }, index) => {
      const before = chunks[index]!.text;
      const isShared = (length: number): boolean => before.endsWith(text.slice(0, length));
      expect(Array.from({ length: 301 }, (_, extra) => 1350 + extra).some(isShared)).toBe(true);
    });
  });
});
