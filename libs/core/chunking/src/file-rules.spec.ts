import { describe, expect, it } from '@jest/globals';
import { type TreeEntry } from '@core/domain';
import { classifyPath, compileFileRules } from './file-rules.js';

const blobSha = 'a'.repeat(40);
const file = (path: string, mode = '100644'): TreeEntry => ({ path, mode, blobSha });
const everything = compileFileRules({ includeGlobs: [], excludeGlobs: [] });

describe('classifyPath', () => {
  it('includes every file without rules, also executables and dot files', () => {
    expect(classifyPath(file('a.ts'), everything)).toBeNull();
    expect(classifyPath(file('bin/run', '100755'), everything)).toBeNull();
    expect(classifyPath(file('.github/.hidden'), everything)).toBeNull();
  });

  it('names submodules and symlinks by their mode', () => {
    expect(classifyPath(file('vendor/lib', '160000'), everything)).toEqual({
      reason: 'submodule',
      detail: `at commit ${blobSha}`,
    });
    expect(classifyPath(file('link.ts', '120000'), everything)?.reason).toBe('symlink');
  });

  it('includes only matching files, also dot files and dot folders', () => {
    const rules = compileFileRules({ includeGlobs: ['src/**', '**/*.md'], excludeGlobs: [] });
    for (const path of ['src/a.ts', 'src/.config/x', 'README.md', 'docs/deep/.b.md']) {
      expect(classifyPath(file(path), rules)).toBeNull();
    }
    expect(classifyPath(file('lib/src/a.ts'), rules)).toEqual({
      reason: 'not_included',
      detail: 'matches none of 2 include globs',
    });
  });

  it('lets exclude globs win, and names the glob', () => {
    const rules = compileFileRules({ includeGlobs: ['**/*.ts'], excludeGlobs: ['**/*.md', '**/dist/**'] });
    expect(classifyPath(file('dist/a.ts'), rules)).toEqual({
      reason: 'excluded',
      detail: 'matches "**/dist/**"',
    });
    expect(classifyPath(file('src/distant/a.ts'), rules)).toBeNull();
  });

  it('is case sensitive, as git is', () => {
    const rules = compileFileRules({ includeGlobs: ['**/*.ts'], excludeGlobs: [] });
    expect(classifyPath(file('A.TS'), rules)?.reason).toBe('not_included');
  });
});

describe('compileFileRules', () => {
  it.each(['include_globs', 'exclude_globs'])('refuses a glob that can never match in %s', (setting) => {
    const [includeGlobs, excludeGlobs] =
      setting === 'include_globs' ? [['src/['], []] : [[], ['ok', 'src/[']];
    expect(() => compileFileRules({ includeGlobs, excludeGlobs })).toThrow(
      expect.objectContaining({ code: 'glob_invalid', details: { field: setting, found: 'src/[' } }),
    );
  });
});
