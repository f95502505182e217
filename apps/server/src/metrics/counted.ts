import { type ObjectCacheObserver } from '@adapters/git';
import { type EmbeddingCache, type HostBudget } from '@core/domain';
import { type LimiterObserver } from '@core/rate-limit';
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

/** Counts what this process keeps of git objects. */
export function gitCacheMetrics(metrics: Metrics): ObjectCacheObserver {
  return {
    opened: (result) => metrics.gitCacheLookups.inc({ result }),
    removed: (reason) => metrics.gitCacheRemovals.inc({ reason }),
    sized: (bytes) => metrics.gitCacheBytes.set(bytes),
  };
}

/** Maximum number of hosts as label values; an installation reads from a few hosts. */
const MAX_HOSTS = 50;

/** Counts the effects of rate limits on the requests of this process. */
export function limiterMetrics(metrics: Metrics): LimiterObserver {
  const hosts = new Set<string>();
  const labelsOf = ({ host, name: budget }: HostBudget): { host: string; budget: string } => {
    if (hosts.size < MAX_HOSTS) hosts.add(host);
    return { host: hosts.has(host) ? host : 'other', budget };
  };
  return {
    waited: (budget, ms) => metrics.hostWaitSeconds.inc(labelsOf(budget), ms / 1000),
    paused: (budget) => metrics.hostRefusals.inc(labelsOf(budget)),
  };
}
