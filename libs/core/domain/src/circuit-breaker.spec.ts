import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, type FaultVerdict } from './circuit-breaker.js';
import { type CircuitState } from './progress.js';

const PAUSE_MS = 60_000;
const VERDICTS: Record<string, FaultVerdict> = { 'wrong password': 'fatal', 'user left': 'none' };

function setUp() {
  let now = 0;
  let tried = 0;
  const changes: CircuitState[] = [];
  const breaker = new CircuitBreaker({
    pauseMs: PAUSE_MS,
    monotonicMs: () => now,
    reasonOf: (thrown) => (thrown as Error).message,
    verdictOf: (thrown) => VERDICTS[(thrown as Error).message] ?? 'failure',
    onChange: (state) => changes.push(state),
  });
  const attempt = (work: () => Promise<string>): Promise<string> =>
    breaker.run(() => (tried++, work()), 'fallback');
  return {
    breaker,
    changes,
    tried: () => tried,
    pass: (ms: number) => void (now += ms),
    succeed: () => attempt(async () => 'answer'),
    fail: (reason = 'timeout') => attempt(() => Promise.reject(new Error(reason))),
    attempt,
  };
}

describe('circuit breaker', () => {
  it('opens after three failures in a row, and suspends calls for a minute', async () => {
    const { breaker, fail, succeed, tried, pass } = setUp();
    for (const work of [fail, fail, succeed, fail, fail]) await work();
    expect(breaker.state()).toBe('closed');
    expect(await fail()).toBe('fallback');
    expect(breaker.state()).toBe('open');
    pass(PAUSE_MS - 1);
    expect(await succeed()).toBe('fallback');
    expect(tried()).toBe(6);
  });

  it('closes when the one attempt after the pause succeeds', async () => {
    const { breaker, fail, succeed, pass, changes } = setUp();
    for (let failure = 0; failure < 3; failure++) await fail();
    pass(PAUSE_MS);
    expect(breaker.state()).toBe('half_open');
    expect(await succeed()).toBe('answer');
    expect(breaker.state()).toBe('closed');
    expect(changes).toEqual(['open', 'closed']);
    await fail();
    expect(breaker.state()).toBe('closed');
  });

  it('opens again when that attempt fails', async () => {
    const { breaker, fail, pass, changes } = setUp();
    for (let failure = 0; failure < 3; failure++) await fail();
    pass(PAUSE_MS);
    await fail();
    expect(breaker.state()).toBe('open');
    expect(changes).toEqual(['open', 'open']);
  });

  it('lets only one attempt through after the pause', async () => {
    const { breaker, fail, succeed, attempt, pass } = setUp();
    for (let failure = 0; failure < 3; failure++) await fail();
    pass(PAUSE_MS);
    let answer = (_: string): void => undefined;
    const trial = attempt(() => new Promise((resolve) => (answer = resolve)));
    expect(await succeed()).toBe('fallback');
    answer('late');
    expect(await trial).toBe('late');
    expect(breaker.state()).toBe('closed');
  });

  it('stays open when a call from before the outage succeeds', async () => {
    const { breaker, fail, attempt } = setUp();
    let answer = (_: string): void => undefined;
    const early = attempt(() => new Promise((resolve) => (answer = resolve)));
    for (let failure = 0; failure < 3; failure++) await fail();
    answer('early');
    expect(await early).toBe('early');
    expect(breaker.state()).toBe('open');
  });

  it('is disabled permanently by a fatal error', async () => {
    const { breaker, fail, succeed, pass, changes } = setUp();
    await fail('wrong password');
    pass(PAUSE_MS);
    expect(await succeed()).toBe('fallback');
    expect(breaker.state()).toBe('disabled');
    expect(changes).toEqual(['disabled']);
  });

  it('counts an error that says nothing about the server as no call', async () => {
    const { breaker, fail, pass } = setUp();
    for (const reason of ['timeout', 'timeout', 'user left', 'timeout']) await fail(reason);
    expect(breaker.state()).toBe('open');
    pass(PAUSE_MS);
    expect(await fail('user left')).toBe('fallback');
    expect(breaker.state()).toBe('half_open');
  });
});
