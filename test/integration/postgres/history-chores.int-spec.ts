import { createHistoryKeeper } from '@adapters/postgres';
import { loadConfig } from '@platform/config';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MaintainHistory } from '../../../apps/server/src/chores/maintain-history.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openStores, type Stores } from './fixtures.js';
import { addOwners, addRows } from './history-rows.js';

const DAY_MS = 86_400_000;

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
  await addOwners(stores);
  await addRows(stores, 3000, new Date(Date.now() - 91 * DAY_MS));
});
afterAll(() => stores.close());

const rowsIn = async (table: string): Promise<number> =>
  (await stores.db.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`))[0]!.rows;

it('the history chore adds ended runs to the sums, and deletes old ones until none are left to delete', async () => {
  const log = new CapturedLog();
  const config = loadConfig({ EXECUTION_RETENTION_DAYS: '45' });
  const chore = new MaintainHistory(config, log, createHistoryKeeper(stores.db));
  expect(await rowsIn('history_pending')).toBe(3000);
  await chore.run();
  expect(await rowsIn('history_pending')).toBe(0);
  await chore.run();
  const left = await rowsIn('schedule_execution_logs');
  expect(left).toBeGreaterThan(1400);
  expect(left).toBeLessThan(1600);
  expect(log.lines.map(({ message, fields }) => [message, fields.deleted])).toEqual([
    ['old executions deleted', 3000 - left],
  ]);
});
