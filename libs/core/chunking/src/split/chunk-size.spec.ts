import { describe, expect, it } from '@jest/globals';
import { assertSplitSettings, fittingSettings } from './chunk-size.js';

const standard = { chunkSize: 7000, chunkOverlap: 1500 };

describe('fittingSettings', () => {
  it('keeps chunks that fit', () => {
    expect(fittingSettings(standard, 8000)).toEqual(standard);
    expect(fittingSettings(standard, 7000)).toEqual(standard);
  });

  it('makes longer chunks fit, with an overlap in proportion', () => {
    expect(fittingSettings(standard, 1536)).toEqual({ chunkSize: 1536, chunkOverlap: 329 });
    const smallest = fittingSettings(standard, 5);
    expect(smallest).toEqual({ chunkSize: 100, chunkOverlap: 21 });
    expect(() => assertSplitSettings(smallest)).not.toThrow();
  });
});

describe('assertSplitSettings', () => {
  it.each([-1, 1.5, 3500, 7000, Number.NaN])('refuses an overlap of %d', (chunkOverlap) => {
    expect(() => assertSplitSettings({ ...standard, chunkOverlap })).toThrow(
      expect.objectContaining({ kind: 'invalid', code: 'chunk_overlap_invalid' }),
    );
  });

  it.each([0, 99, -7000, 700.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a chunk size of %d',
    (chunkSize) => {
      expect(() => assertSplitSettings({ ...standard, chunkSize, chunkOverlap: 0 })).toThrow(
        expect.objectContaining({ kind: 'invalid', code: 'chunk_size_invalid' }),
      );
    },
  );
});
