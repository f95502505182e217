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
import { createInstallation, type Installation } from '../support/installation.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 400;

let directory: string;
let commit: string;
let gitlab: GitLabStandIn;
let embedding: EmbeddingStandIn;
let installation: Installation;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-killed-'));
  gitlab = await startGitLabStandIn();
  embedding = await startEmbeddingStandIn();
  // A model of unknown length and limit: every start asks as much as it ever does.
  embedding.settings.models = [{ id: 'house-model', dimensions: 32, canShorten: false }];
  const git = await createGitRepository(join(directory, 'git'));
  for (let number = 0; number < FILES; number++)
    git.write(`src/file-${number}.ts`, `export const value${number} = 'of file ${number}';\n`);
  commit = await git.commit('Files');
  await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
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

/** As the server counts: with texts of requests that were never answered, and those that identify and probe the model. */
const sentTexts = (): number => embedding.totals().texts;

describe(`a first sync of ${FILES} files`, () => {
  it('killed three times embeds at most 1.05 times the different texts', async () => {
    let service = await installation.serve();
    const repository = await register(service, 'team/app');
    let id = await startSync(service, repository);
    /** A run that lost its pod twice has failed; the next one continues. */
    const isAt = async (texts: number): Promise<boolean> => {
      if (isOver(await execution(service, id))) id = await startSync(service, repository);
      return sentTexts() >= texts;
    };
    for (const killedAt of [60, 180, 300]) {
      await until(`${killedAt} texts`, () => isAt(killedAt));
      // Requests are under way at each kill: the server has received their texts and does not finish its answers.
      const release = embedding.faults.add({ method: 'POST', effect: { kind: 'stall', afterBytes: 100 } });
      const before = sentTexts();
      await until('requests without an answer', () => sentTexts() > before);
      await service.command.end('SIGKILL');
      release();
      service = await installation.serve();
    }
    await until('the run to go on', () => isAt(FILES));
    const ended = await executionThat(service, id, isOver);
    expect(ended).toMatchObject({ status: 'completed', to_commit: commit });
    expect(sentTexts()).toBeGreaterThan(FILES);
    expect(sentTexts()).toBeLessThanOrEqual(FILES * 1.05);
    expect(await service.stop()).toBe(0);
  }, 240_000);
});
