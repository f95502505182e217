import { setImmediate } from 'node:timers/promises';
import { createGitLabSourceFactory, type GitLabSourceOptions } from '@adapters/gitlab';
import { systemClock, type BudgetLimits, type HostLimiter } from '@core/domain';
import { MemoryRateLimitStore, QueueingHostLimiter } from '@core/rate-limit';
import { silentLogger } from './silent-logger.js';

const WINDOW_MS = 60_000;
const NO_LIMITS: BudgetLimits = { requests: 0, concurrency: 0 };

/** A limiter of this process without its own limits: it only obeys the host. */
export function ownLimiter(): QueueingHostLimiter {
  const store = new MemoryRateLimitStore(systemClock, WINDOW_MS);
  return new QueueingHostLimiter({
    store,
    limitsOf: () => NO_LIMITS,
    clock: systemClock,
    logger: silentLogger,
  });
}

/** The same with a clock that jumps to the end of each wait. Each wait is recorded in `waits`, in milliseconds. */
export function timelessLimiter(waits: number[]): HostLimiter {
  let nowMs = 0;
  const clock = { now: () => new Date(Date.now() + nowMs), monotonicMs: () => nowMs };
  return new QueueingHostLimiter({
    store: new MemoryRateLimitStore(clock, WINDOW_MS),
    limitsOf: () => NO_LIMITS,
    clock,
    logger: silentLogger,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
      await setImmediate();
    },
  });
}

/** Sources that do not wait for the host. Each has its own limiter, as if each run came after the host's pause. */
export function timelessSources(
  options: Omit<GitLabSourceOptions, 'limiter'>,
): ReturnType<typeof createGitLabSourceFactory> {
  const factory = () => createGitLabSourceFactory({ ...options, limiter: timelessLimiter([]) });
  return {
    open: (...asked) => factory().open(...asked),
    openGit: (...asked) => factory().openGit(...asked),
    codeRights: factory().codeRights,
  };
}
