import { expect, it } from '@jest/globals';
import { Metrics } from '../metrics/metrics.js';
import { EvictEmbeddingCache } from './delete-old-rows.js';

it('exports the size of the embedding cache while this pod leads, and zero in stand-by', async () => {
  const metrics = new Metrics();
  const chore = new EvictEmbeddingCache(
    { embeddingCache: { maxVectors: 40 } },
    { evict: async () => ({ evicted: 3, entries: 40, bytes: 5_000 }) },
    metrics,
  );
  const valueOf = async (name: string): Promise<number | undefined> => {
    const metric = metrics.registry.getSingleMetric(`repotide_embedding_cache_${name}`)!;
    return (await metric.get()).values[0]?.value;
  };
  const values = () => Promise.all(['evictions_total', 'entries', 'bytes'].map(valueOf));
  await chore.run();
  await chore.run();
  expect(await values()).toEqual([6, 40, 5_000]);
  chore.standBy();
  expect(await values()).toEqual([6, 0, 0]);
});
