import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type StoredPoint } from '@core/domain';
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
    /** The text of each point that a commit had, by the point's id. */
    const texts = new Map<string, string>();
    let embedded = 0;
    for (const commit of commits) {
      await repository.reset(commit);
      const run = await world.sync({ repositoryId });
      expect(run).toMatchObject({ errorMessage: null, status: 'completed', toCommit: commit });
      expect(run.fetchStrategy).not.toMatch(/rest/);
      embedded += run.embeddingsRequested;
      const points = await world.points(repositoryId);
      // The texts of the other points were read after the commit that stored them.
      const added = points.filter(({ id }) => !texts.has(id));
      for (const [id, text] of await textsOf(repositoryId, added)) texts.set(id, text);
      const tree = await listTree(repository.directory, commit);
      const rows = await world.entries(repositoryId);
      expect(rows.map(({ path, mode, blobSha }) => `${mode} ${blobSha} ${path}`).sort()).toEqual(
        tree.map(({ path, mode, sha }) => `${mode} ${sha} ${path}`).sort(),
      );
      expect(points).toHaveLength(rows.reduce((sum, { chunkCount }) => sum + chunkCount, 0));
    }
    // No point's text has changed since it was stored.
    const last = await textsOf(repositoryId, await world.points(repositoryId));
    expect(last).toEqual(new Map([...last.keys()].map((id) => [id, texts.get(id)])));
    const distinct = new Set(texts.values());
    expect(embedded).toBe(distinct.size);
    expect(distinct.size).toBeGreaterThan(COMMITS);
  },
  COMMITS * SECONDS_PER_COMMIT * 1000,
);

/** The content hash of each of these points, by its id. */
async function textsOf(repositoryId: string, points: readonly StoredPoint[]): Promise<Map<string, string>> {
  const whole = await world.readWhole(repositoryId, points);
  return new Map(whole.map(({ id, payload }) => [id, payload.content_hash]));
}
