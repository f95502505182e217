import { describe, expect, it } from '@jest/globals';
import { languageOf } from './language.js';

describe('languageOf', () => {
  it.each([
    ['src/app/main.ts', 'typescript'],
    ['src/View.TSX', 'typescript'],
    ['types/index.d.ts', 'typescript'],
    ['a.mjs', 'javascript'],
    ['README.md', 'markdown'],
    ['README', 'text'],
    ['lib/x.py', 'python'],
    ['include/a.h', 'c'],
    ['src/a.hpp', 'cpp'],
    ['charts/templates/_helpers.tpl', 'gotemplate'],
    ['infra/main.tf', 'terraform'],
    ['docker/Dockerfile', 'dockerfile'],
    ['Dockerfile.prod', 'dockerfile'],
    ['api.Dockerfile', 'dockerfile'],
    ['Makefile', 'makefile'],
    ['.gitlab-ci.yml', 'yaml'],
    ['.gitignore', 'ignore'],
    ['.env.local', 'dotenv'],
    ['.env', 'dotenv'],
    ['go.mod', 'gomod'],
    ['Cargo.lock', 'toml'],
    ['Jenkinsfile', 'groovy'],
    ['CMakeLists.txt', 'cmake'],
  ])('%s is %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });

  it.each([
    '',
    'dir/',
    'noext',
    'a.unheardof',
    '.ts',
    'ts',
    'src.ts/file',
    'constructor',
    'a.constructor',
    'a.',
  ])('does not guess at %j', (path) => {
    expect(languageOf(path)).toBeNull();
  });
});
