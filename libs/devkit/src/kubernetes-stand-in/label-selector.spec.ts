import { describe, expect, it } from '@jest/globals';
import { parseLabelSelector } from './label-selector.js';

const LABELS = { 'app.kubernetes.io/instance': 'repotide', tier: 'worker' };

describe('parseLabelSelector', () => {
  it.each([
    ['', true],
    ['tier=worker', true],
    ['tier==worker', true],
    ['tier=api', false],
    ['tier!=api', true],
    ['absent!=x', true],
    ['app.kubernetes.io/instance=repotide,tier in (api, worker)', true],
    ['tier in (api,scheduler)', false],
    ['tier notin (api)', true],
    ['absent notin (api)', true],
    ['absent in (api)', false],
    ['tier', true],
    ['absent', false],
    ['!absent', true],
    ['!tier', false],
  ])('%s', (selector, matches) => expect(parseLabelSelector(selector)(LABELS)).toBe(matches));

  it('refuses an invalid selector', () => {
    expect(() => parseLabelSelector('a=b=c')).toThrow('unable to parse');
  });
});
