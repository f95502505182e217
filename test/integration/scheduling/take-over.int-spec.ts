import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdvisoryLeaseManager } from '@adapters/postgres';
import { type LeaseManager, type PodDirectory, type PodEnd } from '@core/domain';
import { type Config } from '@platform/config';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { LostPods } from '../../../apps/server/src/chores/lost-pods.service.js';
import { RecoverLostRuns } from '../../../apps/server/src/chores/recover-lost-runs.js';
import { eventually } from '../../support/eventually.js';
import { silentLogger } from '../../support/silent-logger.js';
import { addRepository, openStores, type Stores } from '../postgres/fixtures.js';

const ENDLESS_MS = 600_000;
/** Kubernetes sets these in every container. */
const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const FORMER_ENVIRONMENT = process.env;

let stores: Stores;
const opened: LeaseManager[] = [];
beforeAll(async () => {
  process.env = { ...FORMER_ENVIRONMENT, ...IN_CLUSTER };
  stores = await openStores();
});
afterAll(async () => {
  process.env = FORMER_ENVIRONMENT;
  for (const manager of opened) await manager.close();
  await stores.close();
});

async function leasesOf(podName: string): Promise<LeaseManager> {
  const settings = { ttlMs: ENDLESS_MS, renewMs: ENDLESS_MS, logger: silentLogger };
  const manager = await createAdvisoryLeaseManager({ url: stores.url, podName, ...settings });
  opened.push(manager);
  return manager;
}

interface Recovery {
  service: LostPods;
  reportEnd(podName: string, end: PodEnd): void;
}

async function recoveryOn(podName: string): Promise<Recovery> {
  let tell: Recovery['reportEnd'] = () => undefined;
  const pods: PodDirectory = {
    start: () => undefined,
    stateOf: () => 'unknown',
    onPodEnd: (listener) => (tell = listener),
    describe: () => ({ source: 'kubernetes', reason: 'the test says so' }),
  };
  const config = {
    roles: ['worker'],
    pod: { name: podName, namespace: 'default' },
    lease: { ttlSeconds: 60, reaperIntervalSeconds: 3600 },
  } as unknown as Config;
  const leases = await leasesOf(podName);
  const lostRuns = new RecoverLostRuns(config, silentLogger, stores.executions, leases, new Metrics());
  const service = new LostPods(config, silentLogger, pods, false, lostRuns);
  return { service, reportEnd: (name, end) => tell(name, end) };
}

describe('a lease without a running row', () => {
  async function held(leases: LeaseManager): Promise<{ repositoryId: string; isHeld(): Promise<boolean> }> {
    const { id: repositoryId } = await addRepository(stores);
    const executionId = randomUUID();
    expect(await leases.acquire({ repositoryId, executionId, fence: 1 })).not.toBeNull();
    return { repositoryId, isHeld: async () => (await leases.holderOf(repositoryId)) !== null };
  }

  it('is broken at once when Kubernetes reports that its pod has ended; leases of other pods stay', async () => {
    const lost = await held(await leasesOf('pod-lost'));
    const kept = await held(await leasesOf('pod-kept'));
    const recovery = await recoveryOn('pod-here');
    recovery.service.onApplicationBootstrap();
    expect(await lost.isHeld()).toBe(true);
    recovery.reportEnd('pod-lost', { reason: 'deleted', hasSuccessor: false });
    await eventually(async () => !(await lost.isHeld()));
    expect(await kept.isHeld()).toBe(true);
    recovery.service.onModuleDestroy();
  });

  it('is broken when a new container starts under the name of its pod', async () => {
    const lost = await held(await leasesOf('pod-again'));
    const kept = await held(await leasesOf('pod-kept'));
    const recovery = await recoveryOn('pod-again');
    await recovery.service.recoverOwn();
    expect(await lost.isHeld()).toBe(false);
    expect(await kept.isHeld()).toBe(true);
  });
});
