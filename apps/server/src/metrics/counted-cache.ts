import { type EmbeddingCache } from '@core/domain';
import { type Metrics } from './metrics.js';

/** Adds counters for hits and misses to a cache. */
export function countedCache(cache: EmbeddingCache, { embeddingCacheLookups }: Metrics): EmbeddingCache {
  return {
    async find(modelId, contentHashes) {
      const found = await cache.find(modelId, contentHashes);
      embeddingCacheLookups.inc({ result: 'hit' }, found.size);
      embeddingCacheLookups.inc({ result: 'miss' }, contentHashes.length - found.size);
      return found;
    },
    store: (modelId, entries) => cache.store(modelId, entries),
    claim: (modelId, contentHashes) => cache.claim(modelId, contentHashes),
    renew: (modelId, contentHashes) => cache.renew(modelId, contentHashes),
    release: (modelId, contentHashes) => cache.release(modelId, contentHashes),
  };
}
