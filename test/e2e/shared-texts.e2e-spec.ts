import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  type EmbeddingStandIn,
  type GitLabStandIn,
} from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 200;
const PROJECTS = ['team/one', 'team/two', 'team/three'];

let directory: string;
let gitlab: GitLabStandIn;
let embedding: EmbeddingStandIn;
let installation: Installation;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-shared-texts-'));
  gitlab = await startGitLabStandIn();
  embedding = await startEmbeddingStandIn();
  embedding.settings.models = [{ id: 'house-model', dimensions: 32, canShorten: false }];
  // So slow that runs meet in the middle of each other's requests.
  embedding.faults.add({ method: 'POST', effect: { kind: 'drip', chunkBytes: 1024, everyMs: 20 } });
  const git = await createGitRepository(join(directory, 'git'));
  for (let number = 0; number < FILES; number++)
    git.write(`src/file-${number}.ts`, `export const value${number} = 'of file ${number}';\n`);
  await git.commit('Files');
  for (const path of PROJECTS)
    await gitlab.addProject({ path, gitDir: git.directory, defaultBranch: 'main' });
  installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_URL: embedding.url,
    EMBEDDING_MODEL: 'house-model',
    LEASE_TTL_SECONDS: '3',
    LEASE_RENEW_SECONDS: '1',
    REAPER_INTERVAL_SECONDS: '1',
  });
});
afterEach(async () => {
  await installation.remove();
  await Promise.all([gitlab.stop(), embedding.stop()]);
  await rm(directory, { recursive: true, force: true });
});

/** Texts of chunks, as the server counted them: those that identify and probe the model are in no repository. */
async function sentTexts(): Promise<{ sent: number; distinct: number }> {
  const chunks = await installation.withDatabase((database) =>
    database.query<{ contentHash: string }>('SELECT content_hash FROM embedding_cache'),
  );
  const known = new Set(chunks.map(({ contentHash }) => contentHash));
  const sent = embedding.work.flatMap(({ contentHashes }) => contentHashes).filter((hash) => known.has(hash));
  return { sent: sent.length, distinct: known.size };
}

async function syncAll(services: readonly Service[]): Promise<string[]> {
  const [first] = services;
  const repositories = await Promise.all(PROJECTS.map((path) => register(first!, path)));
  return Promise.all(repositories.map((repository) => startSync(first!, repository)));
}

async function expectCompleted(service: Service, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    expect(await executionThat(service, id, isOver)).toMatchObject({ status: 'completed' });
}

describe('repositories with the same files that are synced at the same time', () => {
  it.each([
    ['by one process', 1, {}],
    ['by three pods', 3, { WORKER_CONCURRENCY: '1' }],
  ])(
    'have each text embedded once %s',
    async (_, pods, env) => {
      const services: Service[] = [];
      for (let number = 0; number < pods; number++)
        services.push(await installation.serve({ ...env, POD_NAME: `pod-${number}` }));
      await expectCompleted(services[0]!, await syncAll(services));
      const { sent, distinct } = await sentTexts();
      expect(distinct).toBe(FILES);
      expect(sent).toBeLessThanOrEqual(FILES * 1.03);
    },
    240_000,
  );

  it('wait for the texts of a killed process for some seconds only', async () => {
    const dying = await installation.serve({ POD_NAME: 'dying' });
    const ids = await syncAll([dying]);
    await until('texts to be embedded', () => embedding.totals().texts > 40);
    embedding.faults.clear();
    const release = embedding.faults.add({ method: 'POST', effect: { kind: 'stall', afterBytes: 100 } });
    const before = embedding.requests.length;
    await until('requests without an answer', () => embedding.requests.length > before + 1);
    const other = await installation.serve({ POD_NAME: 'other' });
    await dying.command.end('SIGKILL');
    release();
    await expectCompleted(other, ids);
    const { sent, distinct } = await sentTexts();
    expect(distinct).toBe(FILES);
    expect(sent).toBeLessThanOrEqual(FILES * 1.05);
  }, 240_000);
});
