import { beforeEach, describe, expect, it } from '@jest/globals';
import { zeroCounters, type HostWait } from '@core/domain';
import { WaitTracker } from './wait-tracker.js';

const until = new Date('2026-03-01T12:34:56Z');
const wait = (reason: HostWait['reason']): HostWait => ({
  budget: { host: 'git.example', name: 'archive', scope: '7' },
  reason,
  until,
});
const [first, second] = [{}, {}];

describe('WaitTracker', () => {
  let nowMs: number;
  let said: (string | null)[];

  beforeEach(() => {
    nowMs = 0;
    said = [];
  });

  function waitsOf(counters = zeroCounters()): WaitTracker {
    const waits = new WaitTracker(counters, { now: () => new Date(nowMs), monotonicMs: () => nowMs });
    waits.onChange = (words) => said.push(words);
    return waits;
  }

  it('counts time with several waiting requests once, and adds to earlier attempts', () => {
    const counters = { ...zeroCounters(), rateLimitedSeconds: 5 };
    const waits = waitsOf(counters);
    waits.waiting(first, wait('rate'));
    nowMs = 2_000;
    waits.waiting(second, wait('rate'));
    nowMs = 4_000;
    waits.resumed(first);
    nowMs = 7_000;
    waits.waiting(second, wait('rate'));
    expect(counters.rateLimitedSeconds).toBe(12);
    waits.resumed(second);
    nowMs = 60_000;
    waits.resumed(second);
    expect(counters.rateLimitedSeconds).toBe(12);
  });

  it('reports what the run waits for and until when, and when it continues', () => {
    const waits = waitsOf();
    waits.waiting(first, wait('rate'));
    waits.waiting(second, wait('paused'));
    waits.resumed(first);
    waits.resumed(second);
    expect(said).toEqual([
      'Waiting until 12:34:56Z: the archive budget of git.example is used up',
      'Waiting until 12:34:56Z: git.example asked for a pause',
      null,
    ]);
  });

  it('does not count waiting for a free connection', () => {
    const counters = zeroCounters();
    const waits = waitsOf(counters);
    waits.waiting(first, wait('concurrency'));
    nowMs = 9_000;
    waits.resumed(first);
    expect([counters.rateLimitedSeconds, said]).toEqual([0, []]);
  });
});
