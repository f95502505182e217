import { migrate, MIGRATIONS, PostgresHistory } from '@adapters/postgres';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../support/silent-logger.js';
import { openStores } from './fixtures.js';
import { compareWithRows } from './history-oracle.js';
import { addOwners, addRows } from './history-rows.js';

const YEAR = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };

/** Migrations of the version before the one that is named. */
const before = (name: string) =>
  MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex((each) => each.name.startsWith(name)),
  );

describe('history after an upgrade', () => {
  it('has the executions of former versions, merged into sums or not', async () => {
    const stores = await openStores(before('HistoryAdditions'));
    try {
      const history = new PostgresHistory(stores.db);
      const upgrade = (migrations = MIGRATIONS) =>
        migrate({ url: stores.url, logger: silentLogger, migrations });
      await addOwners(stores);
      await addRows(stores, 200, new Date('2026-01-20T00:00:00Z'));
      await upgrade(before('HistoryTotals'));
      await addRows(stores, 200, new Date('2026-02-20T00:00:00Z'));
      await history.mergeSums();
      await addRows(stores, 200, new Date('2026-03-20T00:00:00Z'));
      await upgrade();
      const filters = [YEAR, { ...YEAR, podName: 'pod-1' }];
      for (const filter of filters) await compareWithRows(stores, filter);
      await addRows(stores, 200, new Date('2026-04-20T00:00:00Z'));
      await history.mergeSums();
      for (const filter of filters) await compareWithRows(stores, filter);
      expect((await history.summary(YEAR)).runs.completed).toBeGreaterThan(400);
    } finally {
      await stores.close();
    }
  });
});
