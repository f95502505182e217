import { describe, expect, it } from '@jest/globals';
import { checkChunkSize } from './chunk-size.js';

const standard = {
  chunkSize: 7000,
  chunkOverlap: 1500,
  maxInputTokens: 8191,
  modelId: 'text-embedding-3-small@1536',
};

describe('checkChunkSize', () => {
  it('accepts the standard settings for a model of 8191 tokens, and for one without limit', () => {
    expect(() => checkChunkSize(standard)).not.toThrow();
    expect(() => checkChunkSize({ ...standard, maxInputTokens: null })).not.toThrow();
  });

  it('refuses a chunk that the model would truncate, with the numbers and the settings', () => {
    const check = (): void => checkChunkSize({ ...standard, maxInputTokens: 512, modelId: 'e5-small@384' });
    expect(check).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'chunk_size_exceeds_model',
        details: {
          chunk_size: 7000,
          estimated_tokens: 2334,
          max_input_tokens: 512,
          largest_chunk_size: 1536,
          model_id: 'e5-small@384',
        },
      }),
    );
    expect(check).toThrow(
      /7000 characters, about 2334 tokens.*"e5-small@384" takes 512.*CHUNK_SIZE.*EMBEDDING_MODEL/,
    );
  });

  it('accepts the largest size that it names, and no more', () => {
    const tight = { ...standard, chunkOverlap: 100, maxInputTokens: 512 };
    expect(() => checkChunkSize({ ...tight, chunkSize: 1536 })).not.toThrow();
    expect(() => checkChunkSize({ ...tight, chunkSize: 1537 })).toThrow('chunk_size');
  });

  it.each([-1, 1.5, 3500, 7000, Number.NaN])('refuses an overlap of %d', (chunkOverlap) => {
    expect(() => checkChunkSize({ ...standard, chunkOverlap })).toThrow(
      expect.objectContaining({ kind: 'invalid', code: 'chunk_overlap_invalid' }),
    );
  });

  it.each([0, 99, -7000, 700.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a chunk size of %d',
    (chunkSize) => {
      expect(() => checkChunkSize({ ...standard, chunkSize, chunkOverlap: 0 })).toThrow(
        expect.objectContaining({ kind: 'invalid', code: 'chunk_size_invalid' }),
      );
    },
  );
});
