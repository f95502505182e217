import { describe, expect, it } from '@jest/globals';
import { linkToLines } from './line-link.js';

describe('the link to lines of a file', () => {
  const repository = {
    provider: 'gitlab',
    baseUrl: 'https://gitlab.example',
    projectPath: 'team/app',
  } as const;

  it.each([
    ['src/a b#1.ts', 'src/a%20b%231.ts'],
    ['docs/Größe.md', 'docs/Gr%C3%B6%C3%9Fe.md'],
    // Bytes of Latin-1, and a name that reads like them.
    ['docs/Gr\\xF6e.md', 'docs/Gr%F6e.md'],
    ['docs/Gr\\x5CxF6e.md', 'docs/Gr%5CxF6e.md'],
  ])('of %s has its bytes', (path, escaped) => {
    expect(linkToLines(repository, { path, commit: 'abc', startLine: 1, endLine: 2 })).toBe(
      `https://gitlab.example/team/app/-/blob/abc/${escaped}#L1-2`,
    );
  });
});
