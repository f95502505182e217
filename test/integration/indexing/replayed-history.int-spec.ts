import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cloneForDemo, createGitRepository, type GitRepository, listTree } from '@devkit';
import { isLongForm } from '../../support/long-form.js';
import { createSyncWorld, type SyncWorld } from '../../support/sync-world.js';

/** `npm run test:long` replays many. */
const COMMITS = isLongForm ? 200 : 15;
const SECONDS_PER_COMMIT = 60;

let directory: string;
let world: SyncWorld;
let replayed: GitRepository;
let commits: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-replayed-'));
  ({ replayed, commits } = (await ownHistory()) ?? (await generatedHistory()));
  world = await createSyncWorld({ transport: 'git', requestTimeoutMs: 60_000 });
}, 120_000);
afterAll(async () => {
  await world.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The last commits of this project; null in a shallow clone or outside of a repository. */
async function ownHistory() {
  try {
    const clone = await cloneForDemo('.', join(directory, 'own'), COMMITS + 1);
    const listed = await clone.repository.git('rev-list', '--first-parent', '--reverse', clone.branch);
    const own = listed.split('\n').slice(-COMMITS);
    if (own.length < COMMITS) return null;
    if (clone.branch !== 'main') await clone.repository.branch('main', clone.branch);
    await clone.repository.checkout('main');
    return { replayed: clone.repository, commits: own };
  } catch {
    return null;
  }
}

async function generatedHistory() {
  const git = await createGitRepository(join(directory, 'generated'), { bare: true });
  const made: string[] = [];
  for (let number = 0; number < COMMITS; number += 1) {
    for (let file = 0; file < 5; file += 1)
      git.write(`libs/core/part${(number * file) % 7}/file${file}.ts`, `export const value = ${number};\n`);
    if (number % 4 === 3) git.rename('libs/core/part0', `libs/core/moved${number}`);
    made.push(await git.commit());
  }
  return { replayed: git, commits: made };
}

it(
  `a real history of ${COMMITS} commits over git: the manifest equals each tree, and each text is embedded once`,
  async () => {
    const project = await world.gitlab.addProject({
      path: 'team/replayed',
      gitDir: replayed.directory,
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
      await replayed.reset(commit);
      const run = await world.sync({ repositoryId });
      expect(run).toMatchObject({ status: 'completed', toCommit: commit });
      expect(run.fetchStrategy).not.toMatch(/rest/);
      embedded += run.embeddingsRequested;
      for (const { payload } of await world.wholePoints(repositoryId)) texts.add(payload.content_hash);
      const tree = (await listTree(replayed.directory, commit)).map(({ path, mode, sha }) => [
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
