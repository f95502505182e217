import { describe, expect, it } from '@jest/globals';
import { csvLine } from './csv.js';

describe('csvLine', () => {
  it('writes null as an empty cell, instants in UTC, and numbers unchanged', () => {
    expect(csvLine([null, new Date('2026-11-20T09:00:00Z'), -3.5, true, 'main'])).toBe(
      ',2026-11-20T09:00:00.000Z,-3.5,true,main\r\n',
    );
  });

  it('quotes cells with commas, quotes or line breaks', () => {
    expect(csvLine(['a,b', 'say "hi"', 'one\ntwo'])).toBe('"a,b","say ""hi""","one\ntwo"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\uFF1D1'])(
    'adds an apostrophe before the formula %j',
    (text) => {
      const [cell] = csvLine([text]).split(/,|\r\n$/);
      expect(cell?.replace(/^"/, '').startsWith("'")).toBe(true);
      expect(csvLine([text])).toContain(text);
    },
  );

  it('does not change signs within a text', () => {
    expect(csvLine(['a=b', '1-2'])).toBe('a=b,1-2\r\n');
  });
});
