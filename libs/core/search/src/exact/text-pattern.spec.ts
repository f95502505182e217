import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RepotideError } from '@core/domain';
import { termsOf } from '../document-terms.js';
import { literalRuns } from './literal-runs.js';
import { textPattern } from './text-pattern.js';

const found = (query: string, text: string, options: { isRegex?: boolean; ignoreCase?: boolean } = {}) =>
  textPattern(query, { isRegex: false, ignoreCase: false, ...options })
    .rangesIn(text)
    .map(({ start, end }) => text.slice(start, end));

describe('a text pattern', () => {
  it('finds a literal with all its letters', () => {
    expect(found('a.b(', 'a.b( axb( A.B(')).toEqual(['a.b(']);
    expect(found('a.b(', 'a.b( axb( A.B(', { ignoreCase: true })).toEqual(['a.b(', 'A.B(']);
    expect(found('$1', 'cost $1')).toEqual(['$1']);
  });

  it('finds a regular expression line by line', () => {
    const text = 'const one = 1;\nexport const two = 2;\n';
    expect(found('^export \\w+', text, { isRegex: true })).toEqual(['export const']);
    expect(found('ONE.*;$', text, { isRegex: true, ignoreCase: true })).toEqual(['one = 1;']);
    expect(found('q*', text, { isRegex: true })).toEqual([]);
  });

  it.each([
    ['a(b', 'missing closing ): `a(b`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['(a{900}b{900}c{900})', 'its repetitions are too large'],
  ])('%s is refused with its fault', (query, fault) => {
    const compile = () => textPattern(query, { isRegex: true, ignoreCase: false });
    expect(compile).toThrow(RepotideError);
    expect(compile).toThrow(`query is not a regular expression of RE2's syntax: ${fault}.`);
  });

  it('names terms that every text with a match has, and no name that may be a part of a longer one', () => {
    const { certainTerms, likelyTerms } = textPattern('await lease.renew(now', {
      isRegex: false,
      ignoreCase: false,
    });
    expect(certainTerms).toHaveLength(2);
    expect(likelyTerms).toHaveLength(4);
    const { ids } = termsOf({ path: 'a.ts', text: 'if (await lease.renew(nowhere)) return;' });
    expect([...ids]).toEqual(expect.arrayContaining([...certainTerms]));
  });

  it('names only terms of any text with a match', () => {
    const piece = fc.constantFrom(
      'lease',
      'renewLease',
      'a-b',
      '$x',
      '_y',
      'é',
      '漢',
      'ﬁ',
      '-',
      '.',
      ' ',
      '(',
      '3',
      'K',
      '\n',
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (before, query, after, ignoreCase) => {
        const { certainTerms } = textPattern(query, { isRegex: false, ignoreCase });
        const { ids } = termsOf({ path: '', text: before + query + after });
        expect([...ids]).toEqual(expect.arrayContaining([...certainTerms]));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the literal runs of a regular expression', () => {
  it.each([
    ['export\\s+class Lease\\b', ['export', 'class Lease']],
    ['ab?c+d', ['a', 'c', 'd']],
    ['a\\.b[xyz]c(d|e)', []],
    ['a\\.b[]x]c(de)f{2}g', ['a.b', 'c', 'g']],
    ['(?i)abc', []],
    ['a[[:alpha:]\\]]b', ['a', 'b']],
    ['a\\(b', ['a(b']],
  ])('%s', (pattern, runs) => {
    expect(literalRuns(pattern)).toEqual(runs);
  });

  it('are in every match', () => {
    const item = fc.constantFrom(
      ...[
        'a',
        'b',
        'ab',
        '.',
        '\\.',
        '\\w',
        '[ab]',
        '[^a]',
        '(ab)',
        '(a(b)c)',
        '\\(',
        '^',
        '$',
        '\\b',
        'a{2}',
        '{',
        '[]a]',
      ],
    );
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{0,2}', '{2}', '+?');
    const pattern = fc
      .array(fc.tuple(item, quantifier), { minLength: 1, maxLength: 6 })
      .map((items) => items.map(([each, times]) => each + times).join(''));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '.', '(', '{', ' ', '\n'), { maxLength: 30 })
      .map((t) => t.join(''));
    fc.assert(
      fc.property(pattern, text, (regex, subject) => {
        fc.pre(isValid(regex));
        for (const match of found(regex, subject, { isRegex: true }))
          for (const run of literalRuns(regex)) expect(match).toContain(run);
      }),
      { numRuns: 5_000 },
    );
  });
});

function isValid(regex: string): boolean {
  try {
    textPattern(regex, { isRegex: true, ignoreCase: false });
    return true;
  } catch {
    return false;
  }
}
