import { describe, expect, it } from '@jest/globals';
import { type GenerationStore, type IndexGeneration, type Logger, type VectorStore } from '@core/domain';
import { FillTerms } from './fill-terms.js';

const { signal } = new AbortController();

function choreWith(lacking: Record<string, number>, isAble = true) {
  const warnings: string[] = [];
  const asked: string[] = [];
  const generation = { collectionName: 'shop', physicalName: 'shop--1', incarnation: 'i', status: 'active' };
  const generations = {
    list: () => Promise.resolve([generation as IndexGeneration]),
    listOwners: () => Promise.resolve(Object.keys(lacking)),
  };
  const vectors = {
    countWithoutTerms: () => {
      asked.push('count');
      return Promise.resolve(Object.values(lacking).reduce((sum, count) => sum + count, 0));
    },
    fillTerms: (_: string, id: string) => {
      const filled = isAble ? lacking[id]! : 0;
      if (isAble) lacking[id] = 0;
      return Promise.resolve(filled);
    },
  };
  const logger = { info: () => undefined, warn: (_: object, text: string) => warnings.push(text) };
  const chore = new FillTerms(
    logger as unknown as Logger,
    generations as unknown as GenerationStore,
    vectors as unknown as VectorStore,
  );
  return { chore, warnings, asked, lacking };
}

describe('the chore that fills terms', () => {
  it('fills the points of each repository of the collection', async () => {
    const { chore, lacking, warnings } = choreWith({ a: 3, b: 2 });
    await chore.run(signal);
    expect(lacking).toEqual({ a: 0, b: 0 });
    expect(warnings).toEqual([]);
  });

  it('warns once about a server that cannot add terms, and asks it no more', async () => {
    const { chore, asked, warnings } = choreWith({ a: 3 }, false);
    for (let round = 0; round < 3; round++) await chore.run(signal);
    expect(asked).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('Qdrant 1.18');
  });
});
