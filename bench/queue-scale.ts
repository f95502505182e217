/** Measures what the queue, the schedules and the chores ask of Postgres: `npm run bench:scale -- --help`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { connectDatabase, type Database, migrate, startEmbeddedPostgres } from '@adapters/postgres';
import { type Logger } from '@core/domain';
import { type Measurement, measureAll } from './queue-scale-cases.js';
import { fill } from './queue-scale-data.js';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
  child: () => silent,
};

const count = (text: string): number => {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above 0.');
};

interface Options {
  full?: true;
  json?: true;
  repositories?: number;
  executions?: number;
  days: number;
  manifestRows: number;
}

const given = new Command('npm run bench:scale --')
  .description(
    'Fills a database with a history and measures what the queue, the chores and the lists need of it.',
  )
  .option('--full', '10,000 repositories and 36.5 million executions instead of 1,000 and a million')
  .option('--repositories <count>', 'repositories, each with a schedule', count)
  .option('--executions <count>', 'executions of the history', count)
  .option('--days <count>', 'days over which the executions are spread', count, 365)
  .option('--manifest-rows <count>', 'indexed files of each repository', count, 600)
  .option('--json', 'print the measurements as JSON')
  .addHelpText(
    'after',
    '\nBENCH_DATA_DIR names a folder that keeps the data for the next run; it needs up to 40 GB with --full.\n' +
      'A run changes the data, so compare only first runs. Exit code 1: a p95 is not below its limit.',
  )
  .parse()
  .opts<Options>();
const size = {
  repositories: given.repositories ?? (given.full ? 10_000 : 1000),
  executions: given.executions ?? (given.full ? 36_500_000 : 1_000_000),
  days: given.days,
  manifestRows: given.manifestRows,
  queued: given.full ? 2000 : 200,
  running: given.full ? 250 : 50,
};
const LIMIT_MS = 50;

async function main(): Promise<void> {
  const kept = process.env.BENCH_DATA_DIR;
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'repotide-bench-')));
  try {
    await prepare(dataDir);
    await withServer({ dataDir, isDurable: true }, async (db) =>
      report(await measureAll(db, showProgress), await sizesOf(db)),
    );
  } finally {
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

async function withServer<T>(
  options: { dataDir: string; isDurable: boolean },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const server = await startEmbeddedPostgres({ ...options, logger: silent });
  try {
    await migrate({ url: server.url, logger: silent });
    const db = await connectDatabase({ url: server.url, statementTimeoutMs: 0, logger: silent });
    return await work(db).finally(() => db.close());
  } finally {
    await server.stop();
  }
}

/** The server writes no WAL for the rows, which takes a restart before and after. */
async function prepare(dataDir: string): Promise<void> {
  const isFilled = await withServer({ dataDir, isDurable: false }, async (db) => {
    const found = await db.query('SELECT FROM schedule_execution_logs LIMIT 1');
    await db.query('ALTER SYSTEM SET wal_level = minimal');
    await db.query('ALTER SYSTEM SET max_wal_senders = 0');
    return found.length > 0;
  });
  if (!isFilled)
    await withServer({ dataDir, isDurable: false }, (db) =>
      fill(db, size, (rows) => showProgress('executions', rows / size.executions)),
    );
  await withServer({ dataDir, isDurable: false }, (db) => db.query('ALTER SYSTEM RESET ALL'));
  process.stderr.write('\n');
}

const BAR = 30;

function showProgress(what: string, share: number): void {
  if (!process.stderr.isTTY) return;
  const done = Math.min(BAR, Math.round(share * BAR));
  process.stderr.write(`\r[${'#'.repeat(done).padEnd(BAR)}] ${what.padEnd(40)}`);
}

interface Sizes {
  executions: number;
  tables: string;
  indexes: string;
}

async function sizesOf(db: Database): Promise<Sizes> {
  const row = await db.first<Sizes>(
    `SELECT sum(GREATEST(reltuples, 0))::bigint AS executions, pg_size_pretty(sum(pg_table_size(oid))) AS tables,
        pg_size_pretty(sum(pg_indexes_size(oid))) AS indexes
      FROM pg_class WHERE relkind = 'r' AND relname LIKE 'schedule_execution_logs%'`,
  );
  return row!;
}

function report(measurements: readonly Measurement[], sizes: Sizes): void {
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, Node.js ${process.version}`;
  const slow = measurements.filter(({ isBounded, p95 }) => isBounded && p95 >= LIMIT_MS);
  if (slow.length > 0) process.exitCode = 1;
  if (given.json) {
    console.log(JSON.stringify({ machine, size, sizes, measurements }, null, 2));
    return;
  }
  process.stderr.write('\n');
  console.log(`${machine}; ${size.repositories} repositories, ${sizes.executions} executions`);
  console.log(`schedule_execution_logs: ${sizes.tables}, its indexes: ${sizes.indexes}`);
  console.log('\n| what | rounds | minimum ms | median ms | p95 ms | maximum ms |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { name, rounds, min, median, p95, max } of measurements)
    console.log(`| ${[name, rounds, ...[min, median, p95, max].map((ms) => ms.toFixed(1))].join(' | ')} |`);
  console.log(
    slow.length === 0
      ? `\nEvery p95 is below ${LIMIT_MS} ms.`
      : `\nNot below ${LIMIT_MS} ms: ${slow.map(({ name }) => name).join(', ')}.`,
  );
}

await main();
