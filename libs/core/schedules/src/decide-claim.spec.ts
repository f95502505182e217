import { describe, expect, it } from '@jest/globals';
import { type PassedOverTick, type Schedule } from '@core/domain';
import { decideClaim, scheduleTiming } from './decide-claim.js';

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
    catchUp: 'latest',
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
    expect(decideClaim({ schedule: schedule(), now: after(0.2), occupant: null })).toEqual({
      nextRunAt: after(1),
      run: { scheduledFor: REFERENCE, coalescedCount: 0 },
      passedOver: [],
    });
  });

  it('runs a stored tick that the expression does not give', () => {
    const byHand = schedule({ nextRunAt: after(-0.3) });
    expect(decideClaim({ schedule: byHand, now: after(-0.1), occupant: null })).toEqual({
      nextRunAt: after(0),
      run: { scheduledFor: after(-0.3), coalescedCount: 0 },
      passedOver: [],
    });
  });

  it('claims nothing early', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(-0.1), occupant: null });
    expect(decision).toEqual({ nextRunAt: REFERENCE, run: null, passedOver: [] });
  });

  it('coalesces a stop of three minutes into one run of the latest tick, with a row for each', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(3.5), occupant: null });
    expect(decision.run).toEqual({ scheduledFor: after(3), coalescedCount: 3 });
    expect(decision.passedOver.map(summary)).toEqual([
      [after(0), 'skipped', 'coalesced', 'run'],
      [after(1), 'skipped', 'coalesced', 'run'],
      [after(2), 'skipped', 'coalesced', 'run'],
    ]);
    expect(decision.nextRunAt).toEqual(after(4));
  });

  it('records a tick beyond the grace as missed and catches up with one run', () => {
    const daily = schedule({ cronExpression: '0 10 * * *' });
    expect(decideClaim({ schedule: daily, now: after(5), occupant: null }).run?.scheduledFor).toEqual(
      after(0),
    );
    const late = decideClaim({ schedule: daily, now: after(5.1), occupant: null });
    expect(late.passedOver.map(summary)).toEqual([[REFERENCE, 'missed', 'missed', null]]);
    expect(late.run).toEqual({ scheduledFor: null, coalescedCount: 1 });
  });

  it('does not catch up when the schedule says so', () => {
    const daily = schedule({ cronExpression: '0 10 * * *', catchUp: 'none' });
    const late = decideClaim({ schedule: daily, now: after(5.1), occupant: null });
    expect(late).toMatchObject({ run: null, passedOver: [{ status: 'missed' }] });
  });

  it('runs a tick that is claimed within one poll interval, even without grace', () => {
    const strict = schedule({ misfireGraceSeconds: 0 });
    const runAt = (minutes: number) =>
      decideClaim({ schedule: strict, now: after(minutes), occupant: null }).run?.scheduledFor;
    expect(runAt(0.08)).toEqual(REFERENCE);
    expect(runAt(0.1)).toBeNull();
  });

  it.each([
    ['is queued', null],
    ['starts after the latest tick', after(1.1)],
  ])('lets an execution satisfy all due ticks when it %s', (_, startedAt) => {
    const occupant = { executionId: 'other', isSync: true, startedAt };
    const decision = decideClaim({ schedule: schedule(), now: after(1.5), occupant });
    expect(decision.run).toBeNull();
    expect(decision.passedOver.map(summary)).toEqual([
      [after(0), 'skipped', 'satisfied', 'other'],
      [after(1), 'skipped', 'satisfied', 'other'],
    ]);
  });

  it.each([
    ['a run that began before the latest tick', { isSync: true, startedAt: after(0.9) }],
    ['a verify', { isSync: false, startedAt: after(1.1) }],
  ])('skips the ticks during %s', (_, run) => {
    const occupant = { executionId: 'other', ...run };
    const decision = decideClaim({ schedule: schedule(), now: after(1.5), occupant });
    expect(decision.run).toBeNull();
    expect(decision.passedOver.map((tick) => tick.errorCode)).toEqual(['overlap', 'overlap']);
  });

  it('records a long backlog as one row with its first tick, its last one and their number', () => {
    const decision = decideClaim({ schedule: schedule(), now: after(365 * 24 * 60 + 0.5), occupant: null });
    const last = 365 * 24 * 60;
    expect(decision).toMatchObject({
      nextRunAt: after(last + 1),
      run: { scheduledFor: after(last), coalescedCount: last },
      passedOver: [{ scheduledFor: after(0), scheduledUntil: after(last - 1), coalescedCount: last - 1 }],
    });
    expect(decision.passedOver).toHaveLength(1);
  });

  it('does nothing when the clock went backwards', () => {
    expect(
      decideClaim({ schedule: schedule({ nextRunAt: after(1) }), now: after(-60), occupant: null }),
    ).toEqual({
      nextRunAt: after(1),
      run: null,
      passedOver: [],
    });
  });
});

function summary({ scheduledFor, status, errorCode, satisfiedBy }: PassedOverTick): unknown[] {
  return [scheduledFor, status, errorCode, satisfiedBy];
}

describe('scheduleTiming', () => {
  it('records the due ticks of an edited schedule as superseded', () => {
    expect(scheduleTiming.superseded(schedule(), after(1.5)).map(summary)).toEqual([
      [after(0), 'skipped', 'superseded', null],
      [after(1), 'skipped', 'superseded', null],
    ]);
    expect(scheduleTiming.superseded(schedule({ nextRunAt: null }), after(1))).toEqual([]);
  });

  it.each([{ cronExpression: '61 * * * *' }, { timezone: 'Mars/Olympus' }])(
    'records the stored tick alone where an edit repairs %o',
    (broken) => {
      expect(scheduleTiming.superseded(schedule(broken), after(1.5)).map(summary)).toEqual([
        [after(0), 'skipped', 'superseded', null],
      ]);
    },
  );

  it('gives `H` one value for all schedules of a repository', () => {
    const minuteOf = (repositoryId: string): number =>
      scheduleTiming
        .next(schedule({ repositoryId, cronExpression: 'H * * * *' }), REFERENCE)!
        .getUTCMinutes();
    expect(minuteOf('one')).toBe(minuteOf('one'));
    const minutes = new Set(Array.from({ length: 50 }, (_, index) => minuteOf(String(index))));
    expect(minutes.size).toBeGreaterThan(20);
  });
});
