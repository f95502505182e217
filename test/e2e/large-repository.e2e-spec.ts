import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connectDatabase,
  createEmbeddedVectorStore,
  createGenerationStore,
  createManifestStore,
  createRepositoryStore,
  startEmbeddedPostgres,
} from '@adapters/postgres';
import { type ManifestEntry, type StoredPoint } from '@core/domain';
import {
  generateRepository,
  listTree,
  startGitLabStandIn,
  type GitLabStandIn,
  type GitRepository,
} from '@devkit';
import { activeGeneration } from '../support/active-generation.js';
import { runCommand, until, type RunningCommand } from '../support/command-line.js';
import { sparseRepository } from '../support/huge-repositories.js';
import { isLongForm } from '../support/long-form.js';
import { silentLogger } from '../support/silent-logger.js';

const FILES = isLongForm ? 5_000 : 600;
const BYTES = isLongForm ? 50_000_000 : 6_000_000;
const MEMORY_LIMIT_MIB = 400;

let directory: string;
let gitlab: GitLabStandIn;
let git: GitRepository;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-large-'));
  ({ repository: git } = await generateRepository(join(directory, 'git'), {
    files: FILES,
    totalBytes: BYTES,
    seed: 7,
  }));
  gitlab = await startGitLabStandIn();
  // Without archive and batches, so that every read of a file is one visible request.
  gitlab.faults.add({ url: /\/(repository\/archive|graphql)/, effect: { kind: 'status', status: 403 } });
  await gitlab.addProject({ path: 'big/code', gitDir: git.directory, defaultBranch: 'main' });
});

afterAll(async () => {
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

function sync(): RunningCommand {
  return runCommand(['sync', 'big/code', '--json'], {
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    // Reading file by file exceeds the default of 1,500 requests per minute.
    GITLAB_REQUESTS_PER_MINUTE: '0',
    REPOTIDE_DATA_DIR: join(directory, 'data'),
  });
}

interface Row {
  status: string;
  attempt: number;
  embeddings_requested: number;
  files_deleted: number;
  chunks_upserted: number;
}

async function finish(command: RunningCommand): Promise<Row> {
  expect({ code: await command.ended, stderr: command.stderr() }).toMatchObject({ code: 0 });
  expect(command.peakMemoryMiB()).toBeGreaterThan(0);
  expect(command.peakMemoryMiB()).toBeLessThan(MEMORY_LIMIT_MIB);
  return JSON.parse(command.stdout()) as Row;
}

function requestedBlobs(): string[] {
  return gitlab.requests.flatMap(({ path }) => /\/blobs\/([0-9a-f]{40})\/raw/.exec(path)?.[1] ?? []);
}

/** Reads the embedded database while no Repotide process uses it. */
async function readIndex(): Promise<{ entries: ManifestEntry[]; points: StoredPoint[] }> {
  const server = await startEmbeddedPostgres({ dataDir: join(directory, 'data'), logger: silentLogger });
  const database = await connectDatabase({ url: server.url, logger: silentLogger });
  try {
    const { items } = await createRepositoryStore(database).list({}, { limit: 1, offset: 0 });
    const { id, collectionName } = items[0]!;
    const { physicalName } = await activeGeneration(createGenerationStore(database), collectionName);
    const vectors = createEmbeddedVectorStore(database, { logger: silentLogger });
    const entries: ManifestEntry[] = [];
    const points: StoredPoint[] = [];
    for await (const page of createManifestStore(database).listEntries(id)) entries.push(...page);
    for await (const page of vectors.listPoints(physicalName, id, new AbortController().signal))
      points.push(...page);
    return { entries, points };
  } finally {
    await database.close();
    await server.stop();
  }
}

async function expectIndexEqualsTree(): Promise<void> {
  const tree = await listTree(git.directory, 'main');
  const { entries, points } = await readIndex();
  const skipped = new Set(entries.filter((entry) => entry.skipReason !== null).map((entry) => entry.path));
  const expected = tree
    .filter((entry) => !skipped.has(entry.path))
    .map((entry) => `${entry.sha} ${entry.path}`);
  const stored = new Set(points.map((point) => `${point.blob_sha} ${point.path}`));
  expect([...stored].sort()).toEqual(expected.sort());
  // No point is stored twice: the number of points is the manifest's, and each has its own path and index.
  const distinct = new Set(points.map((point) => `${point.path}\0${point.chunk_index}`));
  expect(distinct.size).toBe(points.length);
  expect(points).toHaveLength(entries.reduce((sum, entry) => sum + entry.chunkCount, 0));
}

describe(`a repository of ${FILES} files and ${BYTES / 1_000_000} MB`, () => {
  it('is synced within the memory limit by a process that continues where a killed one stopped', async () => {
    const first = sync();
    await until('a part to be stored', () => requestedBlobs().length > FILES * 0.6);
    first.process.kill('SIGKILL');
    await first.ended;
    expect(first.peakMemoryMiB()).toBeLessThan(MEMORY_LIMIT_MIB);

    const { entries: stored } = await readIndex();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.length).toBeLessThan(FILES);

    gitlab.resetLog();
    const row = await finish(sync());
    expect(row).toMatchObject({ status: 'completed', attempt: 2 });
    const again = new Set(requestedBlobs());
    expect(stored.filter((entry) => again.has(entry.blobSha))).toEqual([]);
    expect(again.size).toBe(FILES - stored.length);
    await expectIndexEqualsTree();
    const { points } = await readIndex();
    // Over both attempts: texts that were embedded but not committed before the kill came from the cache.
    expect(row.embeddings_requested).toBeLessThanOrEqual(points.length);
  });

  it('is indexed exactly after half of its files were deleted', async () => {
    const tree = await listTree(git.directory, 'main');
    for (const [position, { path }] of tree.entries()) if (position % 2 === 0) git.delete(path);
    await git.commit('Delete every other file');
    const row = await finish(sync());
    expect(row).toMatchObject({ status: 'completed', files_deleted: FILES / 2, chunks_upserted: 0 });
    await expectIndexEqualsTree();
  });
});

/** Together the large files alone exceed the memory limit, so that a process which held them all would fail. */
const LARGE = { smallFiles: isLongForm ? 400 : 100, largeFiles: isLongForm ? 6 : 4, mebibytesEach: 96 };

describe(`a repository with ${LARGE.largeFiles} files of ${LARGE.mebibytesEach} MiB`, () => {
  let host: GitLabStandIn;
  beforeAll(async () => {
    host = await startGitLabStandIn();
    const sparse = await sparseRepository(join(directory, 'sparse'), LARGE);
    await host.addProject({ path: 'big/few', gitDir: sparse.directory, defaultBranch: 'main' });
  });
  afterAll(() => host.stop());

  // The largest answer is the whole archive, a batch of large texts, or a single blob.
  const strategies: [string, RegExp | null][] = [
    ['the archive', null],
    ['batches', /repository\/archive/],
    ['blobs', /repository\/archive|api\/graphql/],
  ];
  it.each(isLongForm ? strategies : strategies.slice(1, 2))(
    'is read by %s within the memory limit',
    async (strategy, closed) => {
      if (closed !== null) host.faults.add({ url: closed, effect: { kind: 'status', status: 403 } });
      const command = runCommand(['sync', 'big/few', '--json'], {
        GITLAB_URL: host.url,
        GITLAB_TOKEN: host.token,
        GITLAB_REQUESTS_PER_MINUTE: '0',
        REPOTIDE_DATA_DIR: join(directory, `few-${strategy.replace(' ', '-')}`),
      });
      expect({ code: await command.ended, stderr: command.stderr() }).toMatchObject({ code: 0 });
      expect(JSON.parse(command.stdout())).toMatchObject({
        status: 'completed',
        files_added: LARGE.smallFiles,
        files_skipped: LARGE.largeFiles,
      });
      expect(command.peakMemoryMiB()).toBeGreaterThan(0);
      expect(command.peakMemoryMiB()).toBeLessThan(MEMORY_LIMIT_MIB);
    },
  );
});
