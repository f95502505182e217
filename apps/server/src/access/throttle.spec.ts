import { describe, expect, it } from '@jest/globals';
import { type Caller, RequestLimits } from '@core/domain';
import { HttpProblem } from '../http/problem.js';
import { RateLimiter } from './rate-limiter.js';
import { Throttle } from './throttle.js';

const time = { monotonicMs: () => 0, now: () => new Date(0) };
const ANN: Caller = { id: 'ann', name: 'Ann', role: 'viewer', scope: null };
const ADDRESS = '203.0.113.7';

/** One count for all pods, as Redis keeps it. */
class SharedLimits extends RequestLimits {
  private readonly limiters = new Map<string, RateLimiter>();

  take(key: string, perMinute: number) {
    const limiter = this.limiters.get(key) ?? new RateLimiter(perMinute, time);
    this.limiters.set(key, limiter);
    return Promise.resolve(limiter.take(key));
  }
}

const alone: RequestLimits = { take: () => Promise.resolve(null) };
const throttleOf = (perMinute: number, shared = alone) =>
  new Throttle({ http: { rateLimitPerMinute: perMinute } as never }, shared, time);

const accept = () => Promise.resolve(ANN);
const refuse = () => Promise.reject<Caller>(new HttpProblem(401, 'token_rejected', 'No.'));
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error as HttpProblem).code,
  );

describe('Throttle', () => {
  it('looks up only a tenth of the limit in wrong tokens of an address, also when they come at once', async () => {
    const throttle = throttleOf(600);
    let lookups = 0;
    const guess = (token: number) =>
      codeOf(
        throttle.identify(ADDRESS, `guess ${token}`, () => {
          lookups += 1;
          return refuse();
        }),
      );
    const codes = await Promise.all(Array.from({ length: 1_500 }, (_, token) => guess(token)));
    expect(lookups).toBe(60);
    expect(codes.filter((code) => code === 'too_many_failures')).toHaveLength(1_440);
    // Another address is not concerned.
    expect(await codeOf(throttle.identify('203.0.113.8', 'guess', refuse))).toBe('token_rejected');
  });

  it('lets callers work whose token was accepted before, at an address with too many failures', async () => {
    const throttle = throttleOf(600);
    await throttle.identify(ADDRESS, 'token of ann', accept);
    for (let guess = 0; guess < 61; guess += 1) await codeOf(throttle.identify(ADDRESS, 'wrong', refuse));
    expect(await codeOf(throttle.identify(ADDRESS, 'another token', accept))).toBe('too_many_failures');
    expect(await codeOf(throttle.identify(ADDRESS, 'token of ann', accept))).toBe('accepted');
  });

  it('counts no failure for accepted tokens', async () => {
    const throttle = throttleOf(600);
    for (let token = 0; token < 500; token += 1)
      expect(await codeOf(throttle.identify(ADDRESS, `token ${token}`, accept))).toBe('accepted');
  });

  it('refuses the requests of a caller beyond the limit before the token is looked up', async () => {
    const throttle = throttleOf(3);
    let lookups = 0;
    const ask = () =>
      codeOf(
        throttle.identify(ADDRESS, 'token', () => {
          lookups += 1;
          return accept();
        }),
      );
    const codes: string[] = [];
    for (let sent = 0; sent < 6; sent += 1) codes.push(await ask());
    expect(codes.slice(0, 3)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(new Set(codes.slice(3))).toEqual(new Set(['rate_limit_exceeded']));
    expect(lookups).toBe(3);
  });

  it('counts the requests and failures of all pods together', async () => {
    const shared = new SharedLimits();
    const pods = [throttleOf(100, shared), throttleOf(100, shared), throttleOf(100, shared)];
    const results: string[] = [];
    for (let sent = 0; sent < 120; sent += 1)
      results.push(await codeOf(pods[sent % 3]!.identify(ADDRESS, 'token of ann', accept)));
    expect(results.filter((code) => code === 'accepted')).toHaveLength(100);
    let lookups = 0;
    for (let sent = 0; sent < 90; sent += 1)
      await codeOf(
        pods[sent % 3]!.identify('198.51.100.1', `guess ${sent}`, () => {
          lookups += 1;
          return refuse();
        }),
      );
    // Ten for all pods, and one for each pod that learns by it that there were ten.
    expect(lookups).toBe(13);
  });

  it('counts the addresses of one IPv6 network together', async () => {
    const throttle = throttleOf(100);
    const codes: string[] = [];
    for (let host = 0; host < 12; host += 1)
      codes.push(await codeOf(throttle.identify(`2001:db8:0:7::${host.toString(16)}`, `${host}`, refuse)));
    expect(codes.slice(-2)).toEqual(['too_many_failures', 'too_many_failures']);
    expect(await codeOf(throttle.identify('2001:db8:0:8::1', 'x', refuse))).toBe('token_rejected');
  });

  it('is off at 0', async () => {
    const throttle = throttleOf(0);
    for (let guess = 0; guess < 200; guess += 1)
      expect(await codeOf(throttle.identify(ADDRESS, `${guess}`, refuse))).toBe('token_rejected');
  });
});
