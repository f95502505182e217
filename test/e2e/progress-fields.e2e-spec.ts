import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { followEvents, type EventClient } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import {
  executionThat,
  isOver,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';

const FILES = 8;
/** Fewer requests than one batch needs, whatever the number of texts in each. */
const HELD_AFTER = 6;

/** The stages and their ranges in section 7 of the design. */
const RANGES: Record<string, [from: number, to: number]> = {
  initializing: [0, 0],
  downloading: [0, 15],
  annotating: [15, 30],
  extracting: [30, 50],
  chunking: [50, 65],
  embedding: [65, 90],
  storing: [90, 100],
  completed: [100, 100],
  error: [0, 100],
};
const STEPS = ['initializing', 'downloading', 'annotating', 'extracting', 'chunking', 'embedding', 'storing'];
/** The actor of requests with the token of the environment. */
const USER = 'REPOTIDE_ADMIN_TOKEN';
const COLLECTION = 'repotide';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Progress {
  status: string;
  progress: number;
  current_step: string;
  current_step_number: number;
  message: string;
  error: string | null;
  current_file: string | null;
  total_files: number;
  processed_files: number;
  failed_files: number;
  created_at: string;
  updated_at: string;
  files_per_second: number | null;
  eta_seconds: number | null;
  stages: { stage: string; state: string; done: number; total: number | null; unit: string }[];
}

/** No stage has done more than the one before has handed on. */
function expectStages({ stages, status }: Progress): void {
  if (stages.length > 0) expect(stages.map(({ stage }) => stage)).toEqual(STEPS);
  for (const { done, total } of stages) expect(done).toBeLessThanOrEqual(total ?? Infinity);
  for (const unit of ['files', 'chunks']) {
    const counts = stages.filter((count) => count.unit === unit).map(({ done }) => done);
    expect(counts).toEqual(counts.toSorted((left, right) => right - left));
  }
  if (status === 'completed') expect(stages.every(({ state }) => state === 'done')).toBe(true);
}

/** Checks what is true for a task at any moment. */
function expectTask(task: Progress, taskId: string): void {
  const hasEnded = task.status === 'completed' || task.status === 'error';
  expect(task).toStrictEqual({
    task_id: taskId,
    user_id: USER,
    collection_name: COLLECTION,
    status: expect.any(String),
    progress: expect.any(Number),
    current_step: task.status,
    total_steps: 7,
    current_step_number: hasEnded ? 7 : STEPS.indexOf(task.status) + 1,
    message: expect.stringMatching(/\S/),
    error: task.status === 'error' ? expect.stringMatching(/^[a-z_]+: \S/) : null,
    repository_path: PROJECT,
    branch: 'main',
    total_files: expect.any(Number),
    processed_files: expect.any(Number),
    current_file: hasEnded || task.current_file === null ? null : expect.stringMatching(/^src\/file-\d\.ts$/),
    failed_files: expect.any(Number),
    created_at: expect.stringMatching(INSTANT),
    updated_at: expect.stringMatching(INSTANT),
    cancelled: expect.any(Boolean),
    stages: expect.any(Array),
    files_per_second: task.files_per_second === null ? null : expect.any(Number),
    eta_seconds: task.eta_seconds === null ? null : expect.any(Number),
  });
  expectStages(task);
  const [from, to] = RANGES[task.status]!;
  expect(task.progress).toBeGreaterThanOrEqual(from);
  expect(task.progress).toBeLessThanOrEqual(to);
  for (const count of [task.progress, task.total_files, task.processed_files, task.failed_files])
    expect(Number.isInteger(count) && count >= 0).toBe(true);
  expect(task.processed_files).toBeLessThanOrEqual(task.total_files);
  expect(task.created_at <= task.updated_at).toBe(true);
}

/** Checks each event, and that progress and files never decrease. */
function expectEvents({ events }: EventClient, taskId: string): void {
  const tasks = events.map(({ id: _id, name: _name, ...task }) => task as unknown as Progress);
  for (const task of tasks) expectTask(task, taskId);
  for (const field of ['progress', 'processed_files'] as const) {
    const values = tasks.map((task) => task[field]);
    expect(values).toEqual(values.toSorted((left, right) => left - right));
  }
}

describe.each([
  ['memory', { REDIS_URL: '' }],
  ['Redis', {}],
])('GET /api/v1/progress/:task_id in %s', (_mode, env: Record<string, string>) => {
  let world: PodWorld;
  let service: PodService;
  let repository: RepositoryRow;

  const progressOf = (taskId: string) => service.get<Progress>(`/api/v1/progress/${taskId}`);

  /** Starts a run that waits for the embedding server after `HELD_AFTER` requests. */
  async function heldRun(): Promise<{ run: string; client: EventClient; task: Progress }> {
    world.embedding.faults.add({ method: 'POST', after: HELD_AFTER, effect: { kind: 'stall' } });
    const run = await startSync(service, repository);
    const client = await followEvents(service, run);
    let task = await progressOf(run);
    await until('the first vectors to be seen', async () => {
      task = await progressOf(run);
      return / [1-9]\d* embedded/.test(task.message);
    });
    return { run, client, task };
  }

  beforeAll(async () => {
    world = await createPodWorld(FILES);
    service = await world.start('pod-a', env);
    repository = await register(service, PROJECT);
  });
  afterAll(() => world?.remove());

  beforeEach(async () => {
    world.embedding.faults.clear();
    world.embedding.settings.refusedTexts = null;
  });

  it('shows a run in its first batch, then cancelled', async () => {
    const { run, client, task } = await heldRun();
    expectTask(task, run);
    expect(task).toMatchObject({
      ...{ total_files: FILES, processed_files: 0, failed_files: 0, cancelled: false },
    });
    await service.post(`/api/v1/executions/${run}/cancel`);
    expect(await client.ended).toBe(true);
    expectEvents(client, run);
    const ended = await progressOf(run);
    expectTask(ended, run);
    expect(ended).toMatchObject({ status: 'error', cancelled: true, message: 'Cancelled' });
    expect(ended.error).toMatch(/^cancel_requested: /);
    expect(ended.progress).toBeGreaterThanOrEqual(task.progress);
    expect(ended.progress).toBeLessThan(100);
  });

  it('shows a failed file of a partial run, which cannot be cancelled any more', async () => {
    await world.write('other words');
    world.embedding.settings.refusedTexts = /other words of 3'/;
    const run = await startSync(service, repository);
    const client = await followEvents(service, run);
    expect(await executionThat(service, run, isOver)).toMatchObject({ status: 'partial' });
    expect(await client.ended).toBe(true);
    expectEvents(client, run);
    const ended = await progressOf(run);
    expectTask(ended, run);
    expect(ended).toMatchObject({
      ...{ status: 'completed', progress: 100, cancelled: false },
      ...{ total_files: FILES, processed_files: FILES, failed_files: 1 },
    });
    const cancel = await service.call('POST', `/api/v1/executions/${run}/cancel`);
    expect(cancel).toMatchObject({ status: 409, body: { code: 'execution_finished' } });
    expect(await progressOf(run)).toEqual(ended);
  });

  it('shows why a run failed', async () => {
    await world.write('more words');
    world.embedding.settings.refusedTexts = /./;
    const run = await startSync(service, repository);
    expect(await executionThat(service, run, isOver)).toMatchObject({ status: 'failed' });
    await until('the end to be shown', async () => (await progressOf(run)).status === 'error');
    const ended = await progressOf(run);
    expectTask(ended, run);
    expect(ended).toMatchObject({ cancelled: false, message: 'Failed' });
    expect(ended.error).toMatch(/^embedding_request_refused: /);
    expect(ended.progress).toBeLessThan(100);
  });
});
