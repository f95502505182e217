import { applicationLimit, ApiProblem, retryLater, TOO_MANY_REQUESTS } from './api-problem.js';
import { type RateLimit } from './settings.js';

interface Window {
  number: number;
  count: number;
}

/** Counts requests in fixed windows, as Rack::Attack does. */
export class Throttle {
  private readonly windows = new Map<string, Window>();

  /** @param now milliseconds since 1970. */
  constructor(private readonly now: () => number) {}

  /** Counts against an application limit, which no header shows before it is exceeded. @throws ApiProblem 429 with an object as message. */
  checkApplication(key: string, limit: RateLimit | null, words = TOO_MANY_REQUESTS): void {
    if (limit !== null && this.count(key, limit) > limit.requests) throw applicationLimit(words);
  }

  /**
   * Counts against the general limit. @returns the rate limit headers, none when the limit is off.
   * @throws ApiProblem 429 `Retry later` with `Retry-After`.
   */
  checkGeneral(name: string, caller: string, limit: RateLimit | null): Record<string, string> {
    if (limit === null) return {};
    const observed = this.count(`${name}:${caller}`, limit);
    const reset = (this.windowNumber(limit) + 1) * limit.periodSeconds;
    const headers = {
      'ratelimit-limit': `${limit.requests}`,
      'ratelimit-name': name,
      'ratelimit-observed': `${observed}`,
      'ratelimit-remaining': `${Math.max(0, limit.requests - observed)}`,
      'ratelimit-reset': `${reset}`,
    };
    if (observed <= limit.requests) return headers;
    const wait = Math.max(1, reset - Math.floor(this.now() / 1000));
    const resetTime = new Date(reset * 1000).toUTCString();
    throw new ApiProblem(
      retryLater({ ...headers, 'ratelimit-resettime': resetTime, 'retry-after': `${wait}` }),
    );
  }

  private count(key: string, limit: RateLimit): number {
    const number = this.windowNumber(limit);
    const known = this.windows.get(key);
    const window = known?.number === number ? known : { number, count: 0 };
    window.count += 1;
    this.windows.set(key, window);
    return window.count;
  }

  private windowNumber(limit: RateLimit): number {
    return Math.floor(this.now() / (limit.periodSeconds * 1000));
  }
}
