import { type Execution } from '@core/domain';
import { countRows, MANIFEST_TABLES } from '../test/support/row-counts.js';
import { createSyncWorld, type SyncWorld } from '../test/support/sync-world.js';
import { startTestServer } from '../test/support/test-server.js';
import { atMost, type Benchmark, median, type Samples } from './run/report.js';

const FILES_PER_FOLDER = 100;
const FOLDERS_PER_AREA = 100;
const CHANGES = [0, 1, 10, 100, 1_000];
/** Short syncs differ more from each other. */
const ROUNDS = { short: 9, long: 3 };
const LONGEST_SHORT = 10;
const WARM_UPS = 2;
/** The default of GIT_CACHE_MAX_BYTES. */
const CACHE_BYTES = 512 * 1024 * 1024;

interface Sample {
  seconds: number;
  cpuMs: number;
  rowsRead: number;
  rowsWritten: number;
  run: Execution;
}

interface Found {
  files: number;
  changes: number;
  transport: string;
  samples: Sample[];
}

export const incremental: Benchmark = {
  title: 'Later syncs',
  explains:
    'Syncs after 0 to 1,000 changed files, spread over the folders. Everything is real (Postgres, git over HTTP, the order of a run); the CPU is that of one process, in which the GitLab stand-in runs too.',
  limits:
    'Through git: the trees of the changed folders, and one round trip each for references, trees and contents. Through the REST API: the comparison lists every changed file, and more than 1,000 differences need the whole tree.',
  async run({ isQuick, progress }) {
    const sizes = isQuick ? [1_000] : [1_000, 10_000, 100_000];
    const found: Found[] = [];
    const stop = await startTestServer(process.env);
    try {
      for (const files of sizes) found.push(...(await measureSize(files, progress)));
    } finally {
      await stop();
    }
    return {
      input: `${sizes.map((size) => size.toLocaleString('en')).join(', ')} files, 100 in a folder; ${ROUNDS.short} rounds of up to ${LONGEST_SHORT} changes, ${ROUNDS.long} of more`,
      tables: (['git', 'rest'] as const).map((transport) => tableOf(found, transport)),
      goals: goalsOf(found, sizes),
    };
  },
};

function tableOf(found: readonly Found[], transport: string) {
  const rows = found
    .filter((one) => one.transport === transport)
    .map(({ files, changes, samples }) => {
      const all = (of: (sample: Sample) => number): Samples => samples.map(of);
      return [
        ...[files, changes, all((s) => s.seconds), all((s) => s.cpuMs)],
        ...[median(all((s) => s.run.sourceRequests)), median(all((s) => s.run.bytesFetched))],
        ...[median(all((s) => s.rowsRead)), median(all((s) => s.rowsWritten))],
        median(all((s) => s.run.embeddingsRequested)),
      ];
    });
  return {
    title: transport === 'git' ? 'Through git' : 'Through the REST API',
    columns: [
      ...[{ title: 'files' }, { title: 'changed' }, { title: 'seconds', digits: 2 }, { title: 'CPU, ms' }],
      ...[{ title: 'requests' }, { title: 'bytes' }, { title: 'rows read' }, { title: 'rows written' }],
      { title: 'texts embedded' },
    ],
    rows,
    plot: { labels: [0, 1], value: 2 },
  };
}

function goalsOf(found: readonly Found[], sizes: readonly number[]) {
  const timeOf = (files: number, changes: number, of: (sample: Sample) => number) => {
    const one = found.find(
      (each) => each.transport === 'git' && each.files === files && each.changes === changes,
    );
    return median(one!.samples.map(of));
  };
  const largest = sizes.at(-1)!;
  return [
    atMost(
      'CPU of a sync that finds nothing new',
      30,
      timeOf(largest, 0, (s) => s.cpuMs),
      ' ms',
    ),
    ...[1, 10, 100].map((changes) =>
      atMost(
        `time for ${changes} changed of ${largest.toLocaleString('en')} files, times that of 1,000 files`,
        3,
        timeOf(largest, changes, (s) => s.seconds) / timeOf(1_000, changes, (s) => s.seconds),
      ),
    ),
  ];
}

async function measureSize(files: number, progress: (what: string) => void): Promise<Found[]> {
  const world = await createSyncWorld({
    transport: 'git',
    gitCacheBytes: CACHE_BYTES,
    requestTimeoutMs: 600_000,
  });
  const results: Found[] = [];
  try {
    for (let file = 0; file < files; file += 1) edit(world, file, 0);
    await world.git.commit();
    assertCompleted(await world.sync());
    // Autovacuum does it within a minute after a first sync.
    await world.database.query('VACUUM (ANALYZE)');
    let edition = 0;
    for (const transport of ['git', 'rest'] as const) {
      world.setTransport(transport);
      for (const changes of CHANGES.filter((count) => count <= files)) {
        progress(`${files} files, ${changes} changed, ${transport}`);
        const samples: Sample[] = [];
        const rounds = ROUNDS[changes <= LONGEST_SHORT ? 'short' : 'long'];
        for (let round = 0; round < WARM_UPS + rounds; round += 1) {
          edition += 1;
          // Spread over the folders.
          for (let change = 0; change < changes; change += 1)
            edit(world, (change * (files / changes) + edition) % files, edition);
          if (changes > 0) await world.git.commit();
          samples.push(await measure(world));
        }
        results.push({ files, changes, transport, samples: samples.slice(WARM_UPS) });
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

function edit(world: SyncWorld, file: number, edition: number): void {
  const number = Math.floor(file);
  const folder = Math.floor(number / FILES_PER_FOLDER);
  const path = `area${Math.floor(folder / FOLDERS_PER_AREA)}/part${folder}/file${number}.ts`;
  world.git.write(path, `export const value${number} = 'edition ${edition} of file ${number}';\n`);
}

function assertCompleted({ status, errorCode, errorMessage }: Execution): void {
  if (status !== 'completed') throw new Error(`A sync ended as ${status}: ${errorCode} ${errorMessage}`);
}
