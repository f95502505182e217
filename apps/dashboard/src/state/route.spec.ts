import { describe, expect, it } from '@jest/globals';
import { linkTo, pageOf, parseRoute } from './route.js';

describe('a dashboard route', () => {
  it.each(['', '#', '#/', '/'])('%j is the start page', (hash) => {
    expect(parseRoute(hash)).toEqual({ path: [], query: {} });
  });

  it('is parsed from its own link', () => {
    const query = { status: 'failed', pod: 'a&b=c d' };
    expect(parseRoute(linkTo('history/7', query))).toEqual({ path: ['history', '7'], query });
  });

  it('leaves out parameters without a value', () => {
    expect(linkTo('history', { status: '', trigger: undefined, page: 2 })).toBe('#/history?page=2');
  });

  it.each([
    [undefined, 0],
    ['none', 0],
    ['-1', 0],
    ['12', 12],
  ])('reads the page number %p as %p', (text, page) => {
    expect(pageOf(text)).toBe(page);
  });
});
