import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  type EmbeddingStandIn,
  type GitLabStandIn,
  type GitRepository,
} from '@devkit';
import { until } from '../support/command-line.js';
import {
  createEmbeddedInstallation,
  isAlive,
  type Installation,
  type Service,
} from '../support/installation.js';
import { executionThat, isOver, register, startSync, type List } from '../support/service-resources.js';

const FILES = 24;
/** The embedding server stops answering after so many requests, so that the run is held with some files stored. */
const ANSWERED = 3;

let directory: string;
let git: GitRepository;
let gitlab: GitLabStandIn;
let embedding: EmbeddingStandIn;
let installation: Installation;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-signals-'));
  git = await createGitRepository(join(directory, 'git'));
  for (let number = 0; number < FILES; number++)
    git.write(`src/file-${number}.ts`, `export const value${number} = ${number};\n`);
  await git.commit('Files');
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/project', gitDir: git.directory, defaultBranch: 'main' });
  embedding = await startEmbeddingStandIn();
});

afterAll(async () => {
  await gitlab.stop();
  await embedding.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  installation = await createEmbeddedInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_URL: embedding.url,
    EMBEDDING_BATCH_SIZE: '1',
    EMBEDDING_CONCURRENCY: '1',
  });
});

afterEach(async () => {
  embedding.faults.clear();
  embedding.resetLog();
  await installation.remove();
});

/** Starts a service and holds it in the middle of its first sync. */
async function inTheMiddle(env: Record<string, string> = {}): Promise<{ service: Service; run: string }> {
  const service = await installation.serve(env);
  const repository = await register(service, 'group/project');
  embedding.faults.add({ method: 'POST', after: ANSWERED, effect: { kind: 'stall' } });
  const run = await startSync(service, repository);
  await until('the run to be in its middle', () => embedding.requests.length > ANSWERED);
  return { service, run };
}

interface StoredRow {
  status: string;
  attempt: number;
  interruptions: number;
  errorCode: string | null;
}

function storedRow(run: string): Promise<StoredRow> {
  return installation.withDatabase(async (database) => {
    const rows = await database.query<StoredRow>(
      'SELECT status, attempt, interruptions, error_code FROM schedule_execution_logs WHERE id = $1',
      [run],
    );
    return rows[0]!;
  });
}

async function expectRunToFinish(run: string, expected: object): Promise<void> {
  embedding.faults.clear();
  const service = await installation.serve();
  expect(await executionThat(service, run, isOver)).toMatchObject({ status: 'completed', ...expected });
  const { items } =
    await service.get<List<{ id: string; last_synced_commit: string }>>('/api/v1/repositories');
  expect(items).toMatchObject([
    { last_synced_commit: await git.git('rev-parse', 'main'), index_dirty: false },
  ]);
  const files = await service.get<List<object>>(`/api/v1/repositories/${items[0]!.id}/files?status=indexed`);
  expect(files.total).toBe(FILES);
  expect(await service.stop()).toBe(0);
}

async function expectNothingLeft(databaseServer: number): Promise<void> {
  expect(await installation.databaseServer()).toBeNull();
  expect(await isAlive(databaseServer)).toBe(false);
}

describe('a service during a sync', () => {
  it('hands over its run on SIGTERM, exits with 0, and the next service finishes the run', async () => {
    const { service, run } = await inTheMiddle({ SHUTDOWN_GRACE_SECONDS: '9' });
    const server = await installation.databaseServer();
    expect(await service.stop()).toBe(0);
    await expectNothingLeft(server!);
    // A hand-over does not count as an interruption, however often it happens.
    const handedOver = { status: 'queued', attempt: 2, interruptions: 0, errorCode: 'shutdown' };
    expect(await storedRow(run)).toMatchObject(handedOver);
    await expectRunToFinish(run, { attempt: 2, interruptions: 0, error_code: null });
  });

  it('does not wait for its run after a second SIGTERM', async () => {
    // If the service waited for the run, the test would reach its time limit.
    const { service, run } = await inTheMiddle({ SHUTDOWN_GRACE_SECONDS: '3600' });
    const server = await installation.databaseServer();
    service.command.process.kill('SIGTERM');
    await until('the first SIGTERM to be obeyed', () => service.command.stdout().includes('"stopping"'));
    expect(await service.stop()).toBe(0);
    await expectNothingLeft(server!);
    expect(await storedRow(run)).toMatchObject({ status: 'queued', errorCode: 'shutdown' });
  });

  it('leaves its run to the next service when it is killed, as the second attempt', async () => {
    const { service, run } = await inTheMiddle();
    const server = await installation.databaseServer();
    expect(await service.command.end('SIGKILL')).toBe('SIGKILL');
    expect(await isAlive(server!)).toBe(true);
    await expectRunToFinish(run, { attempt: 2, interruptions: 1, error_code: null });
    await expectNothingLeft(server!);
  });
});

describe('a service that is still starting', () => {
  it('leaves no database server behind on SIGINT', async () => {
    const command = installation.run(['serve'], { PORT: '0' });
    await until('the embedded database', () => command.stdout().includes('embedded database ready'));
    const server = await installation.databaseServer();
    expect(await command.end('SIGINT')).toBe(0);
    await expectNothingLeft(server!);
  });
});
