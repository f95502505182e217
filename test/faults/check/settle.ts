import { setTimeout as sleep } from 'node:timers/promises';
import { withRedis } from '../../support/redis.js';
import { type Cluster, proxiesOf } from '../system/cluster.js';
import { takeOverBoundSeconds } from '../system/timings.js';
import { Judge, type Verdict } from './verdict.js';

const POLL_MS = 250;

/** Removes all faults at once and starts the pods that are down. */
export async function heal(cluster: Cluster): Promise<void> {
  for (const proxy of cluster.links.flatMap(proxiesOf)) {
    proxy.admit();
    proxy.restore();
    proxy.setLatency(0);
  }
  cluster.redis?.thaw();
  for (const name of ['gitlab', 'embedding', 'qdrant'] as const)
    await cluster.standIns.call('clearFaults', name);
  for (const pod of cluster.slots) pod.thaw();
  await until('all pods to be up', 120_000, async () => {
    await Promise.all(cluster.slots.map((_, slot) => cluster.revive(slot).catch(() => undefined)));
    return cluster.upPods.length === cluster.slots.length;
  });
}

/** Ends a pause of all schedules, through any pod that answers. */
export async function resumeScheduling(cluster: Cluster): Promise<void> {
  await until('scheduling to be resumed', 120_000, async () => {
    const { status } = await cluster.api('PATCH', '/settings', { scheduling_paused: false });
    return status === 200;
  });
}

/** Pauses every schedule, so that no further tick comes due. @returns the time of the database when all were paused. */
export async function pauseAll(cluster: Cluster): Promise<Date> {
  await until('the schedules to be paused', 60_000, async () => {
    const rows = await cluster.postgres.query<{ id: string }>(
      'SELECT id FROM schedule_sessions WHERE is_active AND deleted_at IS NULL',
    );
    await Promise.all(rows.map(({ id }) => cluster.api('POST', `/schedules/${id}/pause`)));
    return rows.length === 0;
  });
  const [row] = await cluster.postgres.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row!.now;
}

/**
 * Waits until no run is queued or running and no purge is pending. Cancels runs whose back-off lasts longer than 20 s, as
 * an operator would.
 */
export async function quiet(cluster: Cluster): Promise<void> {
  const { maxRun, shutdownGrace } = cluster.options.timings;
  const limitMs = (takeOverBoundSeconds(cluster.options.timings) * 3 + maxRun + shutdownGrace) * 1000;
  await until('all runs to end', limitMs, async () => {
    const waiting = await cluster.postgres.query<{ id: string; is_far: boolean }>(
      `SELECT id, available_at > clock_timestamp() + interval '20 s' IS TRUE AS is_far
        FROM schedule_execution_logs WHERE status IN ('queued', 'running')`,
    );
    for (const { id, is_far } of waiting) if (is_far) await cluster.api('POST', `/executions/${id}/cancel`);
    const unpurged = await cluster.postgres.query(
      'SELECT 1 FROM repositories WHERE deleted_at IS NOT NULL AND purged_at IS NULL',
    );
    return waiting.length === 0 && unpurged.length === 0;
  });
}

/** Starts one more run of each repository; each must complete. */
export async function syncAll(cluster: Cluster): Promise<Verdict> {
  const judge = new Judge('G4', 'After all faults, one more run of each repository completes');
  const rows = await cluster.postgres.query<{ id: string }>(
    'SELECT id FROM repositories WHERE deleted_at IS NULL',
  );
  const started = await Promise.all(
    rows.map(async ({ id }) => ({ id, answer: await cluster.api('POST', `/repositories/${id}/sync`) })),
  );
  for (const { id, answer } of started)
    judge.check(answer.status === 202, () => `sync of ${id} was refused: ${JSON.stringify(answer)}`);
  await quiet(cluster);
  const ids = started.map(({ answer }) => answer.body['execution_id']);
  const ended = await cluster.postgres.query<{ id: string; status: string; error_code: string | null }>(
    'SELECT id, status, error_code FROM schedule_execution_logs WHERE id = ANY($1::uuid[])',
    [ids.filter((id) => typeof id === 'string')],
  );
  for (const { id, status, error_code } of ended)
    judge.check(status === 'completed', () => `the last run ${id} ended as ${status} (${error_code})`);
  return judge.verdict();
}

/** Stops every pod, as a scale-down to zero does. @returns the leases that still exist then. */
export async function endAll(cluster: Cluster): Promise<string[]> {
  await Promise.all(cluster.slots.map((pod) => pod.terminate()));
  const { redis } = cluster;
  if (redis === null) return [];
  const keys: string[] = [];
  await withRedis(redis.url, async (client) => {
    for await (const found of client.scanStream({ match: '*:scheduler_lock:*', count: 500 }))
      keys.push(...(found as string[]));
  });
  return keys;
}

export async function until(what: string, limitMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs / 1000} s for ${what}.`);
    await sleep(POLL_MS);
  }
}
