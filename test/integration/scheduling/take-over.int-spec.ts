import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdvisoryLeaseManager, createPushStore } from '@adapters/postgres';
import {
  type Dispatchable,
  type Execution,
  type ExecutionStore,
  type LeaseManager,
  type PodDirectory,
  type PodGone,
} from '@core/domain';
import { SoleLeader } from '@adapters/memory';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { InProcessDispatcher } from '@adapters/memory';
import { RecoveryService } from '../../../apps/server/src/runs/recovery.service.js';
import { eventually } from '../../support/eventually.js';
import { silentLogger } from '../../support/silent-logger.js';
import { addRepository, openStores, type Stores } from '../postgres/fixtures.js';

const ENDLESS_MS = 600_000;
const IN_CLUSTER = { serviceHost: '10.0.0.1', servicePort: '443' };

let stores: Stores;
const opened: LeaseManager[] = [];
beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => {
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
  service: RecoveryService;
  tellGone(podName: string, gone: PodGone): void;
}

/** @param listQueued what the database lists as due, in place of what it holds. */
async function recoveryOn(
  podName: string,
  dispatcher: InProcessDispatcher,
  listQueued: ExecutionStore['listQueued'] = (limit) => stores.executions.listQueued(limit),
): Promise<Recovery> {
  let tell: Recovery['tellGone'] = () => undefined;
  const pods: PodDirectory = {
    start: () => undefined,
    stateOf: () => 'unknown',
    onGone: (listener) => (tell = listener),
    describe: () => ({ source: 'kubernetes', reason: 'the test says so' }),
  };
  const config = {
    roles: ['worker'],
    pod: { name: podName, namespace: 'default' },
    kubernetes: IN_CLUSTER,
    lease: { ttlSeconds: 60, reaperIntervalSeconds: 3600 },
  } as unknown as ConstructorParameters<typeof RecoveryService>[0];
  const service = new RecoveryService(
    config,
    silentLogger,
    { ...stores.executions, listQueued },
    stores.repositories,
    await leasesOf(podName),
    new SoleLeader(podName),
    dispatcher,
    new Metrics(),
    pods,
    createPushStore(stores.db),
    false,
  );
  return { service, tellGone: (name, gone) => tell(name, gone) };
}

async function stopped({ service }: Recovery): Promise<void> {
  service.onModuleDestroy();
  await service.beforeApplicationShutdown();
}

async function queuedRun(): Promise<Execution> {
  const { id: repositoryId } = await addRepository(stores);
  return stores.executions.enqueue({ repositoryId, trigger: 'manual', requestedBy: null, fullSync: false });
}

describe('leases without a running row', () => {
  async function held(leases: LeaseManager): Promise<{ repositoryId: string; isHeld(): Promise<boolean> }> {
    const { id: repositoryId } = await addRepository(stores);
    const executionId = randomUUID();
    expect(await leases.acquire({ repositoryId, executionId, fence: 1 })).not.toBeNull();
    return { repositoryId, isHeld: async () => (await leases.holderOf(repositoryId)) !== null };
  }

  it('of a pod that Kubernetes says is gone are free at once; those of others stay', async () => {
    const lost = await held(await leasesOf('pod-lost'));
    const kept = await held(await leasesOf('pod-kept'));
    const recovery = await recoveryOn('pod-here', new InProcessDispatcher(1));
    await recovery.service.onApplicationBootstrap();
    expect(await lost.isHeld()).toBe(true);
    recovery.tellGone('pod-lost', { reason: 'deleted', hasSuccessor: false });
    await eventually(async () => !(await lost.isHeld()));
    expect(await kept.isHeld()).toBe(true);
    await stopped(recovery);
  });

  it('of the container before under the same name are free when the next one starts', async () => {
    const lost = await held(await leasesOf('pod-again'));
    const kept = await held(await leasesOf('pod-kept'));
    const recovery = await recoveryOn('pod-again', new InProcessDispatcher(1));
    await recovery.service.recoverOwn();
    expect(await lost.isHeld()).toBe(false);
    expect(await kept.isHeld()).toBe(true);
  });
});

it('what the database says is due is dispatched, though this pod’s clock is minutes behind', async () => {
  const run = await queuedRun();
  const started: string[] = [];
  const dispatcher = new InProcessDispatcher(1);
  await dispatcher.start(async (executionId) => void started.push(executionId));
  // As a pod sees it whose clock is behind the database's: due there, later than now here.
  const inTwoMinutes: Pick<Dispatchable, 'availableAt'> = { availableAt: new Date(Date.now() + 120_000) };
  const recovery = await recoveryOn('pod-behind', dispatcher, async () => [{ ...run, ...inTwoMinutes }]);
  await recovery.service.onApplicationBootstrap();
  await stopped(recovery);
  await dispatcher.drain();
  expect(started).toEqual([run.id]);
});
