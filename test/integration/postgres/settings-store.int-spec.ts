import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase, createScheduleStore, type Database, SettingsStore } from '@adapters/postgres';
import { type ClaimDecision, type DueSchedule, revisionOfSettings } from '@core/domain';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../support/silent-logger.js';
import { valuesInForce } from '../../support/settings.js';
import { claimOne, addRepository, openStores, type Stores } from './fixtures.js';

let stores: Stores;
let settings: SettingsStore;
beforeAll(async () => {
  stores = await openStores();
  settings = new SettingsStore(stores.db);
});
afterEach(() => stores.db.query('DELETE FROM settings'));
afterAll(() => stores.close());

const HOUR_MS = 3_600_000;
function runLatest({ schedule, now }: DueSchedule): ClaimDecision {
  const run = { scheduledFor: schedule.nextRunAt ?? now, coalescedCount: 0 };
  return { nextRunAt: new Date(now.getTime() + HOUR_MS), run, passedOver: [] };
}

/** A schedule whose tick is due. */
async function addDueSchedule() {
  const { id: repositoryId } = await addRepository(stores);
  const schedule = {
    repositoryId,
    cronExpression: '0 * * * *',
    timezone: 'UTC',
    isActive: true,
    misfireGraceSeconds: 300,
  };
  return stores.schedules.create(schedule, (now) => new Date(now.getTime() - 1_000));
}

describe('the settings store', () => {
  it('has a default, a type and a description for every setting', async () => {
    expect(await valuesInForce(settings)).toEqual({ scheduling_paused: false, max_run_seconds: null });
    const listed = await settings.list();
    expect(listed.map(({ name }) => name)).toEqual(['scheduling_paused', 'max_run_seconds']);
    for (const setting of listed) {
      expect(setting).toMatchObject({ value: setting.default, updatedBy: null, updatedAt: null });
      expect(setting.description).toMatch(/\.$/);
    }
  });

  it('records the caller and time of a change, and null restores the default', async () => {
    const changed = await settings.update({ scheduling_paused: true, max_run_seconds: 60 }, 'ann');
    expect(changed).toEqual(await settings.list());
    expect(await valuesInForce(settings)).toEqual({ scheduling_paused: true, max_run_seconds: 60 });
    expect(changed[0]).toMatchObject({
      value: true,
      updatedBy: 'ann',
      updatedAt: expect.any(Date) as unknown,
    });
    await settings.update({ scheduling_paused: null, max_run_seconds: null }, 'bob');
    expect(await valuesInForce(settings)).toEqual({ scheduling_paused: false, max_run_seconds: null });
  });

  it('accepts only one of two concurrent changes', async () => {
    const revision = revisionOfSettings(await settings.list());
    const outcomes = await Promise.allSettled(
      [70, 71].map((seconds) => settings.update({ max_run_seconds: seconds }, 'ann', revision)),
    );
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'revision_mismatch' }) as unknown },
    ]);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect((await valuesInForce(settings))['max_run_seconds']).toBe(70 + winner);
    await settings.update({ max_run_seconds: null }, 'ann', revision + 1);
    await expect(settings.update({ scheduling_paused: true }, 'bob', revision + 1)).rejects.toMatchObject({
      kind: 'conflict',
      details: { found: revision + 2, expected: revision + 1 },
    });
    expect(await valuesInForce(settings)).toEqual({ scheduling_paused: false, max_run_seconds: null });
  });

  it.each([
    [{ scheduling_pause: true }, 'setting_unknown', /scheduling_paused, max_run_seconds/],
    [{ schedulingPaused: true }, 'setting_unknown', /no setting "schedulingPaused"/],
    [{ scheduling_paused: 'yes' }, 'setting_invalid', /true or false/],
    [{ max_run_seconds: 0 }, 'setting_invalid', /whole number/],
    [{ max_run_seconds: 1.5 }, 'setting_invalid', /whole number/],
  ])('refuses %j, and the other settings of the same change', async (wrong, code, message) => {
    const change = settings.update({ max_run_seconds: 77, ...wrong }, null);
    await expect(change).rejects.toMatchObject({
      kind: 'invalid',
      code,
      message: expect.stringMatching(message) as unknown,
    });
    expect(await valuesInForce(settings)).toEqual({ scheduling_paused: false, max_run_seconds: null });
  });

  it('uses the default for an unreadable value inserted by SQL', async () => {
    await stores.db.query(
      `INSERT INTO settings (key, value) VALUES ('max_run_seconds', '"soon"'), ('other', '1')`,
    );
    expect(await valuesInForce(settings)).toMatchObject({ max_run_seconds: null });
  });
});

describe('scheduling_paused', () => {
  it('stops claims and upcoming ticks; due ticks stay due until it is false again', async () => {
    const schedule = await addDueSchedule();
    await settings.update({ scheduling_paused: true }, 'ann');
    expect(await claimOne(stores.schedules, runLatest)).toBeNull();
    expect(await stores.schedules.listUpcoming(1000)).toEqual([]);
    expect((await stores.schedules.find(schedule.id))?.nextRunAt).toEqual(schedule.nextRunAt);
    await settings.update({ scheduling_paused: false }, 'ann');
    expect((await stores.schedules.listUpcoming(1000)).map(({ id }) => id)).toContain(schedule.id);
    const claim = await claimOne(stores.schedules, runLatest);
    expect(claim).toMatchObject({
      schedule: { id: schedule.id },
      execution: { scheduledFor: schedule.nextRunAt },
    });
  });

  it('is set after current claims have ended: none commits later', async () => {
    const { repositoryId } = await addDueSchedule();
    const countExecutions = async () =>
      (
        await stores.db.query('SELECT 1 FROM schedule_execution_logs WHERE repository_id = $1', [
          repositoryId,
        ])
      ).length;
    const pending: { claim?: Promise<unknown>; countAfterPause?: Promise<number> } = {};
    await stores.db.transaction(async (tx) => {
      // The claim has read the settings, and waits for the repository.
      await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR UPDATE', [repositoryId]);
      pending.claim = claimOne(stores.schedules, runLatest);
      await untilWaiting('FROM repositories');
      pending.countAfterPause = settings.update({ scheduling_paused: true }, null).then(countExecutions);
      await untilWaiting('pg_advisory_xact_lock(');
    });
    expect(await pending.countAfterPause).toBe(1);
    expect(await pending.claim).toMatchObject({ schedule: { repositoryId } });
  });

  it('stops every pod while all pods claim', async () => {
    const due = 300;
    await Promise.all(Array.from({ length: due }, addDueSchedule));
    const pods: Database[] = [];
    for (let pod = 0; pod < 4; pod += 1) {
      pods.push(await connectDatabase({ url: stores.url, poolSize: 2, logger: silentLogger }));
    }
    const claims = () => stores.db.query(`SELECT id FROM schedule_execution_logs WHERE trigger = 'cron'`);
    const before = (await claims()).length;
    let isStopped = false;
    const claiming = pods.map(async (pod) => {
      const schedules = createScheduleStore(pod);
      while (!isStopped) await claimOne(schedules, runLatest);
    });
    try {
      while ((await claims()).length === before) await sleep(1);
      await settings.update({ scheduling_paused: true }, null);
      const atAnswer = (await claims()).length;
      expect(atAnswer).toBeLessThan(before + due);
      await sleep(200);
      expect(await claims()).toHaveLength(atAnswer);
    } finally {
      isStopped = true;
      await Promise.all(claiming);
      for (const pod of pods) await pod.close();
    }
  });
});

/** Resolves when a session waits for a lock in a query that contains `statement`. */
async function untilWaiting(statement: string): Promise<void> {
  for (;;) {
    const waiting = await stores.db.query(
      `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 in query) > 0
        AND datname = current_database()`,
      [statement],
    );
    if (waiting.length > 0) return;
    await sleep(10);
  }
}
