import { describe, expect, it } from '@jest/globals';
import { byWords } from './matching.js';
import { queryWords } from './query-words.js';
import { snippetOf } from './snippet.js';

const FILLER = Array.from({ length: 40 }, (_, index) => `  const unrelated${index} = ${index};`);

function snippet(query: string, lines: readonly string[], height?: number) {
  return snippetOf(lines.join('\n'), 100, byWords(queryWords(query)).scorerOf(''), height);
}

/** The highlighted texts of a snippet. */
function marked({ text, startLine, highlights }: ReturnType<typeof snippetOf>): string[] {
  const lines = text.split('\n');
  return highlights.map(({ line, start, end }) => lines[line - startLine]!.slice(start, end));
}

describe('the snippet of a chunk', () => {
  it('has the lines that match, with their numbers in the file', () => {
    const found = snippet('where is the lease renewed', [
      ...FILLER,
      'async renewLease(lease: Lease) {',
      '  return lease;',
      '}',
      ...FILLER,
    ]);
    expect(found.startLine).toBe(139);
    expect(found.endLine).toBe(145);
    expect(found.text.split('\n')[1]).toBe('async renewLease(lease: Lease) {');
    expect(marked(found)).toEqual(['renew', 'Lease', 'lease', 'Lease', 'lease']);
  });

  it('prefers the definition of a name to its uses, and highlights the whole name', () => {
    const found = snippet('isFresh', [
      'if (isFresh(a)) return;',
      ...FILLER,
      'export function isFresh(value: Value): boolean {',
      ...FILLER,
    ]);
    expect(found.text).toContain('export function isFresh');
    expect(marked(found)).toEqual(['isFresh']);
  });

  it('begins with the chunk when nothing matches', () => {
    expect(snippet('zebra', FILLER, 3)).toMatchObject({ startLine: 100, endLine: 102, highlights: [] });
  });

  it('ignores words that say nothing, and cuts long lines', () => {
    expect(marked(snippet('what is the total', ['the total is what it is']))).toEqual(['total']);
    expect(snippet('x', ['x'.repeat(5000)]).text).toHaveLength(400);
  });
});
