import { scheduleTiming } from '@core/schedules';
import { type ClaimDecision, type DueSchedule, type Schedule, type ScheduleTiming } from '@core/domain';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimOne, addRepository, enqueue, openStores, startQueued, type Stores } from './fixtures.js';

const MINUTE_MS = 60_000;
const everyMinute = {
  cronExpression: '* * * * *',
  timezone: 'UTC',
  isActive: true,
  misfireGraceSeconds: 300,
};

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterEach(() => stores.db.query('UPDATE schedule_sessions SET is_active = false, next_run_at = NULL'));
afterAll(() => stores.close());

/** A schedule whose tick was due `dueMs` ago. */
async function addDue(dueMs = 1000, ofRepository?: string): Promise<Schedule> {
  const repositoryId = ofRepository ?? (await addRepository(stores)).id;
  return stores.schedules.create({ ...everyMinute, repositoryId }, (now) => new Date(now.getTime() - dueMs));
}

/** Runs the due tick; the next one is an hour later. */
function runIt({ schedule }: DueSchedule): ClaimDecision {
  const tick = schedule.nextRunAt ?? new Date(0);
  return {
    nextRunAt: new Date(tick.getTime() + 60 * MINUTE_MS),
    run: { scheduledFor: tick, coalescedCount: 0 },
    passedOver: [],
  };
}

describe('the schedule store', () => {
  it('computes the first tick from the database clock', async () => {
    const { id } = await addRepository(stores);
    let seen: Date | undefined;
    const created = await stores.schedules.create({ ...everyMinute, repositoryId: id }, (now) => {
      seen = now;
      return new Date(now.getTime() + MINUTE_MS);
    });
    expect(created).toMatchObject({ ...everyMinute, repositoryId: id, revision: 1, lastSyncAt: null });
    expect(created.nextRunAt).toEqual(new Date((seen?.getTime() ?? 0) + MINUTE_MS));
    expect(await stores.schedules.find(created.id)).toEqual(created);
    expect((await stores.schedules.listUpcoming(1000)).map((upcoming) => upcoming.id)).toContain(created.id);
  });

  it('computes no tick for an inactive schedule', async () => {
    const { id } = await addRepository(stores);
    const paused = await stores.schedules.create(
      { ...everyMinute, isActive: false, repositoryId: id },
      () => new Date(),
    );
    expect(paused.nextRunAt).toBeNull();
    expect(await claimOne(stores.schedules, runIt)).toBeNull();
  });

  it('refuses an unknown repository', async () => {
    const deleted = await addRepository(stores);
    await stores.repositories.softDelete(deleted.id);
    for (const repositoryId of [deleted.id, 'nonsense']) {
      await expect(
        stores.schedules.create({ ...everyMinute, repositoryId }, (now) => now),
      ).rejects.toMatchObject({ kind: 'not_found', code: 'repository_not_found' });
    }
  });

  it('lists with filters and totals', async () => {
    const { id } = await addRepository(stores);
    for (let count = 0; count < 3; count += 1) {
      await stores.schedules.create({ ...everyMinute, isActive: count > 0, repositoryId: id }, (now) => now);
    }
    const page = await stores.schedules.list({ repositoryId: id }, { limit: 2, offset: 2 });
    expect([page.items.length, page.total]).toEqual([1, 3]);
    const active = await stores.schedules.list({ repositoryId: id, isActive: true }, { limit: 9, offset: 0 });
    expect(active.total).toBe(2);
    expect((await stores.schedules.list({ repositoryId: 'x' }, { limit: 9, offset: 0 })).total).toBe(0);
  });

  it('recomputes the tick with each edit, raises the revision and refuses an outdated one', async () => {
    const { id } = await addDue();
    const next = (schedule: Schedule, now: Date): Date =>
      new Date(now.getTime() + (schedule.cronExpression === '0 * * * *' ? 60 : 1) * MINUTE_MS);
    const timing: ScheduleTiming = { next, superseded: () => [] };
    const edited = await stores.schedules.update(id, { cronExpression: '0 * * * *' }, timing, 1);
    expect(edited.revision).toBe(2);
    expect(edited.nextRunAt?.getTime()).toBeGreaterThan(
      (await stores.schedules.now()).getTime() + 59 * MINUTE_MS,
    );
    await expect(stores.schedules.update(id, { isActive: false }, timing, 1)).rejects.toMatchObject({
      code: 'revision_mismatch',
    });
    expect(await stores.schedules.update(id, { isActive: false }, timing, 2)).toMatchObject({
      isActive: false,
      nextRunAt: null,
      revision: 3,
    });
    expect(await claimOne(stores.schedules, runIt)).toBeNull();
  });

  it('keeps a due tick through an edit that does not change its time', async () => {
    const { id, nextRunAt } = await addDue();
    const edited = await stores.schedules.update(
      id,
      { misfireGraceSeconds: 9, isActive: true },
      scheduleTiming,
    );
    expect(edited).toMatchObject({ nextRunAt, misfireGraceSeconds: 9, revision: 2 });
    expect((await claimOne(stores.schedules, runIt))?.execution?.scheduledFor).toEqual(nextRunAt);
  });

  it('records a due tick that an edit of its time replaces', async () => {
    const { id } = await addRepository(stores);
    const due = await stores.schedules.create({ ...everyMinute, repositoryId: id }, (now) => {
      const minute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
      return new Date(minute);
    });
    await stores.schedules.update(due.id, { timezone: 'Europe/Berlin' }, scheduleTiming);
    const { items } = await stores.executions.list({ scheduleId: due.id }, { limit: 9, offset: 0 });
    const oldest = items.at(-1);
    expect(oldest).toMatchObject({
      scheduledFor: due.nextRunAt,
      status: 'skipped',
      errorCode: 'superseded',
    });
  });

  it.each(['schedule', 'repository'])('records a due tick when its %s is deleted', async (what) => {
    const { id, repositoryId, nextRunAt } = await addDue();
    if (what === 'schedule') await stores.schedules.softDelete(id, scheduleTiming);
    else await stores.repositories.softDelete(repositoryId);
    const { items } = await stores.executions.list({ scheduleId: id }, { limit: 99, offset: 0 });
    const first = items.find(({ scheduledFor }) => scheduledFor?.getTime() === nextRunAt?.getTime());
    expect(first).toMatchObject({ status: 'skipped', errorCode: 'superseded' });
  });

  it('deletes softly', async () => {
    const { id } = await addDue();
    await stores.schedules.softDelete(id, scheduleTiming);
    expect(await stores.schedules.find(id)).toBeNull();
    await expect(stores.schedules.softDelete(id, scheduleTiming)).rejects.toMatchObject({
      code: 'schedule_not_found',
    });
    await expect(stores.schedules.update('x', {}, scheduleTiming)).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(await claimOne(stores.schedules, runIt)).toBeNull();
  });
});

describe('claiming a due schedule', () => {
  it('queues an execution, advances the schedule, and then finds nothing due', async () => {
    const schedule = await addDue();
    const claim = await claimOne(stores.schedules, runIt);
    expect(claim?.execution).toMatchObject({
      scheduleSessionId: schedule.id,
      repositoryId: schedule.repositoryId,
      trigger: 'cron',
      status: 'queued',
      scheduledFor: schedule.nextRunAt,
      attempt: 1,
      fence: 0,
    });
    expect(claim?.schedule.nextRunAt?.getTime()).toBe((schedule.nextRunAt?.getTime() ?? 0) + 60 * MINUTE_MS);
    expect(claim?.schedule.revision).toBe(1);
    expect(await claimOne(stores.schedules, runIt)).toBeNull();
  });

  it('takes the tick that has been due the longest', async () => {
    const late = await addDue(5000);
    const later = await addDue(9000);
    expect((await claimOne(stores.schedules, runIt))?.schedule.id).toBe(later.id);
    expect((await claimOne(stores.schedules, runIt))?.schedule.id).toBe(late.id);
  });

  it('skips a schedule that another pod is claiming', async () => {
    const held = await addDue(9000);
    const free = await addDue(5000);
    await stores.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM schedule_sessions WHERE id = $1 FOR NO KEY UPDATE', [held.id]);
      expect((await claimOne(stores.schedules, runIt))?.schedule.id).toBe(free.id);
      expect(await claimOne(stores.schedules, runIt)).toBeNull();
    });
    expect((await claimOne(stores.schedules, runIt))?.schedule.id).toBe(held.id);
  });

  it('records a finished execution for each tick that is passed over', async () => {
    const schedule = await addDue(5 * MINUTE_MS);
    const tick = schedule.nextRunAt?.getTime() ?? 0;
    const claim = await claimOne(stores.schedules, () => ({
      nextRunAt: new Date(tick + 60 * MINUTE_MS),
      run: null,
      passedOver: [
        passedOver(tick, 'missed', 'missed', 7),
        passedOver(tick + MINUTE_MS, 'skipped', 'overlap', 0),
        {
          ...passedOver(tick + 2 * MINUTE_MS, 'missed', 'missed', 3),
          scheduledUntil: new Date(tick + 5 * MINUTE_MS),
        },
      ],
    }));
    expect(claim).toMatchObject({ execution: null });
    const { items } = await stores.executions.list({ scheduleId: schedule.id }, { limit: 9, offset: 0 });
    expect(
      items.map((row) => [row.scheduledFor?.getTime(), row.status, row.errorCode, row.coalescedCount]).sort(),
    ).toEqual([
      [tick, 'missed', 'missed', 7],
      [tick + MINUTE_MS, 'skipped', 'overlap', 0],
      [tick + 2 * MINUTE_MS, 'missed', 'missed', 3],
    ]);
    const [backlog] = items.filter(({ scheduledUntil }) => scheduledUntil !== null);
    expect(backlog?.scheduledUntil).toEqual(new Date(tick + 5 * MINUTE_MS));
    expect(items.every((row) => row.completedAt !== null && row.startedAt === null)).toBe(true);
  });

  it('queues a catch-up run that belongs to no tick, and names the run that satisfies a tick', async () => {
    const schedule = await addDue();
    const tick = schedule.nextRunAt!.getTime();
    const claim = await claimOne(stores.schedules, () => ({
      nextRunAt: new Date(tick + 60 * MINUTE_MS),
      run: { scheduledFor: null, coalescedCount: 1 },
      passedOver: [{ ...passedOver(tick, 'skipped', 'coalesced', 0), satisfiedBy: 'run' }],
    }));
    const { id, repositoryId } = schedule;
    expect(claim?.execution).toMatchObject({
      trigger: 'recovery',
      scheduledFor: null,
      scheduleSessionId: id,
      repositoryId,
    });
    const { items } = await stores.executions.list({ scheduleId: id }, { limit: 9, offset: 0 });
    const row = items.find(({ status }) => status === 'skipped');
    expect(row?.satisfiedBy).toBe(claim?.execution?.id);
  });

  it('names the former run of a tick that satisfies earlier ticks, after the schedule was set back', async () => {
    const schedule = await addDue();
    const first = await claimOne(stores.schedules, runIt);
    await stores.db.query('UPDATE schedule_sessions SET next_run_at = $2 WHERE id = $1', [
      schedule.id,
      new Date(schedule.nextRunAt!.getTime() - MINUTE_MS),
    ]);
    const again = await claimOne(stores.schedules, ({ schedule: { nextRunAt } }) => ({
      nextRunAt: new Date(schedule.nextRunAt!.getTime() + 60 * MINUTE_MS),
      run: { scheduledFor: schedule.nextRunAt!, coalescedCount: 1 },
      passedOver: [{ ...passedOver(nextRunAt!.getTime(), 'skipped', 'coalesced', 0), satisfiedBy: 'run' }],
    }));
    expect(again?.execution).toBeNull();
    const { items } = await stores.executions.list({ scheduleId: schedule.id }, { limit: 9, offset: 0 });
    expect(items).toHaveLength(2);
    expect(items.find(({ status }) => status === 'skipped')?.satisfiedBy).toBe(first?.execution?.id);
  });

  it('passes the queued or running execution of the repository to the decision', async () => {
    const schedule = await addDue(9000);
    const seen: unknown[] = [];
    const look = (due: DueSchedule): ClaimDecision => {
      seen.push(due.occupant);
      return { nextRunAt: due.schedule.nextRunAt, run: null, passedOver: [] };
    };
    await claimOne(stores.schedules, look);
    const queued = await enqueue(stores, schedule.repositoryId);
    await claimOne(stores.schedules, look);
    await startQueued(stores, queued.id);
    await claimOne(stores.schedules, look);
    const occupant = { executionId: queued.id, isSync: true };
    expect(seen).toEqual([
      null,
      { ...occupant, startedAt: null },
      { ...occupant, startedAt: expect.any(Date) },
    ]);
  });

  it('never runs a tick twice, even when the schedule is set back to it', async () => {
    const schedule = await addDue();
    await claimOne(stores.schedules, runIt);
    await stores.db.query('UPDATE schedule_sessions SET next_run_at = $2 WHERE id = $1', [
      schedule.id,
      schedule.nextRunAt,
    ]);
    const again = await claimOne(stores.schedules, runIt);
    expect(again).toMatchObject({ execution: null, schedule: { id: schedule.id } });
    expect((await stores.executions.list({ scheduleId: schedule.id }, { limit: 9, offset: 0 })).total).toBe(
      1,
    );
  });

  it('runs an earlier tick without a row when the schedule is set back to it', async () => {
    const schedule = await addDue();
    await claimOne(stores.schedules, runIt);
    const earlier = new Date(schedule.nextRunAt!.getTime() - 60_000);
    const setBack = 'UPDATE schedule_sessions SET next_run_at = $2 WHERE id = $1';
    await stores.db.query(setBack, [schedule.id, earlier]);
    expect((await claimOne(stores.schedules, runIt))?.execution?.scheduledFor).toEqual(earlier);
  });

  it('changes nothing when the decision throws or does not advance the tick', async () => {
    const schedule = await addDue();
    const failing = claimOne(stores.schedules, () => {
      throw new RangeError('no such time zone');
    });
    await expect(failing).rejects.toMatchObject({
      kind: 'invalid',
      code: 'schedule_undecidable',
      message: expect.stringContaining('no such time zone'),
      details: { schedule_id: schedule.id },
    });
    const standing = claimOne(stores.schedules, (due) => ({
      ...runIt(due),
      nextRunAt: due.schedule.nextRunAt,
    }));
    await expect(standing).rejects.toMatchObject({ kind: 'internal', code: 'schedule_not_advanced' });
    expect(await stores.schedules.find(schedule.id)).toEqual(schedule);
    expect((await stores.executions.list({ scheduleId: schedule.id }, { limit: 9, offset: 0 })).total).toBe(
      0,
    );
  });

  it('continues with other schedules when one cannot be decided', async () => {
    const broken = [await addDue(9000), await addDue(8000)].map(({ id }) => id);
    const sound = await addDue(5000);
    const decide = (due: DueSchedule): ClaimDecision => {
      if (broken.includes(due.schedule.id)) throw new RangeError('no such time zone');
      return runIt(due);
    };
    expect((await claimOne(stores.schedules, decide))?.schedule.id).toBe(sound.id);
    await expect(claimOne(stores.schedules, decide)).rejects.toMatchObject({
      code: 'schedule_undecidable',
      details: { schedule_id: broken[0] },
    });
    expect((await stores.schedules.find(broken[1] ?? ''))?.nextRunAt).not.toBeNull();
  });

  it('continues with other schedules when a repository is locked', async () => {
    const held = await addDue(10_000);
    const other = await addDue(1000);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHeld: () => void = () => undefined;
    const holding = new Promise<void>((resolve) => (isHeld = resolve));
    const holder = stores.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR UPDATE', [held.repositoryId]);
      isHeld();
      await released;
    });
    await holding;
    try {
      const claims = await stores.schedules.claimDue(runIt, 5);
      expect(claims.map(({ schedule }) => schedule.id)).toEqual([other.id]);
      await expect(stores.schedules.claimDue(runIt, 5)).rejects.toMatchObject({
        kind: 'temporary',
        code: 'database_timeout',
      });
    } finally {
      release();
      await holder;
    }
    expect((await stores.schedules.claimDue(runIt, 5)).map(({ schedule }) => schedule.id)).toEqual([held.id]);
  });

  it('claims due schedules in one batch, each repository once and up to the limit', async () => {
    const first = await addDue(9000);
    const sibling = await addDue(8000, first.repositoryId);
    const others = [await addDue(7000), await addDue(6000), await addDue(5000)].map(({ id }) => id);
    const idsOf = async (): Promise<(string | null)[]> =>
      (await stores.schedules.claimDue(runIt, 4)).map(({ schedule, execution }) =>
        execution?.scheduleSessionId === schedule.id ? schedule.id : null,
      );
    expect(await idsOf()).toEqual([first.id, others[0], others[1]]);
    const busy: boolean[] = [];
    const rest = await stores.schedules.claimDue((due) => {
      busy.push(due.occupant !== null);
      return runIt(due);
    }, 4);
    expect(rest.map(({ schedule }) => schedule.id)).toEqual([sibling.id, others[2]]);
    expect(busy).toEqual([true, false]);
    expect(await idsOf()).toEqual([]);
  });

  it('sets next_run_at to null when there is no further tick', async () => {
    const schedule = await addDue();
    await claimOne(stores.schedules, (due) => ({ ...runIt(due), nextRunAt: null }));
    expect((await stores.schedules.find(schedule.id))?.nextRunAt).toBeNull();
    expect(await claimOne(stores.schedules, runIt)).toBeNull();
  });

  it('claims a tick with microseconds', async () => {
    const schedule = await addDue();
    await stores.db.query(
      `UPDATE schedule_sessions SET next_run_at = next_run_at + interval '7 microseconds' WHERE id = $1`,
      [schedule.id],
    );
    expect((await claimOne(stores.schedules, runIt))?.schedule.id).toBe(schedule.id);
  });
});

function passedOver(
  atMs: number,
  status: 'missed' | 'skipped',
  errorCode: string,
  coalescedCount: number,
): ClaimDecision['passedOver'][number] {
  return {
    scheduledFor: new Date(atMs),
    scheduledUntil: null,
    status,
    errorCode,
    errorMessage: 'late\0',
    coalescedCount,
    satisfiedBy: null,
  };
}
