import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGitSourceFactory } from '@adapters/git';
import { type Source, systemClock } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { runCommand } from '../test/support/command-line.js';
import { manySmallFiles } from '../test/support/huge-repositories.js';
import { timelessSources } from '../test/support/limiter.js';
import { silentLogger } from '../test/support/silent-logger.js';
import { startDistantHost } from './run/distant-host.js';
import { atLeast, type Benchmark, median } from './run/report.js';

const FILES = 100_000;
const QUICK_FILES = 2_000;
const ROUNDS = 3;
const MAX_FILE_BYTES = 1_048_576;
const FOLDER_MODE = '040000';

/** To a host on the same machine, and to one in the same country. */
const ROUND_TRIPS_MS = [0, 20];
/** Whole first syncs are measured with these. 100 ms stand for a host on another continent, or one that answers that slowly. */
const SYNC_ROUND_TRIPS_MS = [0, 20, 100];
/** A fifth of the files, in proportion: a whole first sync takes ten times as long as the transport. */
const SYNC_SHARE = 5;
const WAYS = ['git', 'REST'] as const;

interface Case {
  way: (typeof WAYS)[number];
  roundTripMs: number;
}

interface Sample extends Case {
  seconds: number;
  requests: number;
  bytes: number;
}

interface SyncSample extends Case {
  seconds: number;
  requests: number;
  mib: number;
}

export const transport: Benchmark = {
  title: 'Transport',
  explains:
    'Lists the tree of a repository of small files and reads all contents, with the sources that a first sync uses, and does nothing with them: on the same machine, and with 20 ms between the service and the host. Then whole first syncs by `repotide sync`, with the built-in embedder and the embedded stores, also with 100 ms. The stand-in of GitLab runs in the process of the benchmark.',
  limits:
    'Git: one process that indexes the pack, and those that print trees and contents. REST: a thousand pages of the tree, one after the other. Whole first syncs: reading, splitting, embedding and storing overlap and keep both cores busy, so without a distance the transport hardly counts.',
  async run({ isQuick, directory, progress }) {
    const files = isQuick ? QUICK_FILES : FILES;
    const git = await manySmallFiles(join(directory, 'small'), files);
    const gitlab = await startGitLabStandIn();
    const found: Sample[] = [];
    const syncs: SyncSample[] = [];
    const few = await manySmallFiles(join(directory, 'few'), files / SYNC_SHARE);
    try {
      const project = await gitlab.addProject({
        path: 'huge/code',
        gitDir: git.directory,
        defaultBranch: 'main',
      });
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const roundTripMs of ROUND_TRIPS_MS) {
          for (const way of WAYS) {
            progress(`${way}, ${roundTripMs} ms, round ${round} of ${ROUNDS}`);
            found.push(await measure(gitlab, { way, roundTripMs }, { ...project, files, directory }));
          }
        }
      }
      await gitlab.addProject({ path: 'huge/few', gitDir: few.directory, defaultBranch: 'main' });
      for (const roundTripMs of SYNC_ROUND_TRIPS_MS) {
        for (const way of WAYS) {
          progress(`first sync, ${way}, ${roundTripMs} ms`);
          syncs.push(await syncOnce(gitlab, { way, roundTripMs }, directory));
        }
      }
    } finally {
      await gitlab.stop();
    }
    return {
      input: `${files.toLocaleString('en')} small files; ${ROUNDS} rounds; whole first syncs of ${(files / SYNC_SHARE).toLocaleString('en')}`,
      tables: [
        {
          title: 'Tree and all contents',
          columns: [
            ...[{ title: 'way' }, { title: 'round trip, ms' }, { title: 'seconds', digits: 2 }],
            ...[{ title: 'files/s' }, { title: 'requests' }, { title: 'MB received', digits: 1 }],
          ],
          rows: ROUND_TRIPS_MS.flatMap((roundTripMs) =>
            WAYS.map((way) => {
              const samples = samplesOf(found, { way, roundTripMs });
              const seconds = samples.map((sample) => sample.seconds);
              const { requests, bytes } = samples[0]!;
              return [way, roundTripMs, seconds, files / median(seconds), requests, bytes / 1e6];
            }),
          ),
          plot: { labels: [0, 1], value: 3 },
        },
        {
          title: 'Whole first sync',
          columns: [
            ...[{ title: 'way' }, { title: 'round trip, ms' }, { title: 'seconds', digits: 1 }],
            ...[{ title: 'requests' }, { title: 'memory, MiB' }],
          ],
          rows: syncs.map(({ way, roundTripMs, seconds, requests, mib }) => [
            ...[way, roundTripMs, seconds, requests, mib],
          ]),
        },
      ],
      goals: [
        ...ROUND_TRIPS_MS.map((roundTripMs) => goal('transport', found, roundTripMs)),
        ...SYNC_ROUND_TRIPS_MS.map((roundTripMs) => goal('first sync', syncs, roundTripMs)),
      ],
    };
  },
};

function goal(what: string, found: readonly (Case & { seconds: number })[], roundTripMs: number) {
  const secondsOf = (way: Case['way']) =>
    median(samplesOf(found, { way, roundTripMs }).map(({ seconds }) => seconds));
  return atLeast(
    `speed of git beside REST, ${what}, ${roundTripMs} ms away`,
    3,
    secondsOf('REST') / secondsOf('git'),
  );
}

function samplesOf<S extends Case>(found: readonly S[], { way, roundTripMs }: Case): S[] {
  return found.filter((sample) => sample.way === way && sample.roundTripMs === roundTripMs);
}

/** The first sync of a new installation, in a process of the delivered program. */
async function syncOnce(gitlab: GitLabStandIn, one: Case, directory: string): Promise<SyncSample> {
  const distant = one.roundTripMs > 0 ? await startDistantHost(gitlab.url, one.roundTripMs) : null;
  const dataDir = await mkdtemp(join(directory, 'data-'));
  try {
    const command = runCommand(['sync', 'huge/few', '--json'], {
      GITLAB_URL: distant?.url ?? gitlab.url,
      GITLAB_TOKEN: gitlab.token,
      REPOTIDE_DATA_DIR: dataDir,
      SOURCE_TRANSPORT: one.way === 'git' ? 'auto' : 'rest',
    });
    const code = await command.ended;
    if (code !== 0) throw new Error(`sync ended with ${code}: ${command.stderr()}`);
    const row = JSON.parse(command.stdout()) as { duration_seconds: number; source_requests: number };
    const mib = command.peakMemoryMiB();
    return { ...one, seconds: row.duration_seconds, requests: row.source_requests, mib };
  } finally {
    distant?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(
  gitlab: GitLabStandIn,
  one: Case,
  { id, path, files, directory }: { id: number; path: string; files: number; directory: string },
): Promise<Sample> {
  const { way, roundTripMs } = one;
  const distant = roundTripMs > 0 ? await startDistantHost(gitlab.url, roundTripMs) : null;
  const hosts = timelessSources({
    ...{ defaultToken: gitlab.token, requestTimeoutMs: 600_000, maxRetries: 0 },
    ...{ userAgent: 'repotide-bench', logger: silentLogger },
  });
  const sources = createGitSourceFactory({
    ...{ hosts, logger: silentLogger, clock: systemClock, scratchRoot: directory },
    isApiOnly: way === 'REST',
  });
  const { signal } = new AbortController();
  const reading = { projectPath: path, isEverything: true, maxFileBytes: MAX_FILE_BYTES };
  const target = { provider: 'gitlab', baseUrl: distant?.url ?? gitlab.url, credentialId: null } as const;
  const start = performance.now();
  const source = await sources.open(target, signal, { reading });
  try {
    const { commit } = await source.headOf(id, 'main', signal);
    const read = await (way === 'git' ? readByGit : readByApi)(source, id, commit, signal);
    const seconds = (performance.now() - start) / 1000;
    if (read !== files) throw new Error(`${way} read ${read} of ${files} files.`);
    return { ...one, seconds, ...source.usage() };
  } finally {
    await source.close();
    await sources.close();
    distant?.stop();
  }
}

/** @returns the number of contents. */
async function readByGit(source: Source, id: number, commit: string, signal: AbortSignal): Promise<number> {
  const trees = (await source.openTrees(id, commit, null, signal))!;
  const blobs: string[] = [];
  for (let folders = [trees.rootId]; folders.length > 0;) {
    const below: string[] = [];
    for (const entries of (await trees.read(folders, signal))!.values())
      for (const { mode, blobSha } of entries) (mode === FOLDER_MODE ? below : blobs).push(blobSha);
    folders = below;
  }
  let read = 0;
  for await (const { content } of source.readObjects(id, commit, blobs, MAX_FILE_BYTES, signal))
    if (content.kind === 'bytes') read += 1;
  return read;
}

async function readByApi(source: Source, id: number, commit: string, signal: AbortSignal): Promise<number> {
  const wanted = new Set<string>();
  for await (const page of source.listTree(id, commit, signal)) for (const { path } of page) wanted.add(path);
  let read = 0;
  for await (const { bytes } of source.readArchive(id, commit, signal)) {
    // The next entry comes once this one is read.
    await buffer(bytes);
    read += 1;
  }
  return Math.min(read, wanted.size);
}
