import { migrate, MIGRATIONS, PostgresHistory } from '@adapters/postgres';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../support/silent-logger.js';
import { openStores } from './fixtures.js';
import { compareWithRows } from './history-oracle.js';
import { addOwners, addRows } from './history-rows.js';

const YEAR = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };

/** A change that the next version may make: it only adds. */
class NextAdds1999999999999 {
  readonly name = 'NextAdds1999999999999';
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    for (const table of ['history_additions', 'history_sums', 'schedule_execution_logs'])
      await runner.query(`ALTER TABLE ${table} ADD COLUMN from_next int NOT NULL DEFAULT 1`);
  }
  async down(): Promise<void> {}
}

describe('history after an upgrade to the next version', () => {
  it('has the executions from before and after it, merged into sums or not, in answers of this version', async () => {
    const stores = await openStores();
    try {
      const history = new PostgresHistory(stores.db);
      await addOwners(stores);
      await addRows(stores, 200, new Date('2026-01-20T00:00:00Z'));
      await history.mergeSums();
      await addRows(stores, 200, new Date('2026-02-20T00:00:00Z'));
      await migrate({
        url: stores.url,
        logger: silentLogger,
        migrations: [...MIGRATIONS, NextAdds1999999999999],
      });
      const filters = [YEAR, { ...YEAR, podName: 'pod-1' }];
      for (const filter of filters) await compareWithRows(stores, filter);
      await addRows(stores, 200, new Date('2026-03-20T00:00:00Z'));
      await history.mergeSums();
      for (const filter of filters) await compareWithRows(stores, filter);
      expect((await history.summary(YEAR)).runs.completed).toBeGreaterThan(300);
    } finally {
      await stores.close();
    }
  });
});
