import { PostgresHistory } from '@adapters/postgres';
import { type ExecutionFilter } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue, openStores, startQueued, type Stores } from './fixtures.js';
import { addMonthsSince, addOwners, addRows } from './history-rows.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let stores: Stores;
let history: PostgresHistory;
let filters: Record<string, ExecutionFilter>;

beforeAll(async () => {
  stores = await openStores();
  history = new PostgresHistory(stores.db);
  const { repositoryId, scheduleId } = await addOwners(stores);
  await addMonthsSince(stores, daysAgo(91));
  await addRows(stores, 5000, daysAgo(91));
  const { id } = await enqueue(stores, repositoryId);
  await startQueued(stores, id);
  const queued = await enqueue(stores, (await otherThan(repositoryId)).id);
  await stores.db.query('UPDATE schedule_execution_logs SET queued_at = $2 WHERE id = $1', [
    queued.id,
    daysAgo(80),
  ]);
  filters = {
    everything: {},
    'what failed': { status: ['failed', 'partial', 'missed'] },
    'what has not ended': { status: ['queued', 'running'] },
    'some of both': { status: ['running', 'completed'] },
    'a trigger': { trigger: 'webhook' },
    'a pod': { podName: 'pod-1' },
    'a pod of no run': { podName: 'pod-9' },
    'from an instant': { from: daysAgo(61.37) },
    'until an instant, before any cut': { to: daysAgo(61.37) },
    'a range over the cut': { from: daysAgo(70.123), to: daysAgo(3.456), trigger: 'cron' },
    'some minutes': { from: daysAgo(20), to: daysAgo(19.99) },
    'no time at all': { from: daysAgo(3), to: daysAgo(4) },
    'a repository': { repositoryId, status: ['completed'] },
    'a schedule': { scheduleId, from: daysAgo(50) },
    'no uuid': { repositoryId: 'no-uuid' },
  };
});
afterAll(() => stores.close());

async function otherThan(repositoryId: string): Promise<{ id: string }> {
  const [other] = await stores.db.query<{ id: string }>('SELECT id FROM repositories WHERE id <> $1', [
    repositoryId,
  ]);
  return other!;
}

/** Counts by reading all rows. */
async function countByHand(filter: ExecutionFilter): Promise<number> {
  const rows = await stores.db.query<Record<string, unknown> & { queuedAt: Date }>(
    `SELECT repository_id AS "repositoryId", schedule_session_id AS "scheduleId", status, trigger,
        pod_name AS "podName", queued_at AS "queuedAt" FROM schedule_execution_logs`,
  );
  const { status, from, to, ...same } = filter;
  return rows.filter(
    (row) =>
      Object.entries(same).every(([column, value]) => row[column] === value) &&
      (status === undefined || (status as unknown[]).includes(row.status)) &&
      (from === undefined || row.queuedAt >= from) &&
      (to === undefined || row.queuedAt < to),
  ).length;
}

async function compareAll(): Promise<void> {
  for (const [name, filter] of Object.entries(filters)) {
    const { items, total } = await stores.executions.list(filter, { limit: 7, offset: 0 });
    expect({ name, total }).toEqual({ name, total: await countByHand(filter) });
    expect(items).toHaveLength(Math.min(7, total));
  }
}

describe('the total of a list of executions', () => {
  it('is the number of matching rows', compareAll);

  it('is the number of matching rows also after retention has deleted some', async () => {
    const before = await countByHand({});
    await history.retain({ days: 40, minRows: 600 });
    expect(await countByHand({})).toBeLessThan(before - 500);
    const left = await countByHand({ to: daysAgo(75) });
    expect(left).toBeGreaterThan(0);
    await compareAll();
  });
});

describe('paging through a list of executions', () => {
  it('shows every row once, newest first', async () => {
    const page = (offset: number) => stores.executions.list({}, { limit: 500, offset });
    const { total } = await page(0);
    const seen = [];
    for (let offset = 0; offset < total; offset += 500) seen.push(...(await page(offset)).items);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
    expect(seen.map(({ queuedAt }) => queuedAt)).toEqual(
      seen.map(({ queuedAt }) => queuedAt).toSorted((left, right) => Number(right) - Number(left)),
    );
    expect((await page(total)).items).toEqual([]);
  });
});
