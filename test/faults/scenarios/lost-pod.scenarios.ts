import { setTimeout as sleep } from 'node:timers/promises';
import { judgeIndex } from '../check/index-state.js';
import { until } from '../check/settle.js';
import { seconds } from '../check/verdict.js';
import { takeOverBoundSeconds } from '../system/timings.js';
import { ended, grown, type LongRun, startLongRun } from './long-run.js';
import { EVERYWHERE, rowOf, type Scenario, SHARED, type Stage, startRun } from './scenario.js';

/** The bound when Kubernetes reports that the pod no longer exists. */
const KUBERNETES_BOUND_MS = 10_000;

/** A request to the store that is larger than this contains points. */
const A_WRITE_BYTES = 20_000;

/** Without schedules and cancellations. */
const NO_TICKS = ['I3', 'I4', 'I5', 'I7', 'I8', 'I11'];
const BASE = { branches: 3, timings: 'shrunk', minutes: 1, expression: null, mayMiss: NO_TICKS } as const;

export const killHolder: Scenario = {
  ...BASE,
  name: 'kill-holder',
  promise: 'After kill -9 during a run, attempt 2 continues, and nothing stored is embedded again',
  modes: EVERYWHERE,
  pods: 3,
  play: (stage) => killInTheMiddle(stage, takeOverBoundSeconds(stage.cluster.options.timings) * 1000),
};

export const killHolderInKubernetes: Scenario = {
  ...BASE,
  name: 'kill-holder-kubernetes',
  promise: 'After kill -9 that Kubernetes reports, attempt 2 continues within 10 s, with production leases',
  modes: SHARED,
  pods: 3,
  timings: 'production',
  isInKubernetes: true,
  play: (stage) => killInTheMiddle(stage, KUBERNETES_BOUND_MS),
};

async function killInTheMiddle(stage: Stage, boundMs: number): Promise<void> {
  const { cluster, expect } = stage;
  const run = await startLongRun(stage);
  const slot = cluster.slots.indexOf(run.holder);
  const killedAt = Date.now();
  await run.holder.kill();
  const stored = new Set(await grown(stage, run.entry));
  const held = await heldTexts(stage, run, stored);
  cluster.forget(run.holder);
  if (cluster.options.mode === 'standalone') await cluster.revive(slot);

  const row = await ended(stage, run);
  await cluster.revive(slot, 'new');
  const resumedMs = row.started_at!.getTime() - killedAt;
  await cluster.standIns.collectLog();
  const again = held.filter((hash) => (cluster.standIns.timesEmbedded.get(hash) ?? 0) > 1);
  expect.check(row.status === 'completed', () => `the run ended as ${row.status} (${row.error_code})`);
  expect.check(row.attempt === 2 && row.interruptions === 1, () => `it took ${row.attempt} attempts`);
  expect.check(resumedMs <= boundMs, () => `attempt 2 started after ${seconds(resumedMs)}`);
  expect.check(stored.size > 0, () => 'nothing was stored before the kill');
  expect.check(again.length === 0, () => `${again.length} texts of stored files were embedded again`);
  expect.measure('take-over', seconds(resumedMs));
  expect.measure('files stored before the kill', stored.size);
}

/** Content hashes of the points of these files. Standalone stores points inside the pod, where the harness cannot read them. */
async function heldTexts(
  { cluster }: Stage,
  { entry }: LongRun,
  paths: ReadonlySet<string>,
): Promise<string[]> {
  if (cluster.options.mode === 'standalone') return [];
  const points = await cluster.standIns.call('points');
  return points
    .filter(({ repository_id, path }) => repository_id === entry.id && paths.has(path))
    .map(({ content_hash }) => content_hash);
}

export const zombie: Scenario = {
  ...BASE,
  name: 'zombie',
  promise:
    'A holder that is frozen for longer than its lease stops after it resumes, and leaves nothing behind',
  modes: SHARED,
  pods: 3,
  async play(stage) {
    const { cluster, expect } = stage;
    const run = await startLongRun(stage);
    const slot = cluster.slots.indexOf(run.holder);
    const starts = cluster.podEvents.length;
    // The proxy delays everything that the pod sends from now on.
    const link = cluster.links[slot]!.qdrant!;
    link.blackhole('to-server');
    await until('a write to be on its way', 60_000, async () => link.heldBytes('to-server') > A_WRITE_BYTES);
    run.holder.freeze();
    await cluster.standIns.call('slowDown', 0);
    const row = await ended(stage, run);
    expect.check(
      row.status === 'completed' && row.attempt === 2,
      () => `${row.status} at attempt ${row.attempt}`,
    );

    // Newer versions of the same files whose older versions are still held by the proxy.
    await cluster.code.grow(run.entry.branch, 240, 40);
    const next = await startRun(stage, run.entry);
    await ended(stage, { ...run, executionId: next });
    const deliveredAt = new Date();
    link.restore();
    await sleep(500);
    run.holder.thaw();
    await until('the zombie to notice', 60_000, async () =>
      run.holder.lines.some(({ message }) => message.startsWith('another attempt owns the run')),
    );
    expect.check(
      cluster.podEvents.slice(starts).every(({ kind }) => kind === 'frozen' || kind === 'thawed'),
      () => 'a pod ended',
    );
    expect.check(
      (await rowOf(stage, run.executionId)).status === 'completed',
      () => 'the zombie changed the row',
    );
    await sleep((cluster.options.timings.reaper + 3) * 1000);
    await cluster.standIns.collectLog();
    const [oldest] = cluster.standIns.storeWrites.filter(({ repositoryId }) => repositoryId === run.entry.id);
    const late = cluster.standIns.storeWrites.filter(
      ({ at, fence }) => fence === oldest!.fence && at > deliveredAt,
    );
    expect.check(late.length > 0, () => 'no late write reached the store');
    // By now the service must have repaired the store without another run.
    const verdict = await judgeIndex(cluster, 'head', [run.entry.id]);
    expect.check(verdict.violations.length === 0, () => verdict.violations.join('; '));
  },
};
