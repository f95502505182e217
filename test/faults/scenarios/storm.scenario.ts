import { setTimeout as sleep } from 'node:timers/promises';
import { work } from '../storm/workload.js';
import { EVERYWHERE, type Scenario } from './scenario.js';

/** Duration of a batch of embeddings, so that faults occur in the middle of runs. */
const EMBEDDING_MS = 1_500;
/** Pause after the last fault, long enough for one tick of a minute's schedule. */
const CALM_MS = 65_000;

export const storm: Scenario = {
  name: 'storm',
  promise: 'Every invariant holds under user activity and random faults',
  modes: EVERYWHERE,
  pods: 5,
  branches: 30,
  timings: 'shrunk',
  minutes: 5,
  expression: '* * * * *',
  isCoincident: true,
  mayMiss: [],
  skewsSeconds: [0, 1.5, -90, 90, -3, 30],
  // One request per concurrent run. The default of four for all pods would keep them all busy for the whole time.
  settings: { EMBEDDING_CONCURRENCY: '25' },
  async play({ cluster, fleet, storm, random, minutes, expect }) {
    await cluster.standIns.call('slowDown', EMBEDDING_MS);
    const over = AbortSignal.timeout(minutes * 60_000);
    const [deeds] = await Promise.all([work(fleet, random, over), storm.rage(over)]);
    expect.check(storm.injected.length > 0, () => 'no fault was injected');
    await sleep(CALM_MS);
    return deeds;
  },
};
