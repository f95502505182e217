import { systemClock, type BudgetLimits, type HostBudget, type Logger } from '@core/domain';
import { FallbackRateLimitStore, MemoryRateLimitStore, QueueingHostLimiter } from '@core/rate-limit';
import { type Config } from '@platform/config';
import { limiterMetrics } from '../metrics/counted.js';
import { type Metrics } from '../metrics/metrics.js';

/** GitLab's limit for one project; its response headers do not show it. */
const ARCHIVES_PER_MINUTE = 5;

/** The settings are in requests per minute. */
export const LIMIT_WINDOW_MS = 60_000;

export interface HostLimits {
  limiter: QueueingHostLimiter;
  store: FallbackRateLimitStore;
}

/** The limits count the requests of this process only, until {@link HostLimits.store} joins a shared store. */
export function openHostLimits(config: Config, logger: Logger, metrics: Metrics): HostLimits {
  const own = new MemoryRateLimitStore(systemClock, LIMIT_WINDOW_MS);
  const store = new FallbackRateLimitStore(own, systemClock, logger);
  const limitsOf = (budget: HostBudget): BudgetLimits => limitsFrom(config, budget);
  const observer = limiterMetrics(metrics);
  return {
    store,
    limiter: new QueueingHostLimiter({ store, limitsOf, clock: systemClock, logger, observer }),
  };
}

function limitsFrom({ gitlab, embedding, previousEmbedding }: Config, { name }: HostBudget): BudgetLimits {
  switch (name) {
    case 'general':
      return { requests: gitlab.requestsPerMinute, concurrency: gitlab.concurrency };
    // Each of these also counts as a general request, which bounds the concurrency.
    case 'files':
      return { requests: 0, concurrency: 0 };
    case 'archive':
      return { requests: ARCHIVES_PER_MINUTE, concurrency: 0 };
    case 'embedding': {
      const server = embedding.provider === 'openai' ? embedding : previousEmbedding;
      return { requests: 0, concurrency: server?.concurrency ?? 0 };
    }
  }
}
