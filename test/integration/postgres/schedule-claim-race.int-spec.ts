import { connectDatabase, createScheduleStore, type Database } from '@adapters/postgres';
import { type ClaimDecision, type DueSchedule, type ScheduleStore } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../support/silent-logger.js';
import { claimOne, addRepository, openStores, type Stores } from './fixtures.js';

const PODS = 8;
const SCHEDULES = 50;
const TICKS = 6;
const STEP_MS = 1000;

let stores: Stores;
let pods: { db: Database; schedules: ScheduleStore }[];

beforeAll(async () => {
  stores = await openStores();
  pods = await Promise.all(
    Array.from({ length: PODS }, async () => {
      const db = await connectDatabase({ url: stores.url, poolSize: 1, logger: silentLogger });
      return { db, schedules: createScheduleStore(db) };
    }),
  );
});
afterAll(async () => {
  await Promise.all(pods.map(({ db }) => db.close()));
  await stores.close();
});

/** Each claim takes one tick, the earliest; the last one leaves the schedule without a next tick. */
function takeOne(lastTickMs: number): (due: DueSchedule) => ClaimDecision {
  return ({ schedule }) => {
    const tick = schedule.nextRunAt ?? new Date(0);
    const isLast = tick.getTime() >= lastTickMs;
    return {
      nextRunAt: isLast ? null : new Date(tick.getTime() + STEP_MS),
      run: { scheduledFor: tick, coalescedCount: 0 },
      passedOver: [],
    };
  };
}

describe(`${PODS} pods that claim concurrently`, () => {
  it(`claim each tick of ${SCHEDULES} schedules exactly once`, async () => {
    const firstMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 3_600_000;
    for (let count = 0; count < SCHEDULES; count += 1) {
      const { id } = await addRepository(stores);
      const schedule = {
        cronExpression: '* * * * *',
        timezone: 'UTC',
        isActive: true,
        misfireGraceSeconds: 300,
      };
      await stores.schedules.create({ ...schedule, repositoryId: id }, () => new Date(firstMs));
    }
    const decide = takeOne(firstMs + (TICKS - 1) * STEP_MS);
    const claimed = await Promise.all(
      pods.map(async ({ schedules }) => {
        const mine: string[] = [];
        // An empty result can also mean that other pods lock all due rows: a pod stops after several in a row.
        for (let idle = 0; idle < 5;) {
          const claims = await schedules.claimDue(decide, 3);
          if (claims.length === 0) idle += 1;
          else idle = 0;
          for (const { execution } of claims) if (execution) mine.push(tickOf(execution));
        }
        return mine;
      }),
    );
    const all = claimed.flat();
    expect(all).toHaveLength(SCHEDULES * TICKS);
    expect(new Set(all).size).toBe(SCHEDULES * TICKS);
    expect(claimed.filter((mine) => mine.length > 0).length).toBeGreaterThan(1);
    const [row] = await stores.db.query('SELECT count(*) AS count FROM schedule_execution_logs');
    expect(row).toEqual({ count: SCHEDULES * TICKS });
  });

  it('never claim under a revision that an edit has replaced', async () => {
    const { id } = await addRepository(stores);
    const paused = {
      cronExpression: '* * * * *',
      timezone: 'UTC',
      isActive: false,
      misfireGraceSeconds: 300,
    };
    const schedule = await stores.schedules.create({ ...paused, repositoryId: id }, () => null);
    const claimed: { committed: number; seen: number }[] = [];
    let committed = schedule.revision;
    let isEditing = true;
    const claiming = pods.map(async ({ schedules }) => {
      while (isEditing) {
        const atStart = committed;
        await claimOne(schedules, (due) => {
          claimed.push({ committed: atStart, seen: due.schedule.revision });
          return takeOne(0)(due);
        });
      }
    });
    const base = Date.now() - 86_400_000;
    for (let edit = 0; edit < 40; edit += 1) {
      const tick = new Date(base + edit * STEP_MS);
      const timezone = edit % 2 === 0 ? 'Europe/Berlin' : 'UTC';
      const timing = { next: () => tick, superseded: () => [] };
      committed = (await stores.schedules.update(schedule.id, { isActive: true, timezone }, timing)).revision;
    }
    isEditing = false;
    await Promise.all(claiming);
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.filter(({ committed: known, seen }) => seen < known)).toEqual([]);
  });
});

function tickOf(execution: { scheduleSessionId: string | null; scheduledFor: Date | null }): string {
  return `${execution.scheduleSessionId} ${execution.scheduledFor?.toISOString()}`;
}
