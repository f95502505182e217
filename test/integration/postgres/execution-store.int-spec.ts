import {
  type Execution,
  type RecoveredRun,
  RepotideError,
  RUN_HANDLERS,
  type RunCounters,
  type RunIdentity,
  zeroCounters,
} from '@core/domain';
import { randomUUID } from 'node:crypto';
import { PodRegistry } from '@adapters/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  claimOne,
  addRepository,
  enqueue,
  openStores,
  silence,
  startQueued,
  startRun,
  type Stores,
} from './fixtures.js';
import { activeGeneration } from '../../support/active-generation.js';
import { eventually } from '../../support/eventually.js';
import { startAttempt } from '../../support/start-attempt.js';

const counted: RunCounters = {
  ...zeroCounters(),
  filesProcessed: 5,
  chunksUpserted: 12,
  bytesFetched: 5_000_000_000,
};

const shutdown = {
  errorCode: 'shutdown',
  errorMessage: 'stopping \0',
  delaySeconds: null,
  isFailure: false,
};

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

describe('queueing an execution', () => {
  it('creates a queued row without a schedule', async () => {
    const { id } = await addRepository(stores);
    const queued = await stores.executions.enqueue({
      repositoryId: id,
      trigger: 'webhook',
      requestedBy: 'hook',
      fullSync: true,
    });
    expect(queued).toMatchObject({
      repositoryId: id,
      trigger: 'webhook',
      handler: 'repository_sync',
      status: 'queued',
      requestedBy: 'hook',
      fullSync: true,
      attempt: 1,
      fence: 0,
      scheduleSessionId: null,
      ...zeroCounters(),
    });
    expect(await stores.executions.find(queued.id)).toEqual(queued);
    expect(await stores.executions.countQueued()).toBeGreaterThan(0);
  });

  it('returns the execution that blocks it', async () => {
    const { id } = await addRepository(stores);
    const queued = await enqueue(stores, id);
    await expect(enqueue(stores, id)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'run_in_progress',
      details: { execution_id: queued.id, status: 'queued', pod_name: null, started_at: null },
    });
    await startQueued(stores, queued.id, 'pod-7');
    const refused: unknown = await enqueue(stores, id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RepotideError);
    expect(refused).toMatchObject({
      message: expect.stringContaining('pod-7'),
      details: { execution_id: queued.id, status: 'running', pod_name: 'pod-7' },
    });
  });

  it('accepts one of many concurrent requests', async () => {
    const { id } = await addRepository(stores);
    const requests = await Promise.allSettled(Array.from({ length: 12 }, () => enqueue(stores, id)));
    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = requests.flatMap((request) =>
      request.status === 'rejected' ? [request.reason as unknown] : [],
    );
    expect(
      reasons.every((reason) => reason instanceof RepotideError && reason.code === 'run_in_progress'),
    ).toBe(true);
    expect((await stores.executions.list({ repositoryId: id }, { limit: 9, offset: 0 })).total).toBe(1);
  });

  it('ends a queued execution that will not run, once', async () => {
    const { id } = await addRepository(stores);
    const queued = await enqueue(stores, id);
    const { executions } = stores;
    expect(await executions.abandonQueued(queued.id, 'failed', 'lease_unavailable', 'no\0pe')).toBe(true);
    expect(await executions.abandonQueued(queued.id, 'skipped', 'other', '')).toBe(false);
    expect(await executions.find(queued.id)).toMatchObject({
      status: 'failed',
      errorCode: 'lease_unavailable',
      errorMessage: 'no\u{FFFD}pe',
    });
  });
});

describe('starting an execution', () => {
  it('succeeds for one of many pods, with a fence above all earlier ones', async () => {
    const { id } = await addRepository(stores);
    const earlier = await startRun(stores, (await addRepository(stores)).id);
    const queued = await enqueue(stores, id);
    const starts = await Promise.all(
      Array.from({ length: 10 }, (_, pod) => startAttempt(stores.executions, queued.id, `pod-${pod}`)),
    );
    const won = starts.filter((started) => started !== null);
    expect(won).toHaveLength(1);
    expect(won[0]?.fence).toBeGreaterThan(earlier.fence);
    expect(won[0]?.execution).toMatchObject({ status: 'running', fence: won[0]?.fence });
    expect(won[0]?.execution.startedAt).toBeInstanceOf(Date);
  });

  it('allows one run per repository when two executions are queued', async () => {
    const { id } = await addRepository(stores);
    const [first] = [await enqueue(stores, id)];
    const second = await queueBeside(first);
    const starts = await Promise.all(
      [first, second].map((queued) => startAttempt(stores.executions, queued.id, 'pod')),
    );
    expect(starts.filter((started) => started !== null)).toHaveLength(1);
  });

  it('is refused when the execution is not queued', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    for (const id of ['nonsense', run.executionId])
      expect(await startAttempt(stores.executions, id, 'pod')).toBeNull();
  });
});

describe('a run', () => {
  it('updates its counters, which never decrease', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    await stores.executions.heartbeat(run, counted);
    await stores.executions.heartbeat(run, { ...zeroCounters(), filesFailed: 1 });
    expect(await stores.executions.find(run.executionId)).toMatchObject({ ...counted, filesFailed: 1 });
  });

  it('ends with its outcome, and repeating the call is harmless', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    const end = { ...outcome('partial'), errorCode: 'files_failed', errorMessage: 'bad \0 \ud800 byte' };
    const finished = await stores.executions.finish(run, end);
    expect(finished).toMatchObject({
      status: 'partial',
      ...counted,
      fromCommit: 'c1',
      toCommit: 'c2',
      errorCode: 'files_failed',
      errorMessage: 'bad \u{FFFD} \u{FFFD} byte',
    });
    expect(finished.durationSeconds).toBeGreaterThanOrEqual(0);
    expect(await stores.executions.finish(run, end)).toEqual(finished);
    await expect(stores.executions.finish(run, outcome('failed'))).rejects.toMatchObject({
      kind: 'fence_lost',
    });
  });

  it('updates the time of the last sync of its schedule', async () => {
    const repository = await addRepository(stores);
    const schedule = await stores.schedules.create(
      {
        repositoryId: repository.id,
        cronExpression: '* * * * *',
        timezone: 'UTC',
        isActive: true,
        misfireGraceSeconds: 300,
      },
      (now) => now,
    );
    const claim = await claimOne(stores.schedules, ({ now }) => ({
      nextRunAt: null,
      run: { scheduledFor: now, coalescedCount: 0 },
      passedOver: [],
    }));
    const run = await startQueued(stores, claim?.execution?.id ?? '');
    const finished = await stores.executions.finish(run, outcome('completed'));
    expect((await stores.schedules.find(schedule.id))?.lastSyncAt).toEqual(finished.completedAt);
  });

  it('receives a cancel request with its next heartbeat', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    expect(await stores.executions.heartbeat(run, counted)).toEqual({ isCancelRequested: false });
    const asked = await stores.executions.requestCancel(run.executionId);
    expect(asked).toMatchObject({ status: 'running', errorCode: null });
    expect(await stores.executions.requestCancel(run.executionId)).toEqual(asked);
    expect(await stores.executions.heartbeat(run, counted)).toEqual({ isCancelRequested: true });
  });

  it('is cancelled at once while queued, and is not cancelled after its end', async () => {
    const queued = await enqueue(stores, (await addRepository(stores)).id);
    const cancelled = await stores.executions.requestCancel(queued.id);
    expect(cancelled).toMatchObject({ status: 'cancelled', errorCode: 'cancel_requested' });
    expect(await stores.executions.requestCancel(queued.id)).toEqual(cancelled);
    expect(await stores.executions.requestCancel('nonsense')).toBeNull();
  });

  it('waits as the next attempt when it is requeued, and keeps its counters and its error until the start', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    const later = { ...shutdown, delaySeconds: 3_600, isFailure: true };
    const waiting = await stores.executions.requeue(run, counted, later);
    expect(waiting).toMatchObject({
      status: 'queued',
      attempt: 2,
      interruptions: 0,
      failures: 1,
      podName: null,
      startedAt: null,
      availableAt: expect.any(Date),
      errorCode: 'shutdown',
      errorMessage: 'stopping \u{FFFD}',
      ...counted,
    });
    expect(await takeAll()).not.toContain(run.executionId);
    const next = await startQueued(stores, run.executionId, 'pod-2');
    expect(next.fence).toBeGreaterThan(run.fence);
    expect(await stores.executions.find(run.executionId)).toMatchObject({
      errorCode: null,
      errorMessage: null,
      availableAt: null,
    });
    await stores.executions.requeue(next, counted, shutdown);
    const last = await startQueued(stores, run.executionId);
    await stores.executions.requestCancel(run.executionId);
    expect(await stores.executions.requeue(last, counted, shutdown)).toMatchObject({
      status: 'cancelled',
      attempt: 3,
      errorCode: 'cancel_requested',
    });
  });

  it('has its heartbeat refused when its end, for which the heartbeat waited, moves the row to another partition', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    let beat: Promise<unknown> = Promise.resolve();
    await stores.db.transaction(async (tx) => {
      await tx.query(
        `UPDATE schedule_execution_logs SET status = 'failed', completed_at = clock_timestamp() WHERE id = $1`,
        [run.executionId],
      );
      beat = stores.executions.heartbeat(run, counted).catch((error: unknown) => error);
      await eventually(async () => {
        const waiting = await stores.db.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
    });
    expect(await beat).toMatchObject({ code: 'fence_lost' });
    const [row] = await stores.db.query(
      `SELECT tableoid::regclass::text LIKE '%live' AS is_live FROM schedule_execution_logs WHERE id = $1`,
      [run.executionId],
    );
    expect(row).toEqual({ isLive: false });
  });
});

it('a revoked attempt ends at once, its writes are refused, and its repository is free', async () => {
  const { id } = await addRepository(stores);
  const run = await startRun(stores, id);
  expect(await stores.executions.revoke({ ...run, fence: run.fence + 1 }, 'wrong fence')).toBe(false);
  expect(await stores.executions.revoke(run, 'released')).toBe(true);
  expect(await stores.executions.revoke(run, 'again')).toBe(false);
  await expect(stores.executions.finish(run, outcome('completed'))).rejects.toMatchObject({
    code: 'fence_lost',
  });
  expect(await stores.executions.find(run.executionId)).toMatchObject({
    status: 'cancelled',
    errorCode: 'lock_released',
    errorMessage: 'released',
    durationSeconds: expect.any(Number),
  });
  await startRun(stores, id);
});

describe('recovery of silent runs', () => {
  it('requeues a silent run once, then fails it', async () => {
    const repository = await addRepository(stores);
    let run = await startRun(stores, repository.id);
    await stores.executions.heartbeat(run, counted);
    await silence(stores, run);
    expect(await recover(run)).toMatchObject({
      execution: {
        status: 'queued',
        attempt: 2,
        interruptions: 1,
        trigger: 'manual',
        podName: null,
        errorCode: null,
        ...counted,
      },
      lost: { podName: 'pod-1', fence: run.fence },
    });
    run = await startQueued(stores, run.executionId);
    await silence(stores, run);
    expect(await recover(run)).toMatchObject({
      execution: {
        status: 'failed',
        attempt: 2,
        interruptions: 2,
        podName: 'pod-1',
        errorCode: 'run_interrupted',
        errorMessage: expect.stringContaining('Pod pod-1 was lost during attempt 2'),
      },
    });
    await enqueue(stores, repository.id);
  });

  it('does not count hand-overs as interruptions', async () => {
    let run = await startRun(stores, (await addRepository(stores)).id);
    for (let deploy = 0; deploy < 3; deploy += 1) {
      await stores.executions.requeue(run, counted, shutdown);
      run = await startQueued(stores, run.executionId);
    }
    await silence(stores, run);
    expect(await recover(run)).toMatchObject({
      execution: { status: 'queued', attempt: 5, interruptions: 1, failures: 0 },
    });
  });

  it('ignores runs with a fresh heartbeat, and cancels runs with a cancel request', async () => {
    const alive = await startRun(stores, (await addRepository(stores)).id);
    const unwanted = await startRun(stores, (await addRepository(stores)).id);
    await stores.executions.requestCancel(unwanted.executionId);
    await silence(stores, unwanted);
    const recovered = await recoverSilent();
    expect(recovered.map(({ execution }) => [execution.id, execution.status])).toEqual([
      [unwanted.executionId, 'cancelled'],
    ]);
    await expect(stores.executions.heartbeat(alive, counted)).resolves.toBeDefined();
  });

  it('recovers the runs of lost pods even when their heartbeat is fresh', async () => {
    const first = await startRun(stores, (await addRepository(stores)).id, 'gone-1');
    const second = await startRun(stores, (await addRepository(stores)).id, 'gone-2');
    const theirs = await startRun(stores, (await addRepository(stores)).id, 'neighbour');
    const lost = { podNames: ['gone-1', 'gone-2', 'idle'] };
    const recovered = await stores.executions.recoverInterrupted({ lost, maxInterruptions: 1 });
    expect(recovered.map((run) => [run.execution.id, run.lost.podName]).sort()).toEqual(
      [
        [first.executionId, 'gone-1'],
        [second.executionId, 'gone-2'],
      ].sort(),
    );
    expect(await stores.executions.recoverInterrupted({ lost, maxInterruptions: 1 })).toEqual([]);
    await expect(stores.executions.heartbeat(theirs, counted)).resolves.toBeDefined();
  });

  it('skips a run whose batch is being committed', async () => {
    const run = await startRun(stores, (await addRepository(stores)).id);
    await silence(stores, run);
    await stores.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM schedule_execution_logs WHERE id = $1 FOR NO KEY UPDATE', [
        run.executionId,
      ]);
      expect(await recover(run)).toBeUndefined();
    });
    expect(await recover(run)).toBeDefined();
  });

  it('requeues each run once when several reapers run at once', async () => {
    const runs: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const run = await startRun(stores, (await addRepository(stores)).id);
      await silence(stores, run);
      runs.push(run.executionId);
    }
    const recovered = (await Promise.all(Array.from({ length: 5 }, recoverSilent))).flat();
    expect(recovered.map(({ execution }) => execution.id).sort()).toEqual([...runs].sort());
    expect(recovered.every(({ execution }) => execution.attempt === 2)).toBe(true);
  });
});

describe('the waiting executions', () => {
  const hook = { trigger: 'webhook' as const, requestedBy: null, fullSync: false };
  const age = (ids: readonly string[], seconds: number): Promise<unknown> =>
    stores.db.query(
      `UPDATE schedule_execution_logs SET queued_at = clock_timestamp() - make_interval(secs => $2) WHERE id = ANY($1::uuid[])`,
      [ids, seconds],
    );
  const noneQueued = (): Promise<unknown> =>
    stores.db.query(
      `UPDATE schedule_execution_logs SET status = 'skipped', completed_at = now() WHERE status = 'queued'`,
    );
  const hooked = async (changes: { baseUrl?: string } = {}): Promise<string> => {
    const { id: repositoryId } = await addRepository(stores, changes);
    return (await stores.executions.enqueue({ ...hook, repositoryId })).id;
  };
  const manual = async (): Promise<string> => (await enqueue(stores, (await addRepository(stores)).id)).id;

  it('are taken by age, with a head start for manual ones that does not starve the others', async () => {
    await noneQueued();
    const [old, young, first, second] = [await hooked(), await hooked(), await manual(), await manual()];
    await age([old], 3_600);
    await age([young], 30);
    await age([first], 20);
    await age([second], 10);
    expect(await takeAll()).toEqual([old, first, second, young]);
  });

  it('are taken once each by pods that take at the same time', async () => {
    await noneQueued();
    const ids = await Promise.all(Array.from({ length: 12 }, () => hooked()));
    const taken = (await Promise.all(Array.from({ length: 4 }, () => takeAll()))).flat();
    expect(taken.sort()).toEqual(ids.sort());
  });

  it('stay queued when the lease is refused, and are left out on request', async () => {
    await noneQueued();
    const [first, second] = [await hooked(), await hooked()];
    await age([first], 60);
    const request = { podName: 'pod', handlers: RUN_HANDLERS };
    expect(await stores.executions.take(request, async () => false)).toMatchObject({
      kind: 'refused',
      executionId: first,
    });
    expect(await stores.executions.find(first)).toMatchObject({ status: 'queued', attempt: 1, fence: 0 });
    expect(await takeAll([first])).toEqual([second]);
  });

  it('are not kept from other pods by one whose lease does not come', async () => {
    await noneQueued();
    const id = await hooked();
    const request = { podName: 'cut-off', handlers: RUN_HANDLERS };
    // The answer comes after another pod has taken the execution: the server must have ended the first transaction.
    const stuck = stores.executions.take(request, async () => {
      await eventually(async () => (await takeAll()).includes(id));
      return true;
    });
    await expect(stuck).rejects.toMatchObject({ kind: 'temporary', code: 'database_unreachable' });
    expect(await stores.executions.find(id)).toMatchObject({ status: 'running', podName: 'pod' });
  });

  it('of other triggers wait while only manual ones are wanted', async () => {
    await noneQueued();
    const [push, byHand] = [await hooked(), await manual()];
    await age([push], 3_600);
    expect(await takeAll([], [], true)).toEqual([byHand]);
    expect(await takeAll()).toEqual([push]);
  });

  it('of an occupied host wait for those of other hosts', async () => {
    await noneQueued();
    const baseUrl = 'https://slow.example';
    const [slow, other] = [await hooked({ baseUrl }), await hooked()];
    await age([slow], 60);
    expect(await takeAll([], [baseUrl])).toEqual([other]);
    expect(await takeAll()).toEqual([slow]);
  });

  it('of a collection that is built for another model wait for a live worker of that model', async () => {
    await noneQueued();
    const collectionName = `code-${randomUUID()}`;
    const model = { modelId: 'next@8', dimensions: 8, modelServer: null };
    await activeGeneration(stores.generations, collectionName, { ...model, modelId: 'former@8' });
    await stores.generations.open(collectionName, () => ({ kind: 'make', model, status: 'building' }));
    const { id: repositoryId } = await addRepository(stores, { collectionName });
    const { id } = await enqueue(stores, repositoryId);
    const planned = await stores.executions.enqueue({ ...hook, repositoryId, handler: 'dry_run' });
    const builds = (modelId: string) => ({ builds: { modelId, silentAfterSeconds: 30 } });
    const takenBy = async (modelId: string, more: { executionId?: string } = {}) => {
      const request = { podName: 'pod', handlers: RUN_HANDLERS, ...builds(modelId), ...more };
      const taken = await stores.executions.take(request, async () => false);
      return taken?.kind === 'refused' ? taken.executionId : null;
    };
    // Without a worker of the other model the active index is updated.
    expect([await takenBy('former@8'), await takenBy('next@8')]).toEqual([id, id]);
    const pods = new PodRegistry(stores.db);
    const pod = {
      bootId: randomUUID(),
      podName: 'next',
      version: '1',
      mode: 'standalone',
      modelId: 'next@8',
    };
    for (const roles of [['api', 'scheduler'], ['worker']]) {
      await pods.leave(pod.bootId);
      await pods.showLife({ ...pod, roles });
      expect(await takenBy('former@8')).toBe(roles.includes('worker') ? planned.id : id);
      expect(await takenBy('next@8')).toBe(id);
    }
    expect(await takenBy('former@8', { executionId: id })).toBe(id);
    await stores.db.query(`UPDATE pods SET seen_at = seen_at - interval '31 seconds' WHERE boot_id = $1`, [
      pod.bootId,
    ]);
    expect(await takenBy('former@8')).toBe(id);
    await pods.leave(pod.bootId);
  });
});

describe('the list of executions', () => {
  it('is newest first, filtered, and has the same total on every page', async () => {
    const { id } = await addRepository(stores);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const queued = await enqueue(stores, id);
      await stores.executions.abandonQueued(queued.id, count % 2 === 0 ? 'failed' : 'skipped', 'x', '');
      ids.unshift(queued.id);
    }
    const seen: string[] = [];
    for (const offset of [0, 2, 4, 9]) {
      const page = await stores.executions.list({ repositoryId: id }, { limit: 2, offset });
      expect(page.total).toBe(5);
      seen.push(...page.items.map((row) => row.id));
    }
    expect(seen).toEqual(ids);
    const total = async (filter: Parameters<typeof stores.executions.list>[0]): Promise<number> =>
      (await stores.executions.list({ repositoryId: id, ...filter }, { limit: 1, offset: 0 })).total;
    const middle = (await stores.executions.find(ids[2] ?? ''))?.queuedAt ?? new Date(0);
    const micro = new Date(middle.getTime() + 1);
    expect(await total({ status: ['failed'] })).toBe(3);
    expect(await total({ status: ['failed', 'skipped'], trigger: 'manual' })).toBe(5);
    expect(await total({ trigger: 'cron' })).toBe(0);
    expect(await total({ podName: 'none' })).toBe(0);
    expect((await total({ from: micro })) + (await total({ to: micro }))).toBe(5);
  });
});

function outcome(status: 'completed' | 'partial' | 'failed'): Parameters<Stores['executions']['finish']>[1] {
  return { status, counters: counted, fromCommit: 'c1', toCommit: 'c2', errorCode: null, errorMessage: null };
}

function recoverSilent(): Promise<RecoveredRun[]> {
  return stores.executions.recoverInterrupted({ lost: { staleAfterSeconds: 60 }, maxInterruptions: 1 });
}

async function recover(run: RunIdentity): Promise<RecoveredRun | undefined> {
  return (await recoverSilent()).find(({ execution }) => execution.id === run.executionId);
}

/** Takes everything that may start now, in order. */
async function takeAll(
  except: readonly string[] = [],
  fullHosts: readonly string[] = [],
  onlyManual = false,
): Promise<string[]> {
  const request = { podName: 'pod', handlers: RUN_HANDLERS, except, fullHosts, onlyManual };
  const ids: string[] = [];
  for (;;) {
    const taken = await stores.executions.take(request, async () => true);
    if (taken?.kind !== 'started') return ids;
    ids.push(taken.run.executionId);
  }
}

/** A claim that queues a second execution for a busy repository. */
async function queueBeside(other: Execution): Promise<{ id: string }> {
  const [row] = await stores.db.query<{ id: string }>(
    `INSERT INTO schedule_execution_logs (repository_id, trigger, status)
      VALUES ($1, 'recovery', 'queued') RETURNING id`,
    [other.repositoryId],
  );
  return row ?? other;
}
