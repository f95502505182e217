import { type ObjectCacheObserver } from '@adapters/git';
import { type Metrics } from './metrics.js';

/** Counts what this process keeps of git objects. */
export function gitCacheMetrics(metrics: Metrics): ObjectCacheObserver {
  return {
    opened: (result) => metrics.gitCacheLookups.inc({ result }),
    removed: (reason) => metrics.gitCacheRemovals.inc({ reason }),
    sized: (bytes) => metrics.gitCacheBytes.set(bytes),
  };
}
