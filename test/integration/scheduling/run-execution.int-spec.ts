import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  RepotideError,
  throwIfAborted,
  type Execution,
  type ActiveRun,
  type RunHandler,
  type RunHandlers,
  type Lease,
  type LeaseManager,
} from '@core/domain';
import { shutdownReason, takeRun } from '@core/executions';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { MetricsRunObserver } from '../../../apps/server/src/metrics/run-observer.js';
import { until } from '../../support/command-line.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { startAttempt } from '../../support/start-attempt.js';

let world: SyncWorld;
let metrics: Metrics;

beforeEach(async () => {
  metrics = new Metrics();
  world = await createSyncWorld({ observers: [new MetricsRunObserver(metrics, 900)] });
});
afterEach(async () => {
  await world.stop();
});

async function enqueue(): Promise<Execution> {
  const request = {
    repositoryId: world.repositoryId,
    trigger: 'manual',
    requestedBy: null,
    fullSync: false,
  } as const;
  return world.executions.enqueue(request);
}

async function leaseLosses(): Promise<number> {
  const { values } = await metrics.leaseLosses.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** A handler that works until its signal fires, and exposes its run. */
function endlessHandler(): { handler: RunHandler; active: () => ActiveRun | null } {
  let active: ActiveRun | null = null;
  const handler: RunHandler = {
    name: 'repository_sync',
    acceptsDeleted: false,
    run: async (run) => {
      active = run;
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve, { once: true }));
      throwIfAborted(run.signal);
      throw new Error('unreachable');
    },
  };
  return { handler, active: () => active };
}

describe('runExecution', () => {
  it('lets only one of several callers run an execution', async () => {
    const { id } = await enqueue();
    let runs = 0;
    const counting: RunHandler = {
      ...world.handlers.repository_sync,
      run: async (active) => {
        runs++;
        return world.handlers.repository_sync.run(active);
      },
    };
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    await Promise.all([1, 2, 3].map(() => world.runQueued(id, { repository_sync: counting })));
    expect(runs).toBe(1);
    expect(await world.executions.find(id)).toMatchObject({
      status: 'completed',
      podName: 'test-pod',
      attempt: 1,
    });
    expect(await world.leases.list()).toEqual([]);
  });

  it('hands over a run on shutdown, and the next attempt continues it', async () => {
    const { id } = await enqueue();
    const shutdown = new AbortController();
    const { handler, active } = endlessHandler();
    const running = world.runQueued(id, { repository_sync: handler }, shutdown.signal);
    await until('the run to start', () => active() !== null);
    shutdown.abort(shutdownReason());
    expect(await running).toMatchObject({
      status: 'queued',
      attempt: 2,
      interruptions: 0,
      errorCode: 'shutdown',
    });
    expect(await world.leases.list()).toEqual([]);
    expect(await leaseLosses()).toBe(0);

    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed', attempt: 2, errorCode: null });
  });

  it('stops soon after a cancel request, and the next run converges', async () => {
    const { id } = await enqueue();
    const { handler, active } = endlessHandler();
    const running = world.runQueued(id, { repository_sync: handler });
    await until('the run to start', () => active() !== null);
    await world.executions.requestCancel(id);
    expect(await running).toMatchObject({ status: 'cancelled', errorCode: 'cancel_requested' });
  });

  it('leaves an unknown handler to a pod of another version', async () => {
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    const { id } = await enqueue();
    const ofOtherVersion: Partial<RunHandlers> = { repository_sync: undefined };
    expect(await world.runQueued(id, ofOtherVersion)).toMatchObject({ status: 'queued', attempt: 1 });
    expect(await world.leases.list()).toEqual([]);
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed' });
  });

  it('flags the index for a check and hands over when the lease is lost', async () => {
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    // Before the first sync there is no index to suspect.
    await world.sync();
    const { id } = await enqueue();
    const { handler, active } = endlessHandler();
    const running = world.runQueued(id, { repository_sync: handler });
    await until('the run to start', () => active() !== null);
    const holder = (await world.leases.holderOf(world.repositoryId))!;
    expect(await world.leases.breakLease(world.repositoryId, holder)).toBe(true);
    expect(await running).toMatchObject({ status: 'queued', attempt: 2, errorCode: 'lease_lost' });
    expect(await leaseLosses()).toBe(1);
    expect(await world.repository()).toMatchObject({ indexDirty: true, indexSuspicions: 1 });
  });

  it('also flags the index for a check when its row was taken over before its own request failed', async () => {
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    await world.sync();
    const { id } = await enqueue();
    const overtaken: RunHandler = {
      ...world.handlers.repository_sync,
      run: async () => {
        await world.executions.recoverInterrupted({ lost: { podNames: ['test-pod'] }, maxInterruptions: 1 });
        // After a thaw, a request may time out before the loss of the lease is noticed.
        throw new RepotideError('temporary', 'vector_store_unavailable', 'The upsert took too long.');
      },
    };
    expect(await world.runQueued(id, { repository_sync: overtaken })).toMatchObject({ attempt: 2 });
    expect(await world.repository()).toMatchObject({ indexDirty: true, indexSuspicions: 1 });
  });

  it('records nothing for an attempt that was taken over, and the next run removes its late points', async () => {
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    const { id } = await enqueue();
    let zombie: ActiveRun | null = null;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const sleeping: RunHandler = {
      ...world.handlers.repository_sync,
      run: async (active) => {
        zombie = active;
        await released;
        return world.handlers.repository_sync.run({ ...active, signal: new AbortController().signal });
      },
    };
    const asleep = world.runQueued(id, { repository_sync: sleeping });
    await until('the run to start', () => zombie !== null);

    // The pod is declared lost while it sleeps, and the next attempt does the work.
    const [recovered] = await world.executions.recoverInterrupted({
      lost: { podNames: ['test-pod'] },
      maxInterruptions: 1,
    });
    expect(recovered?.execution).toMatchObject({ status: 'queued', attempt: 2, interruptions: 1 });
    await world.leases.breakLease(world.repositoryId, { ...recovered!.lost, executionId: id });
    expect(await world.runQueued(id)).toMatchObject({ status: 'completed', attempt: 2 });

    world.git.write('a.ts', sourceText('newer', 4));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect(await leaseLosses()).toBe(0);
    release();
    expect(await asleep).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await leaseLosses()).toBe(1);
    expect(await world.repository()).toMatchObject({ indexDirty: true });
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('fails a run whose pod is lost a second time, with the reason', async () => {
    const { id } = await enqueue();
    for (const expected of [{ status: 'queued' }, { status: 'failed', errorCode: 'run_interrupted' }]) {
      expect(await startAttempt(world.executions, id, 'dead-pod')).not.toBeNull();
      const lost = { podNames: ['dead-pod'] };
      const [recovered] = await world.executions.recoverInterrupted({ lost, maxInterruptions: 1 });
      expect(recovered?.execution).toMatchObject(expected);
    }
  });

  it('cancels the queued executions of a deleted repository, and purges it', async () => {
    world.git.write('a.ts', sourceText('a', 3));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    await world.repositories.softDelete(world.repositoryId);
    expect(await world.run('purge')).toMatchObject({ status: 'completed', handler: 'purge' });
    expect(await world.points()).toEqual([]);
    expect(await world.entries()).toEqual([]);
    expect(await world.repositories.listUnpurged()).toEqual([]);
  });

  it('gives the chosen execution back soon when the store of the leases does not answer', async () => {
    const { id } = await enqueue();
    let answer: (lease: Lease) => void = () => undefined;
    let isReleased = false;
    const leases = Object.assign(Object.create(world.leases) as LeaseManager, {
      acquire: () => new Promise<Lease>((resolve) => (answer = resolve)),
    });
    const settings = { podName: 'test-pod', heartbeatMs: 1_000, maxRunMs: 600_000 };
    const take = (ports: Parameters<typeof takeRun>[2], executionId?: string) =>
      takeRun({ executionId }, world.handlers, ports, settings, new AbortController().signal);
    await expect(take({ ...world.ports, leases })).rejects.toMatchObject({ code: 'lease_unavailable' });
    expect(await world.executions.find(id)).toMatchObject({ status: 'queued', attempt: 1 });
    answer({
      signal: new AbortController().signal,
      release: async () => {
        isReleased = true;
      },
    });
    await until('the late lease to be released', () => isReleased);
    const taken = await take(world.ports, id);
    expect(taken).toMatchObject({ kind: 'taken' });
    if (taken?.kind === 'taken') expect(await taken.finish()).toMatchObject({ id, attempt: 1 });
  });

  it('fails a run with the message of an unexpected error', async () => {
    const { id } = await enqueue();
    const broken: RunHandler = {
      ...world.handlers.repository_sync,
      run: async () => {
        throw new TypeError('a bug');
      },
    };
    expect(await world.runQueued(id, { repository_sync: broken })).toMatchObject({
      status: 'failed',
      errorCode: 'internal_error',
      errorMessage: 'a bug',
    });
  });

  it('requeues a run with a delay after a temporary failure', async () => {
    const { id } = await enqueue();
    const down: RunHandler = {
      ...world.handlers.repository_sync,
      run: async () => {
        throw new RepotideError(
          'temporary',
          'embedding_unavailable',
          'The embedding server does not answer.',
        );
      },
    };
    const row = await world.runQueued(id, { repository_sync: down });
    expect(row).toMatchObject({ status: 'queued', attempt: 2, errorCode: 'embedding_unavailable' });
    expect(row.availableAt!.getTime()).toBeGreaterThan(Date.now());
  });
});
