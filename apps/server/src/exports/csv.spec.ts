import { describe, expect, it } from '@jest/globals';
import { csvLine } from './csv.js';

describe('csvLine', () => {
  it('writes nothing for null, instants in UTC, and numbers as they are', () => {
    expect(csvLine([null, new Date('2026-11-20T09:00:00Z'), -3.5, true, 'main'])).toBe(
      ',2026-11-20T09:00:00.000Z,-3.5,true,main\r\n',
    );
  });

  it('quotes what would end a cell or a line', () => {
    expect(csvLine(['a,b', 'say "hi"', 'one\ntwo'])).toBe('"a,b","say ""hi""","one\ntwo"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\uFF1D1'])(
    'takes the power from %j',
    (text) => {
      const [cell] = csvLine([text]).split(/,|\r\n$/);
      expect(cell?.replace(/^"/, '').startsWith("'")).toBe(true);
      expect(csvLine([text])).toContain(text);
    },
  );

  it('leaves signs within a text alone', () => {
    expect(csvLine(['a=b', '1-2'])).toBe('a=b,1-2\r\n');
  });
});
