import { setTimeout as sleep } from 'node:timers/promises';
import { type Scenario, SHARED } from './scenario.js';

/** Ends half-way between two full minutes, after the given number of them. */
async function forWholeMinutes(minutes: number): Promise<void> {
  await sleep(minutes * 60_000 + 30_000 - (Date.now() % 60_000));
}

function shown(seconds: number | undefined): string {
  return `${(seconds ?? NaN).toFixed(2)} s`;
}

/** Ten clocks, from 90 s slow to 90 s fast. */
const SPREAD = [-90, -60, -30, -5, -1, 0, 1, 20, 60, 90];

export const tenPods: Scenario = {
  name: 'ten-pods',
  promise: 'Ten pods whose clocks are up to 90 s wrong run each tick of 200 schedules once',
  modes: SHARED,
  pods: 10,
  branches: 200,
  timings: 'production',
  minutes: 5,
  expression: '* * * * *',
  mayMiss: ['I7', 'I8', 'I11', 'G5'],
  skewsSeconds: SPREAD,
  // One request per concurrent run. By default all ten pods together send at most eight requests to one GitLab.
  settings: { GITLAB_CONCURRENCY: '50' },
  async play({ cluster, expect, minutes }) {
    await forWholeMinutes(minutes);
    const rows = await cluster.postgres.query<{ runs: number; completed: number; attempts: number }>(
      `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
        max(attempt) AS attempts FROM schedule_execution_logs WHERE trigger = 'cron' GROUP BY schedule_session_id`,
    );
    expect.check(rows.length === 200, () => `${rows.length} schedules have runs`);
    for (const { runs, completed, attempts } of rows) {
      expect.check(runs >= minutes, () => `a schedule has ${runs} rows in ${minutes} minutes`);
      expect.check(completed === runs && attempts === 1, () => `${completed} of ${runs} completed at first`);
    }
    // In the first minute every repository has its first sync; after it the pods are idle until each tick.
    const [idle] = await cluster.postgres.query<{ p50: number; p99: number }>(
      `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY late) AS p50,
        percentile_disc(0.99) WITHIN GROUP (ORDER BY late) AS p99
        FROM (SELECT EXTRACT(epoch FROM started_at - scheduled_for)::float8 AS late,
          dense_rank() OVER (ORDER BY scheduled_for) AS minute
          FROM schedule_execution_logs WHERE trigger = 'cron') AS starts WHERE minute > 1`,
    );
    expect.measure('start after its tick when idle', `p50 ${shown(idle?.p50)}, p99 ${shown(idle?.p99)}`);
  },
};

export const fastRun: Scenario = {
  name: 'fast-run',
  promise: 'A tick runs once, even if its run takes milliseconds on a pod 1.5 s ahead of nine others',
  modes: SHARED,
  pods: 10,
  branches: 4,
  timings: 'production',
  minutes: 4,
  expression: '* * * * *',
  mayMiss: ['I7', 'I8', 'I11', 'G5'],
  skewsSeconds: [1.5, 0, -0.2, -0.5, -1, -1.5, -2, -3, -5, -10],
  async play({ cluster, expect, minutes }) {
    await forWholeMinutes(minutes);
    const rows = await cluster.postgres.query<{ status: string; attempt: number; took: number }>(
      `SELECT status, attempt, duration_seconds AS took FROM schedule_execution_logs WHERE trigger = 'cron'`,
    );
    for (const { status, attempt } of rows)
      expect.check(
        status === 'completed' && attempt === 1,
        () => `a tick ended as ${status} at attempt ${attempt}`,
      );
    const times = rows.map(({ took }) => took * 1000).sort((one, other) => one - other);
    expect.measure('median run', `${Math.round(times[Math.floor(times.length / 2)] ?? 0)} ms`);
  },
};
