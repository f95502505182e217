import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { renderApiDocument } from './render-api-document.js';

const COMMITTED = new URL('../../../../docs/openapi.json', import.meta.url);

describe('docs/openapi.json', () => {
  it('is what the code describes; otherwise run `npm run docs:openapi` and commit it', async () => {
    const isCurrent = (await readFile(COMMITTED, 'utf8')) === (await renderApiDocument());
    // Compares short texts, because a diff of the documents would hide the command.
    expect(isCurrent ? 'current' : 'stale: npm run docs:openapi').toBe('current');
  });
});
