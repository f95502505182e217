import { PostgresHistory } from '@adapters/postgres';
import { loadConfig } from '@platform/config';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DeleteOldExecutions } from '../../../apps/server/src/chores/delete-old-rows.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openStores, type Stores } from './fixtures.js';
import { addMonthsSince, addOwners, addRows, oldestKept } from './history-rows.js';

const DAY_MS = 86_400_000;

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
  await addOwners(stores);
  const first = new Date(Date.now() - 91 * DAY_MS);
  await addMonthsSince(stores, first);
  await addRows(stores, 3000, first);
});
afterAll(() => stores.close());

it('the history chore deletes the months that are older than the retention, and makes the next ones', async () => {
  await stores.db.query(
    `DO $$ BEGIN EXECUTE 'DROP TABLE schedule_execution_logs_' ||
      to_char((now() + interval '1 month') AT TIME ZONE 'UTC', 'YYYY_MM'); END $$`,
  );
  const log = new CapturedLog();
  const config = loadConfig({ EXECUTION_RETENTION_DAYS: '45' });
  const chore = new DeleteOldExecutions(config, log, new PostgresHistory(stores.db));
  await chore.run();
  await chore.run();
  const [row] = await stores.db.query<{ oldest: Date; next: boolean }>(
    `SELECT min(completed_at) AS oldest, to_regclass('schedule_execution_logs_' ||
        to_char((now() + interval '1 month') AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL AS next
      FROM schedule_execution_logs`,
  );
  expect(row!.oldest.getTime()).toBeGreaterThanOrEqual(oldestKept(45).getTime());
  expect(row!.next).toBe(true);
  expect(log.lines.map(({ message }) => message)).toEqual(['old executions deleted']);
});
