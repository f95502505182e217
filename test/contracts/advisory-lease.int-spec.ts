import { createAdvisoryLeaseManager } from '@adapters/postgres';
import { type LeaseManager } from '@core/domain';
import { createTestDatabase } from '../support/postgres.js';
import { silentLogger as logger } from '../support/silent-logger.js';
import { leaseContract } from './lease.contract.js';

const LEASE = { ttlMs: 1_200, renewMs: 200 };

leaseContract('Postgres advisory lock', async () => {
  const database = await createTestDatabase();
  const opened: LeaseManager[] = [];
  return {
    async open(podName) {
      const manager = await createAdvisoryLeaseManager({ url: database.url, podName, logger, ...LEASE });
      opened.push(manager);
      return manager;
    },
    async close() {
      for (const manager of opened) await manager.close();
      await database.drop();
    },
    spansPods: true,
    expiresAfterMs: LEASE.ttlMs,
    survivesRestart: false,
  };
});
