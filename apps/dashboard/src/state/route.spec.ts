import { describe, expect, it } from '@jest/globals';
import { linkTo, parseRoute } from './route.js';

describe('a route', () => {
  it.each(['', '#', '#/', '/'])('%j is the start', (hash) => {
    expect(parseRoute(hash)).toEqual({ path: [], query: {} });
  });

  it('comes back from its link', () => {
    const query = { status: 'failed', pod: 'a&b=c d' };
    expect(parseRoute(linkTo('history/7', query))).toEqual({ path: ['history', '7'], query });
  });

  it('leaves out what has no value', () => {
    expect(linkTo('history', { status: '', page: '2' })).toBe('#/history?page=2');
  });
});
