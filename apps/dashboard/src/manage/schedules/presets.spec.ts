import { describe, expect, it } from '@jest/globals';
import { expressionOf, timingOf } from './presets.js';

describe('presets of schedules', () => {
  it.each(['H/15 * * * *', 'H * * * *', '5 3 * * *', '30 18 * * 5', '0 0 1 * *', '*/10 8-18 * * 1-5'])(
    'keep the expression %s',
    (expression) => {
      expect(expressionOf(timingOf(expression))).toBe(expression);
    },
  );

  it('make an expression of a day and a time', () => {
    expect(expressionOf({ preset: 'weekly', time: '09:05', day: '2', expression: '' })).toBe('5 9 * * 2');
  });
});
