import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@devkit';
import { Fleet } from '../test/faults/storm/fleet.js';
import { Cluster } from '../test/faults/system/cluster.js';
import { TIMINGS } from '../test/faults/system/timings.js';
import { until } from '../test/support/command-line.js';
import { atLeast, atMost, type Benchmark, type Cell, median, percentile } from './run/report.js';
import { measureTakes } from './scheduling/takes.js';

const PROCESSES = [1, 3, 10];
const QUEUED = 5_000;
const TICKING = 200;
const LIMIT_MS = 300_000;
const SETTLED_MS = 45_000;
const START_WITHIN_SECONDS = 2;

export const scheduling: Benchmark = {
  title: 'Takes and start lag',
  explains: `Takes: processes with five workers each empty a queue of executions of as many repositories, with the statements of the product, beside the least that a queue in Postgres can do (a table of numbers, one statement for the take and one for the end). Start lag: the seconds from a tick to the start of its run, when ${TICKING} schedules have the same tick and no repository changed; delivered pods with the default settings, real Postgres and Redis.`,
  limits:
    'Postgres for takes: a take is a transaction that locks the row and its repository, raises the fence and starts the run, and the end moves the row to the partition of its month and updates the sums of the history. Planning takes 1.0 ms of these 1.7: prepared statements would save it, and would not work through every PgBouncer in transaction mode. CPU for the lag: pods and servers share the machine, and the last of the runs wait for a free worker.',
  async run({ isQuick, directory, progress }) {
    const processes = isQuick ? PROCESSES.slice(0, 2) : PROCESSES;
    const queued = isQuick ? 1000 : QUEUED;
    const ticking = isQuick ? 20 : TICKING;
    const takes: Cell[][] = [];
    for (const way of ['bare', 'product'] as const)
      for (const count of processes) {
        progress(`takes, ${way}, ${count} processes`);
        const { perSecond, times } = await measureTakes({ way, processes: count, queued });
        takes.push([way, count, perSecond, median(times), percentile(times, 0.99)]);
      }
    const lags = await measureLags(processes, ticking, directory, progress);
    const best = Math.max(...takes.filter(([way]) => way === 'product').map((row) => row[2] as number));
    return {
      input: `${queued} queued executions, ${ticking} schedules`,
      tables: [
        {
          title: 'Takes and ends of runs without work',
          columns: [
            ...[{ title: 'queue' }, { title: 'processes' }, { title: 'takes/s' }],
            ...[
              { title: 'take, median ms', digits: 1 },
              { title: 'p99 ms', digits: 1 },
            ],
          ],
          rows: takes,
        },
        {
          title: 'From the tick to the start of the run',
          columns: [
            ...[{ title: 'pods' }, { title: 'median s', digits: 2 }],
            ...[
              { title: 'p99 s', digits: 2 },
              { title: 'runs/s', digits: 0 },
            ],
          ],
          rows: lags,
        },
      ],
      goals: [
        atLeast('takes per second on one Postgres', 1000, best),
        atMost(
          `p99 of the start lag, ${processes[1]} pods`,
          START_WITHIN_SECONDS,
          lags[1]![2] as number,
          ' s',
        ),
      ],
    };
  },
};

/** Starts all pods and stops some after each measurement. */
async function measureLags(
  processes: readonly number[],
  ticking: number,
  directory: string,
  progress: (what: string) => void,
): Promise<Cell[][]> {
  const cluster = await Cluster.start({
    ...{ mode: 'distributed', podCount: Math.max(...processes), branchCount: ticking },
    ...{ timings: TIMINGS.production, random: new Random(1), directory },
  });
  try {
    progress(`first syncs of ${ticking} repositories`);
    await new Fleet(cluster).registerAll('* * * * *');
    await until('the first syncs', async () => (await endsSince(cluster, 0)).length >= ticking, LIMIT_MS);
    const rows: Cell[][] = [];
    for (const count of processes.toReversed()) {
      progress(`start lag, ${count} pods`);
      for (const pod of cluster.upPods.slice(count)) await pod.terminate();
      rows.unshift([count, ...(await measureLag(cluster, ticking))]);
    }
    return rows;
  } finally {
    await cluster.stop();
  }
}

/** @returns median and p99 of the lag in seconds, and runs per second, of one tick of all schedules. */
async function measureLag(cluster: Cluster, ticking: number): Promise<[number, number, number]> {
  // The pods that are left first end what is queued, and one of them becomes the leader.
  const untilTick = 60_000 - (Date.now() % 60_000);
  await sleep(untilTick + (untilTick < SETTLED_MS ? 60_000 : 0) - 5_000);
  const [tick] = await cluster.postgres.query<{ seconds: number }>(
    "SELECT extract(epoch FROM date_trunc('minute', clock_timestamp()) + interval '1 minute')::float8 AS seconds",
  );
  await until(
    'the runs of one tick',
    async () => (await endsSince(cluster, tick!.seconds)).length >= ticking,
    LIMIT_MS,
  );
  const runs = (await endsSince(cluster, tick!.seconds)).slice(0, ticking);
  const lags = runs.map(({ started }) => started - tick!.seconds);
  const last = Math.max(...runs.map(({ completed }) => completed));
  return [median(lags), percentile(lags, 0.99), ticking / (last - tick!.seconds)];
}

/** Completed runs of the ticks since that second of the epoch, by start. */
async function endsSince(
  { postgres }: Cluster,
  second: number,
): Promise<{ started: number; completed: number }[]> {
  return postgres.query(
    `SELECT extract(epoch FROM started_at)::float8 AS started, extract(epoch FROM completed_at)::float8 AS completed
      FROM schedule_execution_logs WHERE trigger = 'cron' AND status = 'completed' AND scheduled_for >= to_timestamp($1)
      ORDER BY started_at`,
    [second],
  );
}
