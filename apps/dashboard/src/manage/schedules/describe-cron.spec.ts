import { describe, expect, it } from '@jest/globals';
import { describeCron } from './describe-cron.js';

const TICK = new Date('2026-03-02T23:37:00Z');

describe('a cron expression in plain words', () => {
  it.each([
    ['*/15 * * * *', /every 15 minutes/i],
    ['30 3 * * *', /03:30/],
    ['0 6 * * 1', /06:00.*Monday/],
    ['H/20 * * * *', /every 20 minutes/i],
    ['H * * * *', /37 minutes past/i],
    // 23:37 in UTC is 00:37 in Berlin.
    ['H H(0-5) * * *', /00:37/],
  ])('describes %s', (expression, words) => {
    expect(describeCron(expression, TICK, 'Europe/Berlin')).toMatch(words);
  });

  it.each(['', '* * * *', 'x * * * *', '0 0 1 H *'])('says nothing about %j', (expression) => {
    expect(describeCron(expression, null, 'UTC')).toBeNull();
  });
});
