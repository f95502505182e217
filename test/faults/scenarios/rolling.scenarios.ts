import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../check/verdict.js';
import { work } from '../storm/workload.js';
import { type Scenario, SHARED, type Stage } from './scenario.js';

/** From the end of an attempt on a stopping pod to the start of the next attempt on another pod. */
const HAND_OVER_BOUND_MS = 10_000;
const EMBEDDING_MS = 2_500;
/** Long enough that a stopping pod cannot wait for the runs to end. */
const LONG_RUN = { files: 200, lines: 100 };
const LONG_RUNS = 12;
/** Deeds that create work. Edits of schedules are left out, because they would change which ticks are due. */
const LOAD = ['push', 'sync'];

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  promise:
    'Ten pods that get SIGTERM one after another under load exit with code 0 and hand over every run within 10 s',
  modes: SHARED,
  pods: 10,
  branches: 40,
  timings: 'shrunk',
  minutes: 1,
  expression: '* * * * *',
  mayMiss: ['I7', 'I8', 'I11', 'G5'],
  // One request per concurrent run. The default of four for all pods would keep them all busy for the whole time.
  settings: { EMBEDDING_CONCURRENCY: '50' },
  async play(stage) {
    const { cluster, fleet, random } = stage;
    await cluster.standIns.call('slowDown', EMBEDDING_MS);
    const stop = new AbortController();
    const load = work(fleet, random, stop.signal, LOAD);
    for (let number = 0; number < LONG_RUNS; number++) await beginLong(stage, number);
    await sleep(5_000);
    for (const [slot, pod] of [...cluster.slots.entries()]) {
      const code = await pod.terminate();
      stage.expect.check(code === 0, () => `${pod.name} ended with ${code}`);
      await cluster.revive(slot, 'new');
      stage.say(`${pod.name} restarted`);
      await beginLong(stage, LONG_RUNS + slot);
    }
    stop.abort();
    const deeds = await load;
    await judgeHandOvers(stage);
    return deeds;
  },
};

/** The API refuses the sync when the repository has an active run; that run is long as well. */
async function beginLong({ cluster, fleet }: Stage, number: number): Promise<void> {
  const { id, branch } = fleet.registered[number % fleet.registered.length]!;
  await cluster.code.grow(branch, LONG_RUN.files, LONG_RUN.lines + number);
  await cluster.api('POST', `/repositories/${id}/sync`, {});
}

async function judgeHandOvers({ cluster, expect }: Stage): Promise<void> {
  const handOvers = await cluster.postgres.query<{
    execution_id: string;
    waited: number;
    interruptions: number;
  }>(
    `SELECT given.execution_id, given.interruptions,
        EXTRACT(EPOCH FROM (SELECT min(taken.at) FROM faults.execution_steps taken
          WHERE taken.execution_id = given.execution_id AND taken.step > given.step AND taken.status = 'running')
          - given.at)::float8 * 1000 AS waited
      FROM faults.execution_steps given WHERE given.status = 'queued' AND given.former_status = 'running'`,
  );
  for (const { execution_id, waited, interruptions } of handOvers) {
    expect.check(interruptions === 0, () => `${execution_id} was lost, not handed over`);
    expect.check(waited <= HAND_OVER_BOUND_MS, () => `${execution_id} was handed over in ${seconds(waited)}`);
  }
  expect.check(handOvers.length > 0, () => 'no run was handed over');
  expect.measure('hand-overs', handOvers.length);
  expect.measure('longest', seconds(Math.max(0, ...handOvers.map(({ waited }) => waited))));
}
