import { PostgresHistory } from '@adapters/postgres';
import { type HistoryFilter } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue, openStores, type Stores } from './fixtures.js';
import { addMonthsSince, addOwners, addRows, oldestKept } from './history-rows.js';

const DAY_MS = 86_400_000;
const RETENTION = { days: 40, minRows: 7 };
const ENDED_DAYS_AGO = 1;

let stores: Stores;
let history: PostgresHistory;
let repositoryId: string;
let scheduleId: string;
let everything: HistoryFilter;

beforeAll(async () => {
  stores = await openStores();
  history = new PostgresHistory(stores.db);
  ({ repositoryId, scheduleId } = await addOwners(stores));
  const first = new Date(Date.now() - (90 + ENDED_DAYS_AGO) * DAY_MS);
  await addMonthsSince(stores, first);
  await addRows(stores, 5000, first);
  everything = { from: new Date(first.getTime() - DAY_MS), to: new Date() };
  // All rows of one schedule are old.
  await stores.db.query(
    `UPDATE schedule_execution_logs SET schedule_session_id = (SELECT id FROM schedule_sessions WHERE id <> $1 LIMIT 1)
      WHERE schedule_session_id = $1 AND queued_at >= $2`,
    [scheduleId, oldestKept(RETENTION.days + 1)],
  );
  // An old execution that never started.
  const { id } = await enqueue(stores, repositoryId);
  await stores.db.query('UPDATE schedule_execution_logs SET queued_at = $2 WHERE id = $1', [id, first]);
});
afterAll(() => stores.close());

async function countRows(where: string, values: unknown[] = []): Promise<number> {
  const [row] = await stores.db.query<{ rows: number }>(
    `SELECT count(*) AS rows FROM schedule_execution_logs WHERE ${where}`,
    values,
  );
  return row!.rows;
}

describe('the retention of executions', () => {
  it('deletes nothing when it is 0', async () => {
    const before = await countRows('true');
    expect(await history.retain({ days: 0, minRows: 1 })).toEqual([]);
    expect(await countRows('true')).toBe(before);
  });

  it('drops old months from several pods, keeps the newest of each owner, and keeps the sums', async () => {
    const [before, failuresBefore] = await Promise.all([
      history.summary(everything),
      history.failures(everything, 'UTC', 100),
    ]);
    const rowsBefore = await countRows('true');
    const dropped = (await Promise.all([1, 2, 3].map(() => history.retain(RETENTION)))).flat();
    expect(dropped.length).toBeGreaterThan(0);
    expect(new Set(dropped).size).toBe(dropped.length);
    expect(await history.retain(RETENTION)).toEqual([]);
    expect(rowsBefore - (await countRows('true'))).toBeGreaterThan(500);

    const { runs, totals, durations, rowsDeletedBefore } = await history.summary(everything);
    expect({ runs, totals }).toEqual({ runs: before.runs, totals: before.totals });
    expect(durations).toMatchObject({
      runs: before.durations.runs,
      max: before.durations.max,
      isExact: false,
    });
    for (const share of ['p50', 'p95'] as const) {
      expect(Math.abs(durations[share]! / before.durations[share]! - 1)).toBeLessThan(0.0101);
    }
    const failures = await history.failures(everything, 'UTC', 100);
    expect(failures).toEqual({ ...failuresBefore, from: failures.from, rowsDeletedBefore });
    expect(rowsDeletedBefore).toEqual(oldestKept(RETENTION.days));
  });

  it('keeps the newest rows of an owner whose rows are all old, and unfinished ones', async () => {
    expect(await countRows('schedule_session_id = $1', [scheduleId])).toBe(RETENTION.minRows);
    expect(await countRows(`status = 'queued'`)).toBe(1);
    const old = await stores.db.query<{ owner: string; rows: number }>(
      `SELECT schedule_session_id AS owner, count(*) AS rows FROM schedule_execution_logs
        WHERE completed_at < $1 GROUP BY 1`,
      [oldestKept(RETENTION.days)],
    );
    expect(old).toEqual([{ owner: scheduleId, rows: RETENTION.minRows }]);
  });

  it('extends deleted ranges to whole days, and counts the remaining rows of one repository', async () => {
    const from = new Date(Date.now() - 70.3 * DAY_MS);
    const to = new Date(Date.now() - 60.2 * DAY_MS);
    const answer = await history.summary({ from, to });
    expect([answer.from.getTime() % DAY_MS, answer.to.getTime() % DAY_MS]).toEqual([0, 0]);
    expect(answer.from.getTime()).toBeLessThanOrEqual(from.getTime());
    expect(answer.to.getTime()).toBeGreaterThanOrEqual(to.getTime());
    const own = await history.summary({ from, to, repositoryId });
    expect([own.from, own.to]).toEqual([from, to]);
    expect(own.runs.completed).toBe(
      await countRows(`repository_id = $1 AND status = 'completed' AND queued_at >= $2 AND queued_at < $3`, [
        repositoryId,
        from,
        to,
      ]),
    );
  });

  it('gives exact durations for a range without deleted rows', async () => {
    const from = new Date(Date.now() - 30 * DAY_MS);
    expect((await history.summary({ ...everything, from })).durations.isExact).toBe(true);
  });
});
