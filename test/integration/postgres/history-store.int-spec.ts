import { type Database, PostgresHistory } from '@adapters/postgres';
import { type HistoryFilter, type RunOutcome, zeroCounters } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue, openStores, startQueued, type Stores } from './fixtures.js';
import { compareWithRows } from './history-oracle.js';
import { addOwners, addRows } from './history-rows.js';

let stores: Stores;
let history: PostgresHistory;
let repositoryId: string;
let scheduleId: string;

beforeAll(async () => {
  stores = await openStores();
  history = new PostgresHistory(stores.db);
  ({ repositoryId, scheduleId } = await addOwners(stores));
  await addRows(stores, 6000, new Date('2026-01-20T00:00:00Z'));
});
afterAll(() => stores.close());

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });

/** When the executions of {@link addWaiting} were queued. */
const JUNE = range('2026-06-01T00:00:00Z', '2026-06-03T00:00:00Z');

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

describe('history', () => {
  it.each(Object.keys(filters()))('answers %s like plain SQL', async (name) => {
    await compareWithRows(stores, filters()[name]!);
  });
});

describe('the timeline', () => {
  it('has hours of sixty minutes when daylight saving time starts', async () => {
    const filter = range('2026-03-29T00:00:00Z', '2026-03-29T04:00:00Z');
    const { buckets } = await history.timeline(filter, 'hour', 'Europe/Berlin');
    expect(buckets.map(({ start }) => start.getUTCHours())).toEqual([0, 1, 2, 3]);
    expect(buckets.at(-1)?.end).toEqual(filter.to);
  });

  it('has days of their calendar length, cut to the range', async () => {
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
  it('are counted once in every state of a run', async () => {
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
    const outcome: RunOutcome = {
      status: 'completed',
      counters: { ...zeroCounters(), chunksUpserted: 5 },
      fromCommit: null,
      toCommit: null,
      errorCode: null,
      errorMessage: null,
    };
    await stores.executions.finish(run, outcome);
    expect(await counts()).toEqual({ completed: 1 });
    // Repeated, as after a lost response.
    await stores.executions.finish(run, outcome);
    expect(await counts()).toEqual({ completed: 1 });
    expect((await history.summary(filter)).totals.chunksUpserted).toBe(5);
  });

  it('are counted once when several pods end many runs at the same time', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => addWaiting(40)));
    const end = (own: string[]) =>
      stores.db.transaction(async (tx) => {
        for (const id of own)
          await tx.query(
            `UPDATE schedule_execution_logs SET status = 'failed', completed_at = now(), error_code = 'e' WHERE id = $1`,
            [id],
          );
      });
    // In both orders, so that they would deadlock without a fixed lock order.
    await Promise.all(ids.map((own, index) => end(index % 2 === 0 ? own : own.toReversed())));
    expect((await history.summary(JUNE)).runs).toMatchObject({ queued: 0, failed: 200 });
    const { byRepository, byErrorCode } = await history.failures(JUNE, 'UTC', 10);
    expect(byRepository.map(({ failed }) => failed)).toEqual([200]);
    expect(byErrorCode).toEqual([{ errorCode: 'e', failed: 200, partial: 0, missed: 0 }]);
  });

  it('keep their old status in the counts when the end of a run is rolled back', async () => {
    const [id] = await addWaiting(1);
    const broken = stores.db.transaction(async (tx) => {
      await tx.query(
        `UPDATE schedule_execution_logs SET status = 'skipped', completed_at = now() WHERE id = $1`,
        [id],
      );
      throw new Error('rolled back');
    });
    await expect(broken).rejects.toThrow('rolled back');
    expect((await history.summary(JUNE)).runs).toMatchObject({ queued: 1, skipped: 0 });
  });

  it('are counted while another transaction that ends a run is still open', async () => {
    const [first, second] = await addWaiting(2);
    const end = (db: Pick<Database, 'query'>, id: string | undefined) =>
      db.query(`UPDATE schedule_execution_logs SET status = 'skipped', completed_at = now() WHERE id = $1`, [
        id,
      ]);
    const skipped = async () => (await history.summary(JUNE)).runs.skipped;
    await stores.db.transaction(async (tx) => {
      await end(tx, first);
      await end(stores.db, second);
      expect(await skipped()).toBe(1);
    });
    expect(await skipped()).toBe(2);
  });

  it('have the same sums after these were merged, and one row for each sum', async () => {
    const ids = await addWaiting(30);
    await stores.db.query(
      `UPDATE schedule_execution_logs SET status = 'failed', completed_at = now(), error_code = 'e',
        duration_seconds = 1.5, chunks_upserted = 2 WHERE id = ANY($1::uuid[])`,
      [ids],
    );
    const answers = async () => [await history.summary(JUNE), await history.failures(JUNE, 'UTC', 10)];
    const before = await answers();
    await history.mergeSums();
    await Promise.all([history.mergeSums(), history.mergeSums()]);
    expect(await answers()).toEqual(before);
    const [rows] = await stores.db.query(
      `SELECT count(*) = count(DISTINCT (cell, bucket_start, trigger, pod_name, subject)) AS are_merged,
        (SELECT count(*) FROM history_additions) AS additions FROM history_sums`,
    );
    expect(rows).toEqual({ areMerged: true, additions: 0 });
  });
});

/** Queued runs over two days. They are dry runs because a repository may have any number of those. */
async function addWaiting(count: number): Promise<string[]> {
  const rows = await stores.db.query<{ id: string }>(
    `INSERT INTO schedule_execution_logs (repository_id, trigger, handler, status, queued_at)
      SELECT $1, 'manual', 'dry_run', 'queued', timestamptz '2026-06-01 00:00:00+00' + n * interval '1 hour'
      FROM generate_series(1, $2::int) AS n RETURNING id`,
    [repositoryId, count],
  );
  return rows.map(({ id }) => id);
}
