import { setTimeout as sleep } from 'node:timers/promises';
import { work } from '../storm/workload.js';
import { EVERYWHERE, type Scenario } from './scenario.js';

/** A batch of embeddings takes about so long, so that harm meets runs in their middle. */
const EMBEDDING_MS = 1_500;
/** After the storm the system is left alone for a minute's tick. */
const CALM_MS = 65_000;

export const storm: Scenario = {
  name: 'storm',
  promise: 'Users at work and harm at random: every invariant holds',
  modes: EVERYWHERE,
  pods: 5,
  branches: 30,
  timings: 'shrunk',
  minutes: 5,
  expression: '* * * * *',
  skewsSeconds: [0, 1.5, -90, 90, -3, 30],
  // As many requests as runs at once: four of all pods together would keep them all busy for the whole time.
  settings: { EMBEDDING_CONCURRENCY: '25' },
  async play({ cluster, fleet, storm, random, minutes }) {
    await cluster.standIns.call('slowDown', EMBEDDING_MS);
    const over = AbortSignal.timeout(minutes * 60_000);
    const [deeds] = await Promise.all([work(fleet, random, over), storm.rage(over)]);
    await sleep(CALM_MS);
    return deeds;
  },
};
