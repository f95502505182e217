import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { generateRepository, type GitRepository, startGitLabStandIn } from '@devkit';
import { runCommand } from '../test/support/command-line.js';
import { manySmallFiles, sparseRepository } from '../test/support/huge-repositories.js';
import { atMost, type Benchmark } from './run/report.js';

const GOAL_MIB = 300;

/** The fields of the command line's report that are shown. */
interface Row {
  duration_seconds: number;
  source_requests: number;
  bytes_fetched: number;
}
interface Found {
  input: string;
  way: Way;
  sync: 'first' | 'after a push';
  row: Row;
  mib: number;
}

type Way = 'git' | 'REST';

export const memory: Benchmark = {
  title: 'Memory',
  explains:
    'Peak resident memory (`VmHWM`, without the embedded PostgreSQL) of `repotide sync` with the built-in embedder and the embedded stores, in a new process each time: the first sync, and the sync after a push of one file.',
  limits:
    'The list of paths of a tree of 100,000 files, the threads that read contents, and garbage: the heap may grow by 45 % before V8 collects it.',
  async run({ isQuick, directory, progress }) {
    const [scale, files] = isQuick ? [0.02, '2,000'] : [1, '100,000'];
    const large = { smallFiles: 2_000 * scale, largeFiles: Math.max(1, 20 * scale), mebibytesEach: 100 };
    const { repository: ordinary } = await generateRepository(join(directory, 'ordinary'), {
      ...{ files: 1_000 * scale, totalBytes: 10_000_000 * scale, seed: 1 },
    });
    const inputs: [string, GitRepository][] = [
      [`${10 * scale} MB of source`, ordinary],
      [`${files} small files`, await manySmallFiles(join(directory, 'small'), 100_000 * scale)],
      [
        `${(2.1 * scale).toFixed(1)} GB in few files`,
        await sparseRepository(join(directory, 'sparse'), large),
      ],
    ];
    const found: Found[] = [];
    for (const [input, git] of inputs) {
      for (const way of ['git', 'REST'] as const) {
        progress(`${input}, ${way}`);
        found.push(...(await measure(input, git, way, directory)));
      }
    }
    return {
      input: 'generated repositories, one sync each',
      tables: [
        {
          title: 'Peak memory',
          columns: [
            ...[{ title: 'repository' }, { title: 'way' }, { title: 'sync' }, { title: 'memory, MiB' }],
            ...[{ title: 'seconds', digits: 1 }, { title: 'requests' }, { title: 'MB fetched', digits: 1 }],
          ],
          rows: found.map(({ input, way, sync, row, mib }) => [
            ...[input, way, sync, mib, row.duration_seconds, row.source_requests, row.bytes_fetched / 1e6],
          ]),
          plot: { labels: [0, 1, 2], value: 3 },
        },
      ],
      goals: [atMost('memory of every sync', GOAL_MIB, Math.max(...found.map(({ mib }) => mib)), ' MiB')],
    };
  },
};

async function measure(input: string, git: GitRepository, way: Way, directory: string): Promise<Found[]> {
  const gitlab = await startGitLabStandIn();
  const dataDir = await mkdtemp(join(directory, 'data-'));
  const environment = {
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    REPOTIDE_DATA_DIR: dataDir,
    SOURCE_TRANSPORT: way === 'git' ? 'auto' : 'rest',
  };
  const sync = async (which: Found['sync']): Promise<Found> => {
    const command = runCommand(['sync', 'huge/code', '--json'], environment);
    const code = await command.ended;
    if (code !== 0) throw new Error(`sync ended with ${code}: ${command.stderr()}`);
    const row = JSON.parse(command.stdout()) as Row;
    return { input, way, sync: which, row, mib: command.peakMemoryMiB() };
  };
  try {
    await gitlab.addProject({ path: 'huge/code', gitDir: git.directory, defaultBranch: 'main' });
    const first = await sync('first');
    await git.write('src/part0/edited.ts', `export const way = '${way}';\n`).commit();
    return [first, await sync('after a push')];
  } finally {
    await gitlab.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
