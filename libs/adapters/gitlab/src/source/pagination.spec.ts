import { describe, expect, it } from '@jest/globals';
import { nextPage } from './pagination.js';

describe('nextPage', () => {
  it('takes the query of the next link unchanged, for any host', () => {
    const link =
      '<https://gitlab.internal:8181/api/v4/projects/1/repository/tree?page_token=a%2Bb%3D&ref=c>; rel="next"';
    expect(nextPage({ link })).toEqual({ kind: 'query', query: 'page_token=a%2Bb%3D&ref=c' });
  });

  it('finds the next link among others, with commas inside a URL, and in several headers', () => {
    const link =
      '<http://h/t?page=1&x=a,b>; rel="prev", <http://h/t?page=3&x=a,b>; rel="next", <http://h/t?page=1>; rel="first"';
    expect(nextPage({ link })).toEqual({ kind: 'query', query: 'page=3&x=a,b' });
    const several = {
      link: ['<http://h/t?page=1>; rel="first"', '<http://h/t?page=2>; title="x"; rel=next'],
    };
    expect(nextPage(several as never)).toEqual({ kind: 'query', query: 'page=2' });
  });

  it('recognizes the last page by other links or an empty X-Next-Page', () => {
    expect(nextPage({ link: '<http://h/t?page=1>; rel="first"' })).toEqual({ kind: 'end' });
    expect(nextPage({ 'x-next-page': '' })).toEqual({ kind: 'end' });
  });

  it('does not take missing headers for the last page', () => {
    expect(nextPage({})).toEqual({ kind: 'unknown' });
  });

  it('returns null for a next page without a link to it', () => {
    expect(nextPage({ 'x-next-page': '2' })).toBeNull();
    expect(nextPage({ link: '<http://h/t>; rel="next"' })).toBeNull();
  });
});
