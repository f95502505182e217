// Measures the history queries over nine million executions; see docs/benchmarks.md.
//   taskset -c 0,1 npm run bench:history
// BENCH_DATA_DIR: a folder that keeps the data for the next run. BENCH_SCHEDULES, BENCH_DAYS: a smaller data set.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectDatabase,
  type Database,
  migrate,
  PostgresHistory,
  startEmbeddedPostgres,
} from '@adapters/postgres';
import { type HistoryFilter, type Logger } from '@core/domain';
import { checkSummary } from './history-check.js';
import { generate, type Workload } from './history-data.js';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
  child: () => silent,
};

const DAY_MS = 86_400_000;
const ROUNDS = 40;
/** In the middle of an hour, so that no range begins or ends at the boundary of a stored sum. */
const END = new Date('2026-11-20T09:37:11.123Z');
const LIMIT_MS = 300;

const workload: Workload = {
  schedules: Number(process.env.BENCH_SCHEDULES ?? 1000),
  days: Number(process.env.BENCH_DAYS ?? 365),
  hoursPerRun: 1,
  unscheduledPerDay: 0.7,
  end: END,
};

interface Case {
  name: string;
  days: number;
  filter?: Partial<HistoryFilter>;
  ask: (history: PostgresHistory, filter: HistoryFilter) => Promise<unknown>;
}

async function main(): Promise<void> {
  const server = await openServer();
  try {
    await migrate({ url: server.url, logger: silent });
    const db = await connectDatabase({ url: server.url, statementTimeoutMs: 0, logger: silent });
    try {
      await measure(db);
    } finally {
      await db.close();
    }
  } finally {
    await server.stop();
  }
}

async function openServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const kept = process.env.BENCH_DATA_DIR;
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'repotide-bench-')));
  const server = await startEmbeddedPostgres({ dataDir, logger: silent });
  const stop = async (): Promise<void> => {
    await server.stop();
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

async function measure(db: Database): Promise<void> {
  const [{ version } = { version: '' }] = await db.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  );
  console.log(
    `PostgreSQL ${version}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown CPU'}`,
  );
  const [{ count } = { count: 0 }] = await db.query<{ count: number }>(
    'SELECT count(*) AS count FROM schedule_execution_logs',
  );
  if (count === 0) await fill(db);
  else console.log(`${count} executions found`);
  await report(db);
}

async function fill(db: Database): Promise<void> {
  const started = performance.now();
  const rows = await generate(db, workload, (done) => process.stderr.write(`\r${done} rows`));
  process.stderr.write('\n');
  console.log(`${rows} executions generated and summed in ${seconds(started)} s`);
  await db.query('VACUUM ANALYZE');
}

async function report(db: Database): Promise<void> {
  const sizes = await db.query<{ name: string; size: string }>(
    `SELECT relname AS name, pg_size_pretty(pg_total_relation_size(oid)) AS size FROM pg_class
      WHERE relkind = 'r' AND (relname LIKE 'history%' OR relname = 'schedule_execution_logs') ORDER BY relname`,
  );
  for (const { name, size } of sizes) console.log(`${name}: ${size} with indexes`);
  const history = new PostgresHistory(db);
  console.log(`\n| question | range | filter | p50 ms | p95 ms |\n|---|---|---|---|---|`);
  let slowest = 0;
  for (const each of await cases(db)) slowest = Math.max(slowest, await run(history, each));
  await checkSummary(db, history, { from: new Date(END.getTime() - 365 * DAY_MS), to: END });
  console.log('\nThe summary of the year is to the row what plain SQL answers.');
  console.log(`slowest p95: ${slowest.toFixed(0)} ms, wanted below ${LIMIT_MS} ms`);
  if (slowest >= LIMIT_MS) process.exitCode = 1;
}

async function cases(db: Database): Promise<Case[]> {
  const [owner] = await db.query<{ repositoryId: string; scheduleId: string }>(
    'SELECT repository_id AS "repositoryId", id AS "scheduleId" FROM schedule_sessions ORDER BY id LIMIT 1',
  );
  const { repositoryId = '', scheduleId = '' } = owner ?? {};
  const summary: Case['ask'] = (history, filter) => history.summary(filter);
  const failures: Case['ask'] = (history, filter) => history.failures(filter, 'Europe/Berlin', 20);
  const timeline =
    (size: 'hour' | 'day' | 'week', zone: string): Case['ask'] =>
    (history, filter) =>
      history.timeline(filter, size, zone);
  const pod = { podName: 'repotide-202605-2' };
  return [
    { name: 'summary', days: 7, ask: summary },
    { name: 'summary', days: 30, ask: summary },
    { name: 'summary', days: 365, ask: summary },
    { name: 'summary', days: 365, filter: { trigger: 'cron' }, ask: summary },
    { name: 'summary', days: 365, filter: pod, ask: summary },
    { name: 'summary', days: 365, filter: { repositoryId }, ask: summary },
    { name: 'summary', days: 365, filter: { scheduleId }, ask: summary },
    { name: 'timeline, hours, Berlin', days: 7, ask: timeline('hour', 'Europe/Berlin') },
    { name: 'timeline, days, Berlin', days: 90, ask: timeline('day', 'Europe/Berlin') },
    { name: 'timeline, days, Berlin', days: 365, ask: timeline('day', 'Europe/Berlin') },
    { name: 'timeline, weeks, Kolkata', days: 365, ask: timeline('week', 'Asia/Kolkata') },
    {
      name: 'timeline, days, Berlin',
      days: 365,
      filter: { repositoryId },
      ask: timeline('day', 'Europe/Berlin'),
    },
    { name: 'failures, Berlin', days: 7, ask: failures },
    { name: 'failures, Berlin', days: 30, ask: failures },
    { name: 'failures, Berlin', days: 365, ask: failures },
    { name: 'failures, Berlin', days: 365, filter: pod, ask: failures },
    { name: 'failures, Berlin', days: 365, filter: { repositoryId }, ask: failures },
  ];
}

/** Each repetition uses another range, so that no cached answer is measured. @returns p95 in milliseconds. */
async function run(history: PostgresHistory, { name, days, filter = {}, ask }: Case): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const to = new Date(END.getTime() - round * 13 * 61_000);
    const from = new Date(to.getTime() - days * DAY_MS);
    const started = performance.now();
    await ask(history, { ...filter, from, to });
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0;
  const shown = Object.keys(filter).join(', ') || 'none';
  console.log(`| ${name} | ${days} days | ${shown} | ${at(0.5).toFixed(0)} | ${at(0.95).toFixed(0)} |`);
  return at(0.95);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

await main();
