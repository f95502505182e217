import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RepotideError, type LeaseManager, type PodDirectory, type RunIdentity } from '@core/domain';
import { InProcessLeaseManager } from '@adapters/memory';
import { loadConfig } from '@platform/config';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { LostPods } from '../../../apps/server/src/chores/lost-pods.service.js';
import { RecoverLostRuns } from '../../../apps/server/src/chores/recover-lost-runs.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { PodRegistry } from '@adapters/postgres';
import {
  addRepository,
  openStores,
  silence,
  startQueued,
  startRun,
  type Stores,
} from '../postgres/fixtures.js';

const LOST_POD = 'pod-1';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

/** Sets since when the database is reachable, and when pods last reached it. */
function reached(sinceSeconds: number, seenSeconds: number): Promise<unknown> {
  return stores.db.query(
    `UPDATE database_reached SET since = clock_timestamp() - make_interval(secs => $1),
      seen_at = clock_timestamp() - make_interval(secs => $2)`,
    [sinceSeconds, seenSeconds],
  );
}

function reaper(leases: LeaseManager): RecoverLostRuns {
  return new RecoverLostRuns(loadConfig({}), recordingLogger(), stores.executions, leases, new Metrics());
}

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

describe('runs whose heartbeat is older than the lease', () => {
  const DEAD = { roles: ['worker'], version: '1', mode: 'standalone', modelId: null };
  const row = ({ executionId }: RunIdentity) => stores.executions.find(executionId);

  async function silentRun(podName: string): Promise<[RunIdentity, InProcessLeaseManager]> {
    const run = await startRun(stores, (await addRepository(stores)).id, podName);
    await silence(stores, run);
    const leases = new InProcessLeaseManager(podName);
    await leases.acquire(run);
    return [run, leases];
  }

  it('go on after an outage of the database, until it has been back for one lease time', async () => {
    const [run, leases] = await silentRun('pod-a');
    // The reaper may be the first that reaches the database, or one of its pods was.
    for (const [since, seen] of [
      [3_600, 90],
      [50, 1],
    ] as const) {
      await reached(since, seen);
      await reaper(leases).run();
      expect(await row(run)).toMatchObject({ status: 'running', attempt: 1 });
    }
    await reached(61, 1);
    await reaper(leases).run();
    expect(await row(run)).toMatchObject({ status: 'queued', attempt: 2 });
    expect(await leases.list()).toEqual([]);
  });

  it('are over at once when their lease is gone; without proof that the pod was lost they may be repeated', async () => {
    await reached(10, 1);
    const [run] = await silentRun('pod-b');
    for (const attempt of [2, 3, 4]) {
      await reaper(new InProcessLeaseManager('other')).run();
      expect(await row(run)).toMatchObject({ status: 'queued', attempt, interruptions: 0, failures: 0 });
      await silence(stores, await startQueued(stores, run.executionId, 'pod-b'));
    }
  });

  it('count as interrupted when their process shows no life, and not when it does', async () => {
    const pods = new PodRegistry(stores.db);
    const bootId = randomUUID();
    await pods.showLife({ ...DEAD, bootId, podName: 'pod-c' });
    const [alive] = await silentRun('pod-c');
    const [dead] = await silentRun('pod-d');
    await reached(600, 1);
    await reaper(new InProcessLeaseManager('other')).run();
    expect(await row(alive)).toMatchObject({ status: 'queued', interruptions: 0 });
    expect(await row(dead)).toMatchObject({ status: 'queued', interruptions: 1 });
  });

  it('count as interrupted when their process was restarted, even right after an outage', async () => {
    const [run] = await silentRun('pod-e');
    await new PodRegistry(stores.db).showLife({ ...DEAD, bootId: randomUUID(), podName: 'pod-e' });
    await reached(5, 1);
    await reaper(new InProcessLeaseManager('other')).run();
    expect(await row(run)).toMatchObject({ status: 'queued', interruptions: 1 });
  });

  it('see a gap in the heartbeats of all pods as an outage of the database', async () => {
    const since = async (): Promise<number> =>
      (await stores.db.first<{ age: number }>(
        'SELECT EXTRACT(EPOCH FROM clock_timestamp() - since)::float8 AS age FROM database_reached',
      ))!.age;
    const beat = () =>
      new PodRegistry(stores.db).showLife({ ...DEAD, bootId: randomUUID(), podName: 'pod-f' });
    await reached(600, 20);
    await beat();
    expect(await since()).toBeGreaterThan(590);
    await reached(600, 40);
    await beat();
    expect(await since()).toBeLessThan(300);
  });
});
