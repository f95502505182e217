import { describe, expect, it } from '@jest/globals';
import { isInScope, scopeOf } from './scope.js';

const HOST = 'https://git.test';
const covers = (pattern: string, projectPath: string) => isInScope([pattern], { baseUrl: HOST, projectPath });

describe('a scope', () => {
  it.each([
    ['platform', 'platform/api', true],
    ['platform', 'platform/team/api', true],
    ['platform', 'platform-two/api', false],
    ['platform', 'other/platform/api', false],
    ['platform/api', 'platform/api', true],
    ['platform/api', 'platform/apis', false],
    ['PLATFORM/Api', 'platform/api', true],
    ['platform/', 'platform/api', true],
    ['*/api', 'platform/api', true],
    ['*/api', 'platform/team/api', false],
    ['**/api', 'platform/team/api', true],
    ['web/*-service', 'web/pay-service', true],
    ['web/*-service', 'web/pay-tool', false],
    ['web/?', 'web/a', true],
    ['web/?', 'web/ab', false],
    ['a.b', 'axb/c', false],
    ['https://git.test/web', 'web/a', true],
    ['https://other.test/web', 'web/a', false],
    ['https://git.test', 'web/a', true],
  ])('%s contains %s: %s', (pattern, path, expected) => {
    expect(covers(pattern, path)).toBe(expected);
  });

  it('without patterns contains nothing, and the scope null contains everything', () => {
    expect(isInScope([], { baseUrl: HOST, projectPath: 'a/b' })).toBe(false);
    expect(isInScope(null, { baseUrl: HOST, projectPath: 'a/b' })).toBe(true);
  });

  it('has no limits with the pattern **', () => {
    expect(scopeOf(['web', '**'])).toBeNull();
    expect(scopeOf(['web'])).toEqual(['web']);
    expect(scopeOf([])).toEqual([]);
  });
});
