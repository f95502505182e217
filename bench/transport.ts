import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGitSourceFactory } from '@adapters/git';
import { type Source, systemClock } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
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

export const transport: Benchmark = {
  title: 'Transport alone',
  explains:
    'Lists the tree of a repository of small files and reads all contents, with the sources that a first sync uses, and does nothing with them: on the same machine, and with 20 ms between the service and the host. The stand-in of GitLab runs in the same process.',
  limits:
    'Git: one process that indexes the pack, and those that print trees and contents. REST: a thousand pages of the tree, one after the other. A whole first sync differs less: with an embedding server of no cost it needs 1.9 s of processor time for 1,000 small files, of which git’s transport is 0.04 s.',
  async run({ isQuick, directory, progress }) {
    const files = isQuick ? QUICK_FILES : FILES;
    const git = await manySmallFiles(join(directory, 'small'), files);
    const gitlab = await startGitLabStandIn();
    const found: Sample[] = [];
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
    } finally {
      await gitlab.stop();
    }
    return {
      input: `${files.toLocaleString('en')} small files; ${ROUNDS} rounds`,
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
      ],
      goals: ROUND_TRIPS_MS.map((roundTripMs) => {
        const secondsOf = (way: Case['way']) =>
          median(samplesOf(found, { way, roundTripMs }).map(({ seconds }) => seconds));
        return atLeast(
          `speed of git beside REST, ${roundTripMs} ms away`,
          3,
          secondsOf('REST') / secondsOf('git'),
        );
      }),
    };
  },
};

function samplesOf(found: readonly Sample[], { way, roundTripMs }: Case): Sample[] {
  return found.filter((sample) => sample.way === way && sample.roundTripMs === roundTripMs);
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
