import { describe, expect, it } from '@jest/globals';
import { languageNamed } from './language-names.js';

describe('the name of a language in a filter', () => {
  it.each([
    ['py', 'python'],
    ['.py', 'python'],
    ['Python', 'python'],
    ['TypeScript', 'typescript'],
    ['tsx', 'typescript'],
    ['C++', 'cpp'],
    ['c#', 'csharp'],
    ['golang', 'go'],
    ['Docker', 'dockerfile'],
    ['yml', 'yaml'],
    ['c', 'c'],
    ['r', 'r'],
    ['Klingon', 'klingon'],
  ])('%s is %s', (usual, name) => {
    expect(languageNamed(usual)).toBe(name);
  });
});
