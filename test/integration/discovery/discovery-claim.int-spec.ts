import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectDatabase, createDiscoveryStore, type Database } from '@adapters/postgres';
import { runDiscovery } from '@core/discovery';
import { type DiscoveryStore, type NextRunTime } from '@core/domain';
import { silentLogger } from '../../support/silent-logger.js';
import { type DiscoveryWorld, FOREVER, startDiscoveryWorld } from './world.js';

const PODS = 6;
const HOURLY: NextRunTime = (_discovery, now) => new Date(now.getTime() + 3_600_000);

let world: DiscoveryWorld;
let databases: Database[];
let pods: DiscoveryStore[];
beforeEach(async () => {
  world = await startDiscoveryWorld();
  const { url } = world;
  databases = await Promise.all(
    Array.from({ length: PODS }, () => connectDatabase({ url, poolSize: 2, logger: silentLogger })),
  );
  pods = databases.map(createDiscoveryStore);
});
afterEach(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await world.stop();
});

const statusOf = async (discoveryId: string) =>
  (await world.store.listRuns(discoveryId, { limit: 10, offset: 0 })).items.map(({ status }) => status);

describe(`${PODS} pods that claim due discoveries concurrently`, () => {
  it('concurrent pods queue one run of each discovery and start it once', async () => {
    const due = await Promise.all(Array.from({ length: 5 }, () => world.discover()));
    await world.discover({ isActive: false });
    const queued = await Promise.all(pods.map((pod) => pod.queueDue(HOURLY)));
    expect(queued.reduce((sum, each) => sum + each, 0)).toBe(5);
    const claims: string[] = [];
    await Promise.all(
      pods.map(async (pod, index) => {
        for (
          let claimed = await pod.claim(`pod-${index}`);
          claimed;
          claimed = await pod.claim(`pod-${index}`)
        )
          claims.push(claimed.discovery.id);
      }),
    );
    expect(claims.sort()).toEqual(due.map(({ id }) => id).sort());
    expect(await world.store.queueDue(HOURLY)).toBe(0);
  });

  it('a project is registered once when runs of two discoveries race', async () => {
    await world.addProjects(...Array.from({ length: 20 }, (_, index) => `team/p${index}`));
    const both = [await world.discover(), await world.discover({ groupPath: null })];
    for (const { id } of both)
      await world.store.enqueue({ discoveryId: id, force: false, requestedBy: null });
    const outcomes = await Promise.all(
      pods.slice(0, 2).map(async (store) => {
        const { run, discovery } = (await store.claim('pod'))!;
        return runDiscovery(discovery, run, { ...world.ports, store }, FOREVER());
      }),
    );
    expect(await world.registered()).toHaveLength(20);
    expect(outcomes.reduce((sum, { counts }) => sum + counts.added, 0)).toBe(20);
    expect(outcomes.map(({ counts }) => counts.added + counts.kept)).toEqual([20, 20]);
    const { total } = await world.schedules.list({}, { limit: 1, offset: 0 });
    expect(total).toBe(20);
  });
});

describe('A run whose pod stops responding', () => {
  it('a run continues in another pod, and late writes of the first pod are refused', async () => {
    await world.addProjects('team/a');
    const discovery = await world.discover();
    await world.store.enqueue({ discoveryId: discovery.id, force: false, requestedBy: null });
    const lost = (await pods[0]!.claim('pod-0'))!;
    expect(await pods[1]!.recover(60)).toBe(0);
    await world.database.query(
      `UPDATE discovery_runs SET heartbeat_at = heartbeat_at - interval '61 seconds'`,
    );
    expect(await pods[1]!.recover(60)).toBe(1);
    const next = (await pods[1]!.claim('pod-1'))!;
    expect(next.run).toMatchObject({ id: lost.run.id, attempt: 2 });

    const late = runDiscovery(discovery, lost.run, { ...world.ports, store: pods[0]! }, FOREVER());
    await expect(late).rejects.toMatchObject({ kind: 'fence_lost' });
    await expect(pods[0]!.heartbeat(lost.run)).rejects.toMatchObject({ kind: 'fence_lost' });
    expect(await world.registered()).toEqual([]);
    const outcome = await runDiscovery(discovery, next.run, { ...world.ports, store: pods[1]! }, FOREVER());
    await pods[1]!.finish(next.run, outcome);
    expect(await world.registered()).toEqual(['team/a@main']);
    expect(await statusOf(discovery.id)).toEqual(['completed']);
  });

  it('a run that lost its pod three times fails, and the next tick starts another', async () => {
    const discovery = await world.discover();
    await world.store.enqueue({ discoveryId: discovery.id, force: false, requestedBy: null });
    for (let silence = 1; silence <= 3; silence += 1) {
      expect(await world.store.claim('pod-0')).not.toBeNull();
      await world.database.query(`UPDATE discovery_runs SET heartbeat_at = '2020-01-01'`);
      expect(await world.store.recover(60)).toBe(1);
    }
    expect(await world.store.claim('pod-0')).toBeNull();
    expect(await statusOf(discovery.id)).toEqual(['failed']);
    expect(await world.store.queueDue(HOURLY)).toBe(1);
  });

  it('a run is requeued when its pod stops', async () => {
    const discovery = await world.discover();
    await world.store.enqueue({ discoveryId: discovery.id, force: false, requestedBy: null });
    const { run } = (await world.store.claim('pod-0'))!;
    await world.store.handBack(run);
    expect((await world.store.claim('pod-1'))!.run).toMatchObject({ id: run.id, podName: 'pod-1' });
  });
});

describe('A discovery that is deleted while it runs', () => {
  it('a deleted discovery writes nothing more, and its repositories belong to no discovery', async () => {
    await world.addProjects('team/a', 'team/b');
    const discovery = await world.discover();
    await world.run(discovery);
    await world.store.enqueue({ discoveryId: discovery.id, force: false, requestedBy: null });
    const { run } = (await world.store.claim('pod-0'))!;
    await world.store.softDelete(discovery.id);
    await expect(runDiscovery(discovery, run, world.ports, FOREVER())).rejects.toMatchObject({
      kind: 'fence_lost',
    });
    const { items } = await world.repositories.list({}, { limit: 5, offset: 0 });
    expect(items.map(({ discoveryId }) => discoveryId)).toEqual([null, null]);
    expect(await world.store.queueDue(HOURLY)).toBe(0);
  });
});
