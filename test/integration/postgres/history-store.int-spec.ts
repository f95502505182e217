import { createHistoryKeeper, createHistoryStore } from '@adapters/postgres';
import { type HistoryFilter, type HistoryKeeper, type HistoryStore, zeroCounters } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue, openStores, startQueued, type Stores } from './fixtures.js';
import { oracleOf } from './history-oracle.js';
import { addOwners, addRows } from './history-rows.js';

const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'];

let stores: Stores;
let history: HistoryStore;
let keeper: HistoryKeeper;
let repositoryId: string;
let scheduleId: string;

beforeAll(async () => {
  stores = await openStores();
  history = createHistoryStore(stores.db);
  keeper = createHistoryKeeper(stores.db);
  ({ repositoryId, scheduleId } = await addOwners(stores));
  await addRows(stores, 6000, new Date('2026-01-20T00:00:00Z'));
});
afterAll(() => stores.close());

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });

function filters(): Record<string, HistoryFilter> {
  const all = range('2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z');
  const cut = range('2026-02-03T04:05:06.789Z', '2026-04-02T23:59:59.999Z');
  return {
    everything: all,
    'a range cut in the middle of an hour': cut,
    'a day': range('2026-02-03T00:00:00Z', '2026-02-04T00:00:00Z'),
    'some minutes': range('2026-02-03T04:01:00Z', '2026-02-03T04:59:00Z'),
    'a trigger': { ...cut, trigger: 'webhook' },
    'a pod': { ...all, podName: 'pod-1' },
    'a pod and a trigger': { ...cut, podName: 'pod-2', trigger: 'cron' },
    'a repository': { ...cut, repositoryId },
    'a schedule': { ...all, scheduleId },
    'a schedule, a pod and a trigger': { ...cut, scheduleId, podName: 'pod-0', trigger: 'cron' },
    'a time without executions': range('2025-02-03T00:00:00Z', '2025-04-04T00:00:00Z'),
    'an unknown repository': { ...all, repositoryId: 'no-uuid' },
  };
}

async function compareAll(filter: HistoryFilter): Promise<void> {
  const oracle = oracleOf(stores);
  const asked =
    filter.repositoryId === 'no-uuid'
      ? { ...filter, repositoryId: '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11' }
      : filter;
  const summary = await history.summary(filter);
  const expected = await oracle.summary(asked);
  const { mean, ...durations } = expected.durations;
  expect(summary).toMatchObject({
    runs: expected.runs,
    totals: expected.totals,
    durations: { ...durations, isExact: true },
  });
  if (mean === null) expect(summary.durations.mean).toBeNull();
  else expect(summary.durations.mean).toBeCloseTo(mean, 6);
  for (const zone of ZONES) {
    const { total, byHour, byRepository, byErrorCode } = await history.failures(filter, zone, 100);
    expect({ total, byHour, byRepository, byErrorCode }).toEqual(await oracle.failures(asked, zone));
    const { buckets } = await history.timeline(filter, 'day', zone);
    const found = buckets.filter(({ runs }) => Object.values(runs).some((count) => count > 0));
    const days = (await oracle.timeline(asked, 'day', zone)) ?? [];
    expect(found.map(({ runs, totals }) => ({ runs, totals }))).toEqual(
      days.map(({ runs, totals }) => ({ runs, totals })),
    );
  }
}

describe.each([
  ['before anything is folded', 0],
  ['when a part is folded', 1],
  ['when all is folded', 2],
])('history %s', (_state, step) => {
  beforeAll(async () => {
    if (step === 1) {
      await stores.db.query(
        `CREATE TABLE kept AS SELECT * FROM history_pending WHERE id % 3 = 0;
         DELETE FROM history_pending WHERE id % 3 = 0`,
      );
      expect(await keeper.fold()).toBe(4000);
      await stores.db.query(
        `INSERT INTO history_pending OVERRIDING SYSTEM VALUE SELECT * FROM kept; DROP TABLE kept`,
      );
    }
    if (step === 2) expect(await keeper.fold()).toBe(2000);
  });

  it.each(Object.keys(filters()))('answers for %s what plain SQL answers', async (name) => {
    await compareAll(filters()[name]!);
  });
});

describe('the timeline', () => {
  it('has hours of sixty minutes when the clock is put forward', async () => {
    const filter = range('2026-03-29T00:00:00Z', '2026-03-29T04:00:00Z');
    const { buckets } = await history.timeline(filter, 'hour', 'Europe/Berlin');
    expect(buckets.map(({ start }) => start.getUTCHours())).toEqual([0, 1, 2, 3]);
    expect(buckets.at(-1)?.end).toEqual(filter.to);
  });

  it('has days as long as the calendar has them, cut by the range', async () => {
    const filter = range('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z');
    const { buckets } = await history.timeline(filter, 'day', 'Europe/Berlin');
    expect(buckets.map(({ start, end }) => [start.toISOString(), end.toISOString()])).toEqual([
      ['2026-03-28T12:00:00.000Z', '2026-03-28T23:00:00.000Z'],
      ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['2026-03-29T22:00:00.000Z', '2026-03-30T12:00:00.000Z'],
    ]);
  });

  it('begins weeks on Monday', async () => {
    const { buckets } = await history.timeline(
      range('2026-02-04T00:00:00Z', '2026-02-20T00:00:00Z'),
      'week',
      'UTC',
    );
    expect(buckets.map(({ start }) => start.toISOString().slice(0, 10))).toEqual([
      '2026-02-04',
      '2026-02-09',
      '2026-02-16',
    ]);
  });
});

describe('live executions', () => {
  it('counts a run once at every moment of its life', async () => {
    const now = new Date();
    const filter = { from: new Date(now.getTime() - 3_600_000), to: new Date(now.getTime() + 3_600_000) };
    const counts = async () => {
      const { runs } = await history.summary(filter);
      return Object.fromEntries(Object.entries(runs).filter(([, count]) => count > 0));
    };
    const { id } = await enqueue(stores, repositoryId);
    expect(await counts()).toEqual({ queued: 1 });
    const run = await startQueued(stores, id);
    expect(await counts()).toEqual({ running: 1 });
    await stores.executions.finish(run, {
      status: 'completed',
      counters: { ...zeroCounters(), chunksUpserted: 5 },
      fromCommit: null,
      toCommit: null,
      errorCode: null,
      errorMessage: null,
    });
    expect(await counts()).toEqual({ completed: 1 });
    const folded = await Promise.all([keeper.fold(), keeper.fold(), keeper.fold()]);
    expect(folded.reduce((sum, count) => sum + count)).toBe(1);
    expect(await counts()).toEqual({ completed: 1 });
    expect((await history.summary(filter)).totals.chunksUpserted).toBe(5);
  });
});
