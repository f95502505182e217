import { describe, expect, it } from '@jest/globals';
import { type Schedule } from '@core/domain';
import { decideClaim } from './decide-claim.js';

const MINUTE = 60_000;
const REFERENCE = new Date('2026-05-04T10:00:00.000Z');

function schedule(changes: Partial<Schedule> = {}): Schedule {
  return {
    id: 'schedule',
    repositoryId: 'repository',
    cronExpression: '* * * * *',
    timezone: 'UTC',
    isActive: true,
    maxEmbeddingTokensPerRun: null,
    maxEmbeddingTokensPerDay: null,
    timeBudgetSeconds: null,
    misfireGraceSeconds: 300,
    nextRunAt: REFERENCE,
    lastSyncAt: null,
    revision: 1,
    createdAt: REFERENCE,
    updatedAt: REFERENCE,
    deletedAt: null,
    ...changes,
  };
}

function after(minutes: number): Date {
  return new Date(REFERENCE.getTime() + minutes * MINUTE);
}

describe('decideClaim', () => {
  it('runs the tick that is due and advances to the one after it', () => {
    expect(decideClaim({ schedule: schedule(), now: after(0.2), isBusy: false })).toEqual({
      nextRunAt: after(1),
      run: { scheduledFor: REFERENCE, coalescedCount: 0 },
      passedOver: [],
    });
  });

  it('claims nothing early', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(-0.1), isBusy: false });
    expect(decision).toEqual({ nextRunAt: REFERENCE, run: null, passedOver: [] });
  });

  it('coalesces a stop of three minutes into one run of the latest tick, with a row for each', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(3.5), isBusy: false });
    expect(decision.run).toEqual({ scheduledFor: after(3), coalescedCount: 3 });
    expect(decision.passedOver.map((tick) => [tick.scheduledFor, tick.status, tick.errorCode])).toEqual([
      [after(0), 'skipped', 'coalesced'],
      [after(1), 'skipped', 'coalesced'],
      [after(2), 'skipped', 'coalesced'],
    ]);
    expect(decision.nextRunAt).toEqual(after(4));
  });

  it('records a tick beyond the grace as missed and does not run it', () => {
    const daily = schedule({ cronExpression: '0 10 * * *' });
    expect(decideClaim({ schedule: daily, now: after(5), isBusy: false }).run).not.toBeNull();
    const late = decideClaim({ schedule: daily, now: after(5.1), isBusy: false });
    expect(late.run).toBeNull();
    expect(late.passedOver).toMatchObject([
      { scheduledFor: REFERENCE, status: 'missed', errorCode: 'missed' },
    ]);
  });

  it('runs a tick that is claimed within one poll interval, even without grace', () => {
    const strict = schedule({ misfireGraceSeconds: 0 });
    expect(decideClaim({ schedule: strict, now: after(0.08), isBusy: false }).run).not.toBeNull();
    expect(decideClaim({ schedule: strict, now: after(0.1), isBusy: false }).run).toBeNull();
  });

  it('skips the tick while a run of the repository is queued or running', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(1.5), isBusy: true });
    expect(decision.run).toBeNull();
    expect(decision.passedOver.map((tick) => tick.errorCode)).toEqual(['overlap', 'overlap']);
  });

  it('bounds the rows of a long outage and counts the other ticks in the oldest row', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(2999.5), isBusy: false });
    expect(decision.passedOver).toHaveLength(999);
    expect(decision.passedOver[0]).toMatchObject({ scheduledFor: after(2000), coalescedCount: 2000 });
    expect(decision.run).toEqual({ scheduledFor: after(2999), coalescedCount: 2999 });
  });

  it('survives an outage of a year', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(365 * 24 * 60 + 0.5), isBusy: false });
    expect(decision.run?.scheduledFor).toEqual(after(365 * 24 * 60));
    expect(decision.nextRunAt).toEqual(after(365 * 24 * 60 + 1));
  });

  it('does nothing when the clock went backwards', () => {
    expect(
      decideClaim({ schedule: schedule({ nextRunAt: after(1) }), now: after(-60), isBusy: false }),
    ).toEqual({
      nextRunAt: after(1),
      run: null,
      passedOver: [],
    });
  });
});
