import { SchedulerRegistry } from '@nestjs/schedule';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TickTimers } from './tick-timers.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00.000Z');
const NAME = 'repo_sync_r1';

let registry: SchedulerRegistry;
let timers: TickTimers;
let fired: number;

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
  registry = new SchedulerRegistry();
  timers = new TickTimers(registry, { now: () => new Date(), monotonicMs: () => performance.now() });
  fired = 0;
});
afterEach(() => {
  timers.clear();
  jest.useRealTimers();
});

function arm(nextRunAt: Date | null, databaseNow = new Date()): void {
  timers.arm([{ repositoryId: 'r1', nextRunAt }], databaseNow, () => fired++);
}

const inMs = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);

describe('TickTimers', () => {
  it('fires once at the stored instant, and is then removed from the registry', () => {
    arm(inMs(60_000));
    expect([...registry.getCronJobs().keys()]).toEqual([NAME]);
    expect(registry.getCronJob(NAME).nextDate().toMillis()).toBe(inMs(60_000).getTime());
    jest.advanceTimersByTime(59_999);
    expect(fired).toBe(0);
    jest.advanceTimersByTime(1);
    expect(fired).toBe(1);
    expect(registry.getCronJobs().size).toBe(0);
  });

  it("uses the database's clock, and ignores later changes of this pod's clock", () => {
    arm(inMs(30_000), inMs(20_000));
    jest.setSystemTime(inMs(-3_600_000));
    jest.advanceTimersByTime(9_999);
    expect(fired).toBe(0);
    jest.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  it('fires after the minimum wait, without an uncaught error, for an instant in the past', () => {
    arm(inMs(-5_000));
    jest.setSystemTime(inMs(5_000));
    jest.advanceTimersByTime(50);
    expect(fired).toBe(1);
  });

  it('waits for a tick that is further away than the longest timer', () => {
    arm(inMs(60 * DAY_MS));
    jest.advanceTimersByTime(20 * DAY_MS);
    expect(fired).toBe(0);
    // The longest timer fires early; the scheduler then arms it again.
    jest.advanceTimersByTime(5 * DAY_MS);
    expect(fired).toBe(1);
    arm(inMs(60 * DAY_MS));
    jest.advanceTimersByTime(25 * DAY_MS);
    expect(fired).toBe(2);
    arm(inMs(60 * DAY_MS));
    jest.advanceTimersByTime(10 * DAY_MS - 1);
    expect(fired).toBe(2);
    jest.advanceTimersByTime(1);
    expect(fired).toBe(3);
  });

  it('follows edits: another instant, none, a deleted schedule', () => {
    arm(inMs(60_000));
    arm(inMs(120_000));
    jest.advanceTimersByTime(60_000);
    expect(fired).toBe(0);
    arm(null);
    jest.advanceTimersByTime(60_000);
    expect(fired).toBe(0);
    arm(inMs(180_000));
    timers.arm([], new Date(), () => fired++);
    jest.advanceTimersByTime(DAY_MS);
    expect(fired).toBe(0);
    expect(registry.getCronJobs().size).toBe(0);
  });
});
