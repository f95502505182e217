import { PostgresHistory } from '@adapters/postgres';
import { loadConfig } from '@platform/config';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DeleteOldExecutions } from '../../../apps/server/src/chores/delete-old-executions.js';
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

async function countRows(): Promise<number> {
  const [row] = await stores.db.query<{ rows: number }>(
    'SELECT count(*) AS rows FROM schedule_execution_logs',
  );
  return row!.rows;
}

it('the history chore deletes old executions in batches until all are deleted', async () => {
  const log = new CapturedLog();
  const config = loadConfig({ EXECUTION_RETENTION_DAYS: '45' });
  const chore = new DeleteOldExecutions(config, log, new PostgresHistory(stores.db));
  await chore.run();
  await chore.run();
  const left = await countRows();
  expect(left).toBeGreaterThan(1400);
  expect(left).toBeLessThan(1600);
  expect(log.lines.map(({ message, fields }) => [message, fields.deleted])).toEqual([
    ['old executions deleted', 3000 - left],
  ]);
});
