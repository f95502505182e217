import { describe, expect, it } from '@jest/globals';
import { evaluate } from './evaluate.js';
import { questionsOf } from './questions.js';

const hit = (path: string, start = 1, end = 9) => ({ path, start_line: start, end_line: end });

describe('evaluating a search', () => {
  it('has the metrics of each mode, by the rank of the expected place', async () => {
    const asked: object[] = [];
    const questions = [
      { question: 'first', expected: 'a.ts' },
      { question: 'third', expected: 'c.ts:12', repository: 'group/project' },
      { question: 'never', expected: 'd.ts' },
    ];
    const results = await evaluate(questions, ['hybrid', 'lexical'], (body) => {
      asked.push(body);
      return Promise.resolve([hit('a.ts'), hit('c.ts'), hit('c.ts', 10, 20)]);
    });
    const metrics = {
      questions: 3,
      recall1: 0.333,
      recall3: 0.667,
      recall5: 0.667,
      recall10: 0.667,
      mrr: 0.444,
      ndcg10: 0.5,
    };
    expect(results).toEqual([
      { mode: 'hybrid', ...metrics },
      { mode: 'lexical', ...metrics },
    ]);
    expect(asked[1]).toEqual({ query: 'third', mode: 'hybrid', limit: 10, repositories: ['group/project'] });
  });

  it.each([
    [{}, 'must be a list of questions'],
    [[{ question: 'a' }], 'Question 1 of q.yaml must have question and expected'],
    [[{ question: 'a', expected: 'b', path: 'c' }], 'unknown field "path"'],
    [[{ question: 'a', expected: 7 }], 'Question 1'],
  ])('refuses %j', (content, fault) => {
    expect(() => questionsOf(content, 'q.yaml')).toThrow(fault);
  });
});
