import { Inject, Injectable } from '@nestjs/common';
import { type Caller, Clock, type RateVerdict, RequestLimits } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { HttpProblem } from '../http/problem.js';
import { clientNetwork } from '../http/client-address.js';
import { RateLimiter } from './rate-limiter.js';

/** Failed attempts that an address may make in a minute, as a part of the requests of a caller. */
const FAILURE_SHARE = 0.1;
const LEAST_FAILURES = 10;
/** Accepted tokens that are remembered, by their hash. */
const MOST_KNOWN = 10_000;

/**
 * Limits requests before any work is done for them: callers by their number of requests, and client addresses by their
 * number of failed attempts to authenticate. This process counts first, and then all pods together.
 */
@Injectable()
export class Throttle {
  private readonly requests: RateLimiter;
  private readonly failures: RateLimiter;
  /** The caller of each token that was accepted, so that its next request is counted before the token is looked up. */
  private readonly callers = new Map<string, string>();

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'http'>,
    private readonly shared: RequestLimits,
    clock: Clock,
  ) {
    const { rateLimitPerMinute } = config.http;
    this.requests = new RateLimiter(rateLimitPerMinute, clock);
    const failures = Math.max(LEAST_FAILURES, Math.ceil(rateLimitPerMinute * FAILURE_SHARE));
    this.failures = new RateLimiter(rateLimitPerMinute === 0 ? 0 : failures, clock);
  }

  /**
   * Authenticates a caller. A token that was accepted before counts for its caller; any other counts for the address
   * until it is accepted. So guesses end soon, and do not lock out the callers that share the address.
   * @param tokenKey the hash of the token.
   * @returns the caller, and the state of its limit; null without a limit.
   * @throws HttpProblem 429 `rate_limit_exceeded`, `too_many_failures`; the errors of `authenticate`.
   */
  async identify(
    address: string,
    tokenKey: string,
    authenticate: () => Promise<Caller>,
  ): Promise<{ caller: Caller; limit: RateVerdict | null }> {
    const known = this.callers.get(tokenKey);
    if (known === undefined) {
      const caller = await this.attempt(address, authenticate);
      this.remember(tokenKey, caller.id);
      return { caller, limit: await this.count(caller.id) };
    }
    const limit = await this.count(known);
    try {
      return { caller: await authenticate(), limit };
    } catch (error) {
      this.callers.delete(tokenKey);
      throw error;
    }
  }

  /**
   * Runs a check of a secret. A refusal counts for the address.
   * @throws HttpProblem 429 `too_many_failures`, before the check; the errors of `check`.
   */
  async attempt<T>(address: string, check: () => Promise<T>): Promise<T> {
    if (this.failures.perMinute === 0) return check();
    const key = clientNetwork(address);
    const { isAllowed, retryAfterSeconds } = this.failures.take(key);
    if (!isAllowed) throw tooManyFailures(this.failures.perMinute, retryAfterSeconds);
    try {
      const result = await check();
      this.failures.giveBack(key);
      return result;
    } catch (error) {
      if (isRefusal(error)) await this.countFailure(key);
      else this.failures.giveBack(key);
      throw error;
    }
  }

  private async countFailure(key: string): Promise<void> {
    const verdict = await this.shared.take(`failures:${key}`, this.failures.perMinute);
    if (verdict?.isAllowed === false) this.failures.block(key, verdict.retryAfterSeconds);
  }

  private async count(callerId: string): Promise<RateVerdict | null> {
    const { perMinute } = this.requests;
    if (perMinute === 0) return null;
    const own = this.requests.take(callerId);
    const verdict = own.isAllowed ? ((await this.shared.take(`caller:${callerId}`, perMinute)) ?? own) : own;
    if (!verdict.isAllowed) throw tooManyRequests(perMinute, verdict);
    return verdict;
  }

  private remember(tokenKey: string, callerId: string): void {
    if (this.callers.size >= MOST_KNOWN) {
      const [oldest] = this.callers.keys();
      if (oldest !== undefined) this.callers.delete(oldest);
    }
    this.callers.set(tokenKey, callerId);
  }

  /** Headers of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/03/ */
  headersOf(verdict: RateVerdict): Readonly<Record<string, string>> {
    return limitHeaders(this.requests.perMinute, verdict);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof HttpProblem && [401, 403].includes(error.getStatus());
}

function limitHeaders(perMinute: number, { remaining, resetSeconds }: RateVerdict): Record<string, string> {
  return {
    'RateLimit-Limit': String(perMinute),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

function tooManyRequests(perMinute: number, verdict: RateVerdict): HttpProblem {
  const seconds = Math.max(1, verdict.retryAfterSeconds);
  const detail = `The caller made more than ${perMinute} requests in a minute (API_RATE_LIMIT_PER_MINUTE). Try again in ${seconds} s.`;
  return new HttpProblem(429, 'rate_limit_exceeded', detail, {
    ...limitHeaders(perMinute, verdict),
    'Retry-After': String(seconds),
  });
}

function tooManyFailures(perMinute: number, retryAfterSeconds: number): HttpProblem {
  const seconds = Math.max(1, retryAfterSeconds);
  const detail = `More than ${perMinute} requests in a minute from this address had no valid token or signature. Try again in ${seconds} s. If clients share the address of a proxy, name it in TRUSTED_PROXIES.`;
  return new HttpProblem(429, 'too_many_failures', detail, { 'Retry-After': String(seconds) });
}
