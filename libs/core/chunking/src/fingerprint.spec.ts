import { describe, expect, it } from '@jest/globals';
import { chunkingFingerprint, rulesFingerprint } from './fingerprint.js';

const rules = { includeGlobs: ['src/**', '**/*.md'], excludeGlobs: ['dist/**'], maxFileBytes: 1_048_576 };

describe('chunkingFingerprint', () => {
  // A changed value re-chunks and re-embeds every existing index: change it only together with a version constant.
  it('does not change between releases', () => {
    expect(chunkingFingerprint({ chunkSize: 7000, chunkOverlap: 1500 })).toBe('18785468cfa0f452');
  });

  it('changes with each setting', () => {
    const seen = [
      [7000, 1500],
      [7001, 1500],
      [7000, 1501],
    ].map(([chunkSize = 0, chunkOverlap = 0]) => chunkingFingerprint({ chunkSize, chunkOverlap }));
    expect(new Set(seen).size).toBe(3);
  });
});

describe('rulesFingerprint', () => {
  it('does not change between releases', () => {
    expect(rulesFingerprint(rules)).toBe('8cff75aa06efe627');
  });

  it('changes with each setting', () => {
    const seen = [
      rules,
      { ...rules, maxFileBytes: 1 },
      { ...rules, includeGlobs: [] },
      { ...rules, excludeGlobs: [] },
      { ...rules, includeGlobs: rules.excludeGlobs, excludeGlobs: rules.includeGlobs },
    ].map(rulesFingerprint);
    expect(new Set(seen).size).toBe(5);
  });

  it('ignores the order and repetition of globs', () => {
    expect(rulesFingerprint({ ...rules, includeGlobs: ['**/*.md', 'src/**', 'src/**'] })).toBe(
      rulesFingerprint(rules),
    );
  });

  it('ignores other properties of its argument', () => {
    expect(rulesFingerprint({ ...rules, ...{ chunkSize: 1 } })).toBe(rulesFingerprint(rules));
  });
});
