/**
 * Measures syncs after 0 to 1,000 changed files in repositories of 1,000 to 100,000: time, CPU, requests, bytes, rows of the
 * manifest and embeddings. Everything is real (Postgres, git over HTTP, the conductor); the CPU is that of this process, in
 * which the GitLab stand-in runs too.
 * `npm run bench:incremental` (`-- --quick`: without 100,000 files; `-- --json FILE`; `-- --files 1000,10000`)
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Execution } from '@core/domain';
import { countRows, MANIFEST_TABLES } from '../test/support/row-counts.js';
import { createSyncWorld, type SyncWorld } from '../test/support/sync-world.js';
import { startTestServer } from '../test/support/test-server.js';

const FILES_PER_FOLDER = 100;
const FOLDERS_PER_AREA = 100;
const CHANGES = [0, 1, 10, 100, 1_000];
const ROUNDS = 3;

interface Sample {
  seconds: number;
  cpuMs: number;
  rowsRead: number;
  rowsWritten: number;
  run: Execution;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, json: { type: 'string' }, files: { type: 'string' } },
  });
  const sizes = (values.files ?? (values.quick ? '1000,10000' : '1000,10000,100000')).split(',').map(Number);
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg()[0],
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
  say(
    `${machine.processor}, ${machine.cores} cores, load ${machine.load?.toFixed(1)}, Node.js ${machine.node}`,
  );
  say('Median of three; in brackets the slowest.');
  say(
    '| files | changed | through | time | CPU | requests | bytes | rows read | rows written | texts embedded |',
  );
  say('| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  const results = [];
  const stop = await startTestServer(process.env);
  try {
    for (const files of sizes) results.push(...(await measureSize(files)));
  } finally {
    await stop();
  }
  if (values.json)
    await writeFile(values.json, JSON.stringify({ machine, rounds: ROUNDS, results }, null, 2));
}

async function measureSize(files: number) {
  const world = await createSyncWorld({ transport: 'git', requestTimeoutMs: 600_000 });
  const results = [];
  try {
    for (let file = 0; file < files; file += 1) edit(world, file, 0);
    await world.git.commit();
    assertCompleted(await world.sync());
    await world.database.query('ANALYZE');
    let edition = 0;
    for (const transport of ['git', 'rest'] as const) {
      world.setTransport(transport);
      for (const changes of CHANGES.filter((count) => count <= files)) {
        const samples: Sample[] = [];
        for (let round = 0; round <= ROUNDS; round += 1) {
          edition += 1;
          // Spread over the folders.
          for (let change = 0; change < changes; change += 1)
            edit(world, (change * (files / changes) + edition) % files, edition);
          if (changes > 0) await world.git.commit();
          samples.push(await measure(world));
        }
        // The first one warms up.
        results.push(report(files, changes, transport, samples.slice(1)));
      }
    }
  } finally {
    await world.stop();
  }
  return results;
}

async function measure(world: SyncWorld): Promise<Sample> {
  const before = await countRows(world.database, MANIFEST_TABLES);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const run = await world.sync();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await countRows(world.database, MANIFEST_TABLES);
  assertCompleted(run);
  return {
    seconds,
    cpuMs: (user + system) / 1000,
    rowsRead: after.read - before.read,
    rowsWritten: after.written - before.written,
    run,
  };
}

function report(files: number, changes: number, transport: string, samples: readonly Sample[]) {
  const median = (of: (sample: Sample) => number) =>
    samples.map(of).sort((a, b) => a - b)[Math.floor(samples.length / 2)]!;
  const slowest = (of: (sample: Sample) => number) => Math.max(...samples.map(of));
  const fastest = (of: (sample: Sample) => number) => Math.min(...samples.map(of));
  const result = {
    files,
    changes,
    transport,
    seconds: {
      min: fastest((s) => s.seconds),
      median: median((s) => s.seconds),
      max: slowest((s) => s.seconds),
    },
    cpu_ms: { min: fastest((s) => s.cpuMs), median: median((s) => s.cpuMs), max: slowest((s) => s.cpuMs) },
    requests: median((s) => s.run.sourceRequests),
    bytes: median((s) => s.run.bytesFetched),
    rows_read: median((s) => s.rowsRead),
    rows_written: median((s) => s.rowsWritten),
    embeddings: median((s) => s.run.embeddingsRequested),
    ways: samples.at(-1)?.run.fetchStrategy ?? null,
  };
  const { seconds, cpu_ms: cpu } = result;
  const cells = [
    files.toLocaleString('en'),
    changes.toLocaleString('en'),
    transport,
    `${seconds.median.toFixed(2)} s (${seconds.max.toFixed(2)})`,
    `${cpu.median.toFixed(0)} ms`,
    result.requests,
    result.bytes.toLocaleString('en'),
    result.rows_read.toLocaleString('en'),
    result.rows_written.toLocaleString('en'),
    result.embeddings,
  ];
  say(`| ${cells.join(' | ')} |`);
  return result;
}

function edit(world: SyncWorld, file: number, edition: number): void {
  const number = Math.floor(file);
  const folder = Math.floor(number / FILES_PER_FOLDER);
  const path = `area${Math.floor(folder / FOLDERS_PER_AREA)}/part${folder}/file${number}.ts`;
  world.git.write(path, `export const value${number} = 'edition ${edition} of file ${number}';\n`);
}

function assertCompleted({ status, errorCode, errorMessage }: Execution): void {
  if (status !== 'completed') throw new Error(`A sync ended as ${status}: ${errorCode} ${errorMessage}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
