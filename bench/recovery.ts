import { join } from 'node:path';
import { Random } from '@devkit';
import pMap from 'p-map';
import { rowOf, type Stage } from '../test/faults/scenarios/scenario.js';
import { ended, startLongRun } from '../test/faults/scenarios/long-run.js';
import { Fleet } from '../test/faults/storm/fleet.js';
import { Cluster } from '../test/faults/system/cluster.js';
import { TIMINGS, takeOverBoundSeconds } from '../test/faults/system/timings.js';
import { until } from '../test/support/command-line.js';
import { atMost, type Benchmark, median } from './run/report.js';

const PODS = 3;
const FILES = 240;
const LIMIT_MS = 180_000;
/** G7: the bound when Kubernetes reports that the pod no longer exists. */
const KUBERNETES_SECONDS = 10;

interface Sample {
  takeOver: number;
  finished: number;
}

export const recovery: Benchmark = {
  title: 'Recovery',
  explains: `Three pods with the default settings, real Redis and Postgres. The pod that holds a run of ${FILES} files is killed (\`kill -9\`) when about 30 of them are stored. Measured are the seconds until another pod continues the run, and until the run ends. Each embedding request takes 300 ms.`,
  limits:
    'With Kubernetes: the watch of pods. Without: the lease of 60 s must expire, and the reaper looks every 15 s; a shorter lease would take runs from pods that only pause.',
  async run({ isQuick, directory, progress }) {
    const rounds = isQuick ? 1 : 3;
    const bound = takeOverBoundSeconds(TIMINGS.production);
    const ways = [
      { name: 'Kubernetes reports the loss', isInKubernetes: true, limit: KUBERNETES_SECONDS },
      { name: 'nothing reports the loss', isInKubernetes: false, limit: bound },
    ].slice(0, isQuick ? 1 : 2);
    const found: { name: string; limit: number; samples: Sample[] }[] = [];
    for (const { name, isInKubernetes, limit } of ways) {
      const numbers = Array.from({ length: rounds }, (_, index) => index + 1);
      const kill = async (round: number) => {
        progress(`${name}, round ${round} of ${rounds}`);
        return killHolder(join(directory, `${isInKubernetes}-${round}`), isInKubernetes);
      };
      // Without a report nearly all of the time is waiting for a lease, which rounds can do side by side.
      const samples = await pMap(numbers, kill, { concurrency: isInKubernetes ? 1 : rounds });
      found.push({ name, limit, samples });
    }
    const column = (samples: Sample[], field: keyof Sample) => samples.map((sample) => sample[field]);
    return {
      input: rounds === 1 ? 'one kill' : `${rounds} kills each`,
      tables: [
        {
          title: 'Seconds after the kill: minimum, median and maximum',
          columns: [
            { title: 'what' },
            { title: 'continued, s', digits: 1 },
            { title: 'finished, s', digits: 1 },
          ],
          rows: found.map(({ name, samples }) => [
            name,
            column(samples, 'takeOver'),
            column(samples, 'finished'),
          ]),
        },
      ],
      goals: found.map(({ name, limit, samples }) =>
        atMost(`continued, ${name}`, limit, median(column(samples, 'takeOver')), ' s'),
      ),
    };
  },
};

async function killHolder(directory: string, isInKubernetes: boolean): Promise<Sample> {
  const random = new Random(1);
  const cluster = await Cluster.start({
    ...{ mode: 'distributed', podCount: PODS, branchCount: 1, timings: TIMINGS.production },
    ...{ random, directory, isInKubernetes },
  });
  try {
    const fleet = new Fleet(cluster);
    await fleet.registerAll(null);
    const stage = { cluster, fleet, random, say: () => undefined } as unknown as Stage;
    const run = await startLongRun(stage, fleet.registered[0], FILES);
    const killedAt = performance.now();
    const after = () => (performance.now() - killedAt) / 1000;
    await run.holder.kill();
    cluster.forget(run.holder);
    await until('another pod', async () => (await rowOf(stage, run.executionId)).attempt > 1, LIMIT_MS);
    const takeOver = after();
    const row = await ended(stage, run);
    if (row.status !== 'completed') throw new Error(`The run ended as ${row.status} (${row.error_code}).`);
    return { takeOver, finished: after() };
  } finally {
    await cluster.stop();
  }
}
