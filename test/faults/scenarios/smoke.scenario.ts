import { setTimeout as sleep } from 'node:timers/promises';
import { ended, startLongRun } from './long-run.js';
import { type Scenario, type Stage } from './scenario.js';

/** One fault of each kind, in a fixed order, in less than a minute. */
export const smoke: Scenario = {
  name: 'smoke',
  promise:
    'A run survives kill -9, FLUSHALL, a frozen pod, SIGTERM and lost sessions, while ticks are caught up',
  modes: ['distributed'],
  pods: 3,
  branches: 5,
  timings: 'smoke',
  minutes: 1,
  expression: '* * * * *',
  isCoincident: true,
  mayMiss: ['I4', 'I8'],
  async play(stage) {
    const { cluster, expect, storm, fleet } = stage;
    const run = await startLongRun(stage, fleet.registered[0], 80);
    await backdate(stage, 1);
    await run.holder.kill();
    await storm.inflict('FLUSHALL');
    const [frozen, stopped] = cluster.upPods;
    frozen!.freeze();
    await sleep(cluster.options.timings.leaseTtl * 1200);
    frozen!.thaw();
    await storm.inflict('all backends terminated');
    expect.check((await stopped!.terminate()) === 0, () => `${stopped!.name} did not end with 0`);
    await Promise.all(cluster.slots.map((_, slot) => cluster.revive(slot, 'new')));
    await backdate(stage, 3);
    const row = await ended(stage, run);
    expect.check(row.status === 'completed', () => `the run ended as ${row.status} (${row.error_code})`);
    expect.check(row.attempt > 1, () => 'the run was never interrupted');
  },
};

/** Makes the ticks of the last three minutes due for two schedules, as after an outage. @param from index of the first one. */
async function backdate({ cluster, fleet }: Stage, from: number): Promise<void> {
  await cluster.postgres.query(
    `UPDATE schedule_sessions SET next_run_at = date_trunc('minute', clock_timestamp()) - interval '2 minutes'
      WHERE id = ANY($1::uuid[])`,
    [fleet.registered.slice(from, from + 2).flatMap(({ scheduleIds }) => scheduleIds)],
  );
}
