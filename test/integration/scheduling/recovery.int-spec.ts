import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RepotideError, type PodDirectory } from '@core/domain';
import { InProcessLeaseManager } from '@adapters/memory';
import { loadConfig } from '@platform/config';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { LostPods } from '../../../apps/server/src/chores/lost-pods.service.js';
import { RecoverLostRuns } from '../../../apps/server/src/chores/recover-lost-runs.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { addRepository, openStores, startRun, type Stores } from '../postgres/fixtures.js';

const LOST_POD = 'pod-1';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const noPods: PodDirectory = {
  start: () => undefined,
  stateOf: () => 'unknown',
  onPodEnd: () => undefined,
  describe: () => ({ source: 'heartbeats', reason: 'a test' }),
};

it('the leases of a lost pod are broken and its runs queued again, even if one lease cannot be broken', async () => {
  const leases = new InProcessLeaseManager(LOST_POD);
  const runs = [];
  for (let count = 0; count < 3; count += 1) {
    const run = await startRun(stores, (await addRepository(stores)).id, LOST_POD);
    await leases.acquire(run);
    runs.push(run);
  }
  const stuck = runs[0]!.repositoryId;
  const firstOneFails = Object.assign(Object.create(leases) as InProcessLeaseManager, {
    breakLease: (...args: Parameters<InProcessLeaseManager['breakLease']>) => {
      if (args[0] !== stuck) return leases.breakLease(...args);
      return Promise.reject(new RepotideError('temporary', 'lease_unavailable', 'Redis does not answer.'));
    },
  });
  const logger = recordingLogger();
  const config = loadConfig({});
  const lostRuns = new RecoverLostRuns(config, logger, stores.executions, firstOneFails, new Metrics());
  await new LostPods(config, logger, noPods, false, lostRuns).takeOver([LOST_POD]);
  for (const { executionId } of runs) {
    expect(await stores.executions.find(executionId)).toMatchObject({ status: 'queued', attempt: 2 });
  }
  expect((await leases.list()).map(({ repositoryId }) => repositoryId)).toEqual([stuck]);
  expect(logger.lines.filter((line) => line.includes('interrupted run recovered'))).toHaveLength(3);
  // Once by its row, and once by the lease itself.
  expect(logger.lines.filter((line) => line.includes('lease_unavailable'))).toHaveLength(2);
});
