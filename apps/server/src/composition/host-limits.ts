import { systemClock, type BudgetLimits, type HostBudget, type Logger } from '@core/domain';
import { BookedHostLimiter, FallbackRateLimitStore, MemoryRateLimitStore } from '@core/rate-limit';
import { type Config } from '@platform/config';

/** What hosts count in: the settings name minutes. */
export const LIMIT_WINDOW_MS = 60_000;

/** The limiter of this process, and the book by which it joins those of other pods. */
export interface HostLimits {
  limiter: BookedHostLimiter;
  book: FallbackRateLimitStore;
}

/** Keeps this process within the hosts' limits by itself, until `book` joins a shared one. */
export function openHostLimits(config: Config, logger: Logger): HostLimits {
  const own = new MemoryRateLimitStore(systemClock, LIMIT_WINDOW_MS);
  const book = new FallbackRateLimitStore(own, systemClock, logger);
  const limitsOf = (budget: HostBudget): BudgetLimits => limitsFrom(config, budget);
  return { book, limiter: new BookedHostLimiter({ book, limitsOf, clock: systemClock, logger }) };
}

function limitsFrom({ gitlab, embedding, previousEmbedding }: Config, { name }: HostBudget): BudgetLimits {
  switch (name) {
    case 'general':
      return { requests: gitlab.requestsPerMinute, concurrency: gitlab.concurrency };
    // Every one of these is a general request too, which bounds how many are under way.
    case 'files':
      return { requests: gitlab.filesPerMinute, concurrency: 0 };
    case 'archive':
      return { requests: gitlab.archivesPerMinute, concurrency: 0 };
    case 'embedding': {
      const server = embedding.provider === 'openai' ? embedding : previousEmbedding;
      return { requests: server?.requestsPerMinute ?? 0, concurrency: server?.concurrency ?? 0 };
    }
  }
}
