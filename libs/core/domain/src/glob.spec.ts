import { describe, expect, it } from '@jest/globals';
import { compileGlob } from './glob.js';

const matches = (glob: string, path: string): boolean => compileGlob(glob, 'include_globs')(path);

describe('compileGlob', () => {
  it.each([
    ['*.md', 'README.md', 'docs/a.md'],
    ['**/*.md', 'README.md', 'README.mdx'],
    ['**/*.md', 'docs/deep/.b.md', 'docs/md'],
    ['src/**', 'src/a/b.ts', 'lib/src/a.ts'],
    ['src/**', 'src/.hidden', 'src'],
    ['src/**/test/*.ts', 'src/test/a.ts', 'src/test/deep/a.ts'],
    ['src/**/test/*.ts', 'src/a/b/test/a.ts', 'src/a/tests/a.ts'],
    ['**/dist/**', 'dist/a', 'distant/a'],
    ['**/a/**/a/**', 'a/a/x', 'a/x'],
    ['release/*', 'release/1.2', 'release/1/2'],
    ['?.ts', 'a.ts', 'ab.ts'],
    ['[a-c].ts', 'b.ts', 'd.ts'],
    ['[!a-c].ts', 'd.ts', 'b.ts'],
    ['*.{ts,js}', 'a.ts', 'a.jsx'],
    ['{src,lib/{a,b}}/*.ts', 'lib/b/x.ts', 'lib/c/x.ts'],
    ['{,**/}index.ts', 'a/b/index.ts', 'a/main.ts'],
    ['paths/{id}/get.yaml', 'paths/{id}/get.yaml', 'paths/id/get.yaml'],
    ['a/\\{b,c\\}', 'a/{b,c}', 'a/b'],
    ['app/\\[id\\]/**', 'app/[id]/page.tsx', 'app/i/page.tsx'],
    ['app/(shop)/*', 'app/(shop)/page.tsx', 'app/shop/page.tsx'],
    ['[{,}]', '{', 'x'],
    ['Ä*', 'Äpfel', 'apfel'],
  ])('%s matches %s and not %s', (glob, hit, miss) => {
    expect([matches(glob, hit), matches(glob, miss)]).toEqual([true, false]);
  });

  it.each([
    ['', 'it is empty'],
    ['!dist/**', 'it is negated'],
    ['!(dist)/**', 'it is negated'],
    ['/src/**', 'begin without a slash'],
    ['dist/', 'write "dist/**"'],
    ['src/[a', 'a broken [...]'],
    ['[[:words:]]', 'a broken [...]'],
    ['a\\', 'a broken [...]'],
    ['{a,b', 'a "{" has no "}"'],
    ['a.@(ts|js)', 'groups such as "@(...)"'],
    ['{a,b}'.repeat(50), 'more than 100 patterns'],
  ])('refuses %j, because %s', (glob, fault) => {
    expect(() => compileGlob(glob, 'branches')).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'glob_invalid',
        message: expect.stringContaining(fault),
        details: { field: 'branches', found: glob },
      }),
    );
  });

  // A matcher that tries again what it has tried takes longer than any test may.
  it.each([
    [`${'*a'.repeat(120)}*b`, 'a'.repeat(4000), false],
    [`${'*?a'.repeat(120)}*b*`, 'a'.repeat(4000), false],
    [`${'*[ab]'.repeat(90)}c`, 'ab'.repeat(2000), false],
    [`${'**/a/'.repeat(90)}b`, `${'a/'.repeat(2000)}c`, false],
    [`${'**/*a*/'.repeat(60)}b`, `${'aaaa/'.repeat(800)}b`, true],
  ])('decides %.20s... on a long path', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });
});
