import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listTree } from '@devkit';
import { isLongForm } from '../../support/long-form.js';
import { type ReplayedHistory, replayedHistory } from '../../support/replayed-history.js';
import { createSyncWorld, type SyncWorld } from '../../support/sync-world.js';

/** `npm run test:long` replays many. */
const COMMITS = isLongForm ? 200 : 15;
const SECONDS_PER_COMMIT = 60;

let directory: string;
let world: SyncWorld;
let history: ReplayedHistory;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-replayed-'));
  history = await replayedHistory(directory, COMMITS);
  world = await createSyncWorld({
    ...{ transport: 'git', gitCacheBytes: 64 * 1024 * 1024, requestTimeoutMs: 60_000 },
  });
}, 120_000);
afterAll(async () => {
  await world.stop();
  await rm(directory, { recursive: true, force: true });
});

it(
  `a real history of ${COMMITS} commits over git: the manifest equals each tree, and each text is embedded once`,
  async () => {
    const { repository, commits } = history;
    const project = await world.gitlab.addProject({
      path: 'team/replayed',
      gitDir: repository.directory,
      defaultBranch: 'main',
    });
    const repositoryId = await world.register({
      projectId: project.id,
      projectPath: project.path,
      chunkSize: 4_000,
      // All files are listed; to index some of them is enough for the short form.
      includeGlobs: isLongForm ? [] : ['libs/core/**'],
    });
    const texts = new Set<string>();
    let embedded = 0;
    for (const commit of commits) {
      await repository.reset(commit);
      const run = await world.sync({ repositoryId });
      expect(run).toMatchObject({ errorMessage: null, status: 'completed', toCommit: commit });
      expect(run.fetchStrategy).not.toMatch(/rest/);
      embedded += run.embeddingsRequested;
      for (const { payload } of await world.wholePoints(repositoryId)) texts.add(payload.content_hash);
      const tree = (await listTree(repository.directory, commit)).map(({ path, mode, sha }) => [
        path,
        mode,
        sha,
      ]);
      const rows = (await world.entries(repositoryId)).map(({ path, mode, blobSha }) => [
        path,
        mode,
        blobSha,
      ]);
      expect(rows.sort()).toEqual(tree.sort());
    }
    expect(embedded).toBe(texts.size);
    expect(texts.size).toBeGreaterThan(COMMITS);
  },
  COMMITS * SECONDS_PER_COMMIT * 1000,
);
