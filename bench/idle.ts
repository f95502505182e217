import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@devkit';
import { Fleet } from '../test/faults/storm/fleet.js';
import { Cluster } from '../test/faults/system/cluster.js';
import { TIMINGS } from '../test/faults/system/timings.js';
import { until } from '../test/support/command-line.js';
import { withRedis } from '../test/support/redis.js';
import { atMost, type Benchmark, type Cell } from './run/report.js';

const PODS = 3;
const TICKING = 40;
/** Linux counts CPU time in hundredths of a second, on every architecture that Node.js supports. */
const TICKS_PER_SECOND = 100;
/** Time for the pools to fill, timers to start and code to be compiled. */
const WARM_UP_MS = 20_000;
const MEASURED_MINUTES = 1;
const STATEMENT_CHARACTERS = 48;

interface Sample {
  redis: Record<string, number>;
  /** Calls of each statement, by its first words. */
  statements: Record<string, number>;
  transactions: number;
  cpuSeconds: number[];
  rssMiB: number[];
}

export const idle: Benchmark = {
  title: 'Idle pods and empty runs',
  explains: `${PODS} pods with the default settings, real Redis and Postgres: what they cost when nothing happens, and what one tick of a schedule costs whose repository did not change (${TICKING} schedules that run every minute).`,
  limits:
    'Idle pods: renewals of the leader’s lock, and the checks of readiness, which must be more frequent than a fail-over may take. Empty runs: the scripts of the limit of requests that all pods share, and the takes and claims of pods that a wake-up finds idle.',
  async run({ isQuick, directory, progress }) {
    const seconds = isQuick ? 15 : 20;
    const cluster = await Cluster.start({
      ...{ mode: 'distributed', podCount: PODS, branchCount: TICKING },
      ...{ timings: TIMINGS.production, random: new Random(1), directory },
    });
    try {
      await countStatements(cluster);
      const rows: Cell[][] = [];
      for (const count of isQuick ? [0, 100] : [0, 100, 10_000]) {
        progress(`${count} schedules, none due`);
        rows.push(await measureIdle(cluster, count, seconds));
      }
      progress(`${TICKING} schedules every minute`);
      const { redis, statements } = await measureTicks(cluster, MEASURED_MINUTES);
      return {
        input: `${seconds} s for each number of schedules`,
        tables: [
          {
            title: 'Idle',
            columns: [
              ...[{ title: 'schedules' }, { title: 'Redis commands/s', digits: 2 }],
              ...[
                { title: 'Postgres transactions/s', digits: 2 },
                { title: '% of a core, each pod', digits: 1 },
              ],
              { title: 'memory of each pod, MiB' },
            ],
            rows,
          },
          {
            title: 'A tick that finds nothing new',
            columns: [{ title: 'server' }, { title: 'calls', digits: 1 }, { title: 'of these' }],
            rows: [
              ['Redis', totalOf(redis), listOf(redis)],
              ['Postgres', totalOf(statements), listOf(statements)],
            ],
          },
        ],
        goals: [
          atMost('Redis commands of a run that finds nothing new', 10, totalOf(redis)),
          atMost('statements of a run that finds nothing new', 8, totalOf(statements)),
        ],
      };
    } finally {
      await cluster.stop();
    }
  },
};

async function measureIdle(cluster: Cluster, count: number, seconds: number): Promise<Cell[]> {
  await fill(cluster, count);
  await sleep(WARM_UP_MS);
  const before = await look(cluster);
  await sleep(seconds * 1000);
  const after = await look(cluster);
  const cpu = after.cpuSeconds.map((value, pod) => ((value - before.cpuSeconds[pod]!) / seconds) * 100);
  const transactions = (after.transactions - before.transactions) / seconds;
  const commands = (totalOf(after.redis) - totalOf(before.redis)) / seconds;
  return [count, commands, transactions, cpu, after.rssMiB];
}

/** Schedules that run every minute, on repositories without changes. @returns calls of each tick, without those of idle pods. */
async function measureTicks(
  cluster: Cluster,
  minutes: number,
): Promise<Pick<Sample, 'redis' | 'statements'>> {
  await new Fleet(cluster).registerAll('* * * * *');
  await untilSecond(30);
  await untilSecond(15);
  const quiet = await look(cluster);
  await untilSecond(50);
  const later = await look(cluster);
  await untilSecond(30);
  const [ticks, before] = [await countTicks(cluster), await look(cluster)];
  await sleep(minutes * 60_000);
  const done = (await countTicks(cluster)) - ticks;
  const after = await look(cluster);
  const share = (minutes * 60) / 35;
  const perTick = (name: 'redis' | 'statements') => {
    const idleCalls = difference(later[name], quiet[name]);
    const busy = Object.entries(difference(after[name], before[name]));
    const calls = busy.map(
      ([call, count]) => [call, (count - (idleCalls[call] ?? 0) * share) / done] as const,
    );
    return Object.fromEntries(calls.filter(([, count]) => count > 0.05));
  };
  return { redis: perTick('redis'), statements: perTick('statements') };
}

function listOf(calls: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(calls).sort(([, one], [, other]) => other - one);
  return sorted.map(([name, count]) => `${name} ${count.toFixed(1)}`).join(', ');
}

/** Restarts Postgres with the extension that counts statements. Pods connect again while the benchmark warms up. */
async function countStatements({ postgres }: Cluster): Promise<void> {
  await postgres.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
  await postgres.crash();
  await until('Postgres with pg_stat_statements', async () => {
    const [row] = await postgres.query<{ libraries: string }>(
      "SELECT current_setting('shared_preload_libraries') AS libraries",
    );
    return row!.libraries !== '';
  });
  await postgres.query('CREATE EXTENSION pg_stat_statements');
}

/** Waits until the clock shows that second of a minute. */
async function untilSecond(second: number): Promise<void> {
  await sleep((second * 1000 - (Date.now() % 60_000) + 60_000) % 60_000);
}

function difference(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, calls]) => [name, calls - (before[name] ?? 0)]),
  );
}

async function countTicks({ postgres }: Cluster): Promise<number> {
  const [row] = await postgres.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM schedule_execution_logs WHERE trigger = 'cron' AND status = 'completed'",
  );
  return row!.count;
}

/** Adds schedules by SQL up to that number; each is due once a year. */
async function fill({ postgres }: Cluster, count: number): Promise<void> {
  await postgres.query(
    `WITH missing AS (
        INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name, max_file_bytes,
          chunk_size, chunk_overlap)
        SELECT 'gitlab', 'https://gitlab.example.com', number, 'bench/' || number, 'main', 'bench', 100000, 1000, 100
        FROM generate_series((SELECT count(*) + 1 FROM repositories), $1::int) AS number RETURNING id)
      INSERT INTO schedule_sessions (repository_id, cron_expression, next_run_at)
      SELECT id, '0 0 1 1 *', date_trunc('year', now()) + interval '1 year' FROM missing`,
    [count],
  );
}

async function look(cluster: Cluster): Promise<Sample> {
  const [row] = await cluster.postgres.query<{ transactions: number }>(
    'SELECT (xact_commit + xact_rollback)::float8 AS transactions FROM pg_stat_database WHERE datname = current_database()',
  );
  const pids = cluster.slots.map(({ pid }) => pid!);
  return {
    redis: await redisCalls(cluster),
    statements: await statementCalls(cluster),
    transactions: row!.transactions,
    cpuSeconds: await Promise.all(pids.map(cpuSecondsOf)),
    rssMiB: await Promise.all(pids.map(rssMiBOf)),
  };
}

/** Calls of the pods: the benchmark's own statements read pg_stat tables and count executions. */
async function statementCalls({ postgres }: Cluster): Promise<Record<string, number>> {
  const rows = await postgres.query<{ words: string; calls: number }>(
    `SELECT left(regexp_replace(regexp_replace(query, 'WITH \\w+ AS \\(', ''), '\\s+', ' ', 'g'), $1::int) AS words,
        sum(calls)::float8 AS calls
      FROM pg_stat_statements WHERE toplevel AND query !~ 'pg_stat_|count\\(\\*\\)::int' GROUP BY 1`,
    [STATEMENT_CHARACTERS],
  );
  return Object.fromEntries(rows.map(({ words, calls }) => [words.trim().replaceAll('|', '/'), calls]));
}

async function redisCalls({ redis }: Cluster): Promise<Record<string, number>> {
  const stats = await withRedis(redis!.url, (client) => client.info('commandstats'));
  const lines = [...stats.matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm)];
  return Object.fromEntries(
    lines.map(([, name, calls]) => [name!, Number(calls)] as const).filter(([name]) => name !== 'info'),
  );
}

async function cpuSecondsOf(pid: number): Promise<number> {
  // The command's name, in parentheses, may contain spaces. The times are fields 14 and 15 of the whole line.
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function rssMiBOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
