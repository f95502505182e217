import { setTimeout as sleep } from 'node:timers/promises';
import { type Mode } from '../system/cluster.js';
import { ended, startLongRun } from './long-run.js';
import { EVERYWHERE, type Scenario, type Stage } from './scenario.js';

/** The faults of judgement 5. Each one comes in the middle of a run and while schedules are live. */
export const LOST_STORES: readonly Scenario[] = [
  lostStore('redis-emptied', 'Redis killed and restarted with an empty memory', ['distributed'], (stage) =>
    stage.storm.inflict('Redis killed, its memory lost'),
  ),
  lostStore('redis-frozen', 'Redis frozen for longer than the lease', ['distributed'], async (stage) => {
    const { redis, options } = stage.cluster;
    redis!.freeze();
    await sleep(options.timings.leaseTtl * 1200);
    redis!.thaw();
  }),
  lostStore('redis-flushed', 'FLUSHALL', ['distributed'], (stage) => stage.storm.inflict('FLUSHALL')),
  lostStore('postgres-crashed', 'Postgres stopped at once and started again', EVERYWHERE, (stage) =>
    stage.storm.inflict('Postgres crashed'),
  ),
  lostStore('backends-terminated', 'All sessions of Postgres ended', EVERYWHERE, (stage) =>
    stage.storm.inflict('all backends terminated'),
  ),
];

function lostStore(
  name: string,
  fault: string,
  modes: readonly Mode[],
  inflict: (stage: Stage) => Promise<void>,
): Scenario {
  return {
    name,
    promise: `${fault} during runs: nothing runs twice, nothing is lost, no pod restarts`,
    modes,
    pods: 4,
    branches: 8,
    timings: 'shrunk',
    minutes: 1,
    expression: '* * * * *',
    isCoincident: true,
    mayMiss: ['I7', 'I8', 'G5'],
    async play(stage) {
      const { cluster, expect } = stage;
      const run = await startLongRun(stage);
      const starts = startsOf(stage);
      await inflict(stage);
      await cluster.standIns.call('slowDown', 0);
      const row = await ended(stage, run);
      expect.check(row.status === 'completed', () => `the run ended as ${row.status} (${row.error_code})`);
      expect.measure('attempts of the run', row.attempt);
      // Two more ticks must run without intervention.
      await sleep(125_000 - (Date.now() % 60_000));
      expect.check(startsOf(stage) === starts, () => 'a pod was restarted');
    },
  };
}

function startsOf({ cluster }: Stage): number {
  return cluster.podEvents.filter(({ kind }) => kind === 'started').length;
}
