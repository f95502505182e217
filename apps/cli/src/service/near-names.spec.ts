import { describe, expect, it } from '@jest/globals';
import { nearNames } from './near-names.js';

const PATHS = ['acme/shop', 'acme/api', 'acme/tools/cli', 'web/shop', 'platform/billing'];

describe('the names that a mistyped one may mean', () => {
  it.each([
    ['acme/shpo', ['acme/shop']],
    ['ACME/SHOP', ['acme/shop', 'web/shop']],
    ['amce/api', ['acme/api']],
    ['shop', ['acme/shop', 'web/shop']],
    ['acme/tool/cli', ['acme/tools/cli']],
    ['else/billing', ['platform/billing']],
    ['nothing/like-this', []],
  ])('for %s are %j', (typed, expected) => {
    expect(nearNames(typed, PATHS)).toEqual(expected);
  });
});
