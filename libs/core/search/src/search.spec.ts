import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { definedNames } from './definitions.js';
import { fusedScores, queryOf, termsOf } from './index.js';
import { nameFitOf } from './name-fit.js';
import { wordOf } from './words.js';

/** The sum of common weights, without rarity. */
function score(query: string, chunk: { path?: string; text: string }): number {
  const document = termsOf({ path: 'x', ...chunk });
  const weights = new Map(Array.from(document.ids, (id, index) => [id, document.weights[index]!]));
  const { terms } = queryOf(query);
  return terms.ids.reduce((sum, id, index) => sum + terms.weights[index]! * (weights.get(id) ?? 0), 0);
}

describe('the terms of a text', () => {
  it.each([
    ['isFresh', 'if (is_fresh(x))'],
    ['is_fresh', 'IS_FRESH'],
    ['fresh', 'isFresh'],
    ['parsing expressions', 'parseExpression()'],
    ['8931', 'listen(8931)'],
    ['HTTPServer', 'http server'],
    ['Löschung', 'löschung()'],
    ['東京', '東京の天気'],
  ])('match "%s" with `%s`', (query, text) => {
    expect(score(query, { text })).toBeGreaterThan(0);
  });

  it('match a path by its names, the name of the file more than that of a folder', () => {
    const text = '';
    const byFile = score('lease', { text, path: 'src/lease.ts' });
    expect(byFile).toBeGreaterThan(score('lease', { text, path: 'lease/index.ts' }));
    expect(score('src/lease.ts', { text, path: 'src/lease.ts' })).toBeGreaterThan(byFile);
  });

  it('weigh a definition more than many mentions', () => {
    const mentions = 'isFresh(entry);\n'.repeat(20);
    expect(score('isFresh', { text: 'function isFresh() {}' })).toBeGreaterThan(
      score('isFresh', { text: mentions }),
    );
  });

  it('weigh a mention less in a longer text', () => {
    const long = `isFresh(); ${'other words here '.repeat(200)}`;
    expect(score('isFresh', { text: long })).toBeLessThan(score('isFresh', { text: 'isFresh();' }));
  });

  it('ascend without repetition, have positive weights and are never empty, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const { ids, weights } = termsOf({ path: 'a', text });
        expect(ids.length).toBeGreaterThan(0);
        expect(weights).toHaveLength(ids.length);
        expect(weights.every((weight) => weight > 0)).toBe(true);
        expect([...ids]).toEqual([...new Set(ids)].sort((a, b) => a - b));
      }),
    );
  });
});

describe('the parts of a word', () => {
  it('are the same in ASCII and beside a character of another script', () => {
    const ascii = fc.string({ unit: fc.constantFrom(...'abcXYZ019_$-') });
    fc.assert(
      fc.property(ascii, (spelling) => {
        const { name, parts } = wordOf(spelling);
        expect(wordOf(`${spelling}東`)).toMatchObject({ name: `${name}東`, parts: [...parts, '東'] });
      }),
    );
  });
});

describe('defined names', () => {
  it.each([
    ['export class Lease extends Base {', 'Lease'],
    ['async function renew(lease) {', 'renew'],
    ['export const LIMIT = 3;', 'LIMIT'],
    ['const close = (a) => {', 'close'],
    ['exports.open = (path) => {', 'open'],
    ['Server.prototype.listen = function () {', 'listen'],
    ['  private async takeOver(pod: Pod): Promise<void> {', 'takeOver'],
    ['  find(id: string): Row | null;', 'find'],
    ['def release_lease(redis, key):', 'release_lease'],
    ['func (s *Server) Close(ctx context.Context) error {', 'Close'],
    ['pub fn parse_all(text: &str) -> Vec<Row> {', 'parse_all'],
    ['public static int countRows(String name) {', 'countRows'],
    ['#define MAX_ROWS 10', 'MAX_ROWS'],
    ['interface Row {', 'Row'],
  ])('are found in `%s`', (line, name) => {
    expect(definedNames(line)).toEqual([name]);
  });

  it.each([
    'return isFresh(entry);',
    'exports.open = file.open;',
    'exports.a = exports.b = void 0;',
    'if (isFresh(entry)) {',
    "const { join } = require('node:path');",
    "const path = require('node:path');",
    ' * class of things',
    '// function renew is elsewhere',
    '  renew(lease);',
    "describe('a class of things', () => {",
    `${'x'.repeat(301)} function renew() {`,
  ])('are not found in `%s`', (line) => {
    expect(definedNames(line)).toEqual([]);
  });
});

describe('fusion', () => {
  const scoresOf = (...given: Parameters<typeof fusedScores>) =>
    fusedScores(...given).map(({ score }) => score);
  let files = 0;
  const hit = (dense: number | null, lexical: number | null, text = '', path = `${files++}.ts`) => ({
    scores: { dense, lexical },
    payload: { repository_id: 'r', path, text },
  });

  it('of a name follows the words', () => {
    const hits = [hit(0.9, 1), hit(0.1, 30), hit(0.5, 2)];
    const [byMeaning, byWords] = scoresOf('isFresh', hits, 'trained');
    expect(byWords).toBeGreaterThan(byMeaning!);
  });

  it('of a question counts both lanes, by how much and not by rank', () => {
    const hits = [hit(0.9, null), hit(0.89, 20), hit(null, 21), hit(0.1, 1)];
    const scores = scoresOf('where is the lease renewed', hits, 'trained');
    expect(scores.indexOf(Math.max(...scores))).toBe(1);
    expect(scores[0]).toBeGreaterThan(0.1);
    expect(scores[2]).toBeGreaterThan(0.1);
    expect(scores[3]).toBe(0);
  });

  it('works with one lane alone, and without candidates', () => {
    expect(scoresOf('a question', [hit(0.9, null)], 'trained')[0]).toBeGreaterThan(0);
    expect(fusedScores('a question', [], 'trained')).toEqual([]);
  });

  it('of a question adds a part of the next chunks of a file to its best one, but not of other files or repositories', () => {
    const [own, next] = [hit(0.8, 20, '', 'a.ts'), hit(0.7, 19, '', 'a.ts')];
    const elsewhere = { ...next, payload: { ...next.payload, repository_id: 's' } };
    const [other, worst] = [hit(0.81, 20.1), hit(0, 0)];
    const scores = (third: typeof next) => scoresOf('renew a lease', [own, other, third, worst], 'trained');
    const [alone, first] = scores(elsewhere);
    expect(alone).toBeLessThan(first!);
    const [raised, second, last] = scores(next);
    expect(raised).toBeGreaterThan(second!);
    expect(last).toBeLessThan(second!);
  });

  it('of a question prefers what defines a name that says the same, in code and in headings', () => {
    const question = 'renew the lease of a run';
    const code = [hit(0.5, 20, 'const x = 1;'), hit(0.4, 19, 'function renewLease() {')];
    const [mention, definition] = scoresOf(question, [...code, hit(0, 0)], 'trained');
    expect(definition).toBeGreaterThan(mention!);
    const prose = [hit(0.5, 20, 'lease'), hit(0.4, 19, '## Renew a lease')].map((each) => ({
      ...each,
      payload: { ...each.payload, path: 'a.md' },
    }));
    const [text, heading] = scoresOf(question, [...prose, hit(0, 0)], 'trained');
    expect(heading).toBeGreaterThan(text!);
  });

  it('says how well defined names fit a question, and nothing when the query is a name', () => {
    const hits = [hit(0.5, 20, 'const x = 1;'), hit(0.4, 19, 'function renewLease() {')];
    const [other, fitting] = fusedScores('renew the lease', hits, 'trained');
    expect(other).toMatchObject({ names: 0 });
    expect(fitting!.names).toBeGreaterThan(0.5);
    expect(fusedScores('renewLease', hits, 'trained').map(({ names }) => names)).toEqual([null, null]);
  });

  it('of the best hit is 1 when both lanes agree on it, whether a name fits or not', () => {
    for (const text of ['const x = 1;', 'function renewLease() {'])
      expect(scoresOf('renew a lease', [hit(0.5, 20, text), hit(0, 0)], 'trained')).toEqual([1, 0]);
  });

  it('scores are between 0 and 1, for any question and text', () => {
    const texts = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true, min: 0, max: 50 })),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), texts, (question, found) => {
        const hits = found.map(([text, score]) => hit(score / 50, score, `function ${text}() {`));
        for (const score of scoresOf(`${question} a`, hits, 'trained')) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('the fit of defined names', () => {
  const fit = (question: string, text: string, path = 'x.ts') => nameFitOf(question)({ path, text });

  it('falls with each part of the name that the question lacks, and with each of its own words that the name lacks', () => {
    const exact = fit('renew the lease', 'function renewLease() {');
    expect(exact).toBe(1);
    expect(fit('renew the lease', 'function renewLeaseOfAllRuns() {')).toBeLessThan(exact);
    expect(fit('renew the lease of the oldest run', 'function renewLease() {')).toBeLessThan(exact);
    expect(fit('renew the lease', 'renewLease();')).toBe(0);
  });

  it('counts the name of the file, and parts that are shorter forms', () => {
    const text = 'export function renew() {';
    expect(fit('renew the lease', text, 'src/lease.ts')).toBeGreaterThan(fit('renew the lease', text));
    expect(fit('parameters of a request', 'function reqParams() {')).toBeGreaterThan(0.5);
  });
});
