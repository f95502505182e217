import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  type Execution,
  type ProgressStore,
  type ProgressTask,
  type ProgressUpdate,
  type Repository,
} from '@core/domain';
import { MemoryProgressStore } from '@adapters/memory';
import { ProgressTracker } from '@core/executions';

const repository = { collectionName: 'code', projectPath: 'team/app', branch: 'main' } as Repository;
const execution = {
  id: 'run',
  requestedBy: 'ci',
  status: 'running',
  attempt: 1,
  filesFailed: 0,
} as Execution;
const again = { ...execution, attempt: 2 };

function update(changes: Partial<ProgressUpdate>): ProgressUpdate {
  const base = {
    stage: 'embedding',
    totalFiles: 100,
    processedFiles: 0,
    currentFile: null,
    failedFiles: 0,
  } as const;
  const shareDone = (changes.processedFiles ?? 0) / base.totalFiles;
  return { ...base, shareDone, message: 'Working', ...changes };
}

/** A store that records every state, with a manual clock. */
function setUp() {
  let now = 1_000_000;
  const clock = { now: () => new Date(now), monotonicMs: () => now };
  const store = new MemoryProgressStore(clock);
  const saved: ProgressTask[] = [];
  const recording: ProgressStore = Object.assign(Object.create(store) as ProgressStore, {
    save: (task: ProgressTask) => (saved.push(task), store.save(task)),
  });
  const tracker = new ProgressTracker(recording, clock);
  const begin = async (begun = execution) => {
    tracker.begin(begun, repository);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { tracker, saved, begin, pass: (ms: number) => (now += ms) };
}

describe('ProgressTracker', () => {
  it('shows the stages within their ranges, and progress never decreases', async () => {
    const { tracker, saved, begin, pass } = setUp();
    await begin();
    const reports = [
      update({ stage: 'downloading', totalFiles: 0 }),
      update({ processedFiles: 10 }),
      update({ processedFiles: 50 }),
      update({ processedFiles: 20 }),
      update({ processedFiles: 100 }),
      update({ stage: 'storing', processedFiles: 100 }),
    ];
    for (const report of reports) {
      pass(1_001);
      tracker.report('run', report);
    }
    expect(saved.map((task) => [task.status, task.progress])).toEqual([
      ['initializing', 0],
      ['downloading', 0],
      ['annotating', 23],
      ['chunking', 53],
      ['chunking', 53],
      ['embedding', 90],
      ['storing', 100],
    ]);
    expect(saved.every((task) => task.totalSteps === 7)).toBe(true);
  });

  it('writes at most once a second within a stage, and the end at once', async () => {
    const { tracker, saved, begin, pass } = setUp();
    await begin();
    pass(2_000);
    tracker.report('run', update({ processedFiles: 1 }));
    const writes = saved.length;
    for (let file = 2; file < 10; file++) tracker.report('run', update({ processedFiles: file }));
    expect(saved).toHaveLength(writes);
    tracker.end('run', { ...execution, status: 'completed' });
    expect(saved).toHaveLength(writes + 1);
    expect(saved.at(-1)).toMatchObject({
      status: 'completed',
      progress: 100,
      processedFiles: 9,
      error: null,
    });
  });

  it('shows a failure with its reason, and a cancelled run as cancelled', async () => {
    const { tracker, saved, begin } = setUp();
    await begin();
    const failed = { ...execution, status: 'failed', errorCode: 'source_unavailable', errorMessage: 'down' };
    tracker.end('run', failed as Execution);
    expect(saved.at(-1)).toMatchObject({
      status: 'error',
      error: 'source_unavailable: down',
      cancelled: false,
    });
    await begin();
    tracker.end('run', {
      ...execution,
      status: 'cancelled',
      errorCode: 'cancel_requested',
      errorMessage: null,
    });
    expect(saved.at(-1)).toMatchObject({ status: 'error', cancelled: true });
  });

  it('continues from the progress of the previous attempt', async () => {
    const { tracker, saved, begin, pass } = setUp();
    await begin();
    pass(1_001);
    tracker.report('run', update({ processedFiles: 60 }));
    const shown = saved.at(-1)!.progress;
    tracker.end('run', { ...execution, status: 'queued' });
    await begin(again);
    expect(saved.at(-1)!.progress).toBe(shown);
    expect(saved.at(-1)!.status).toBe('chunking');
    pass(1_001);
    tracker.report('run', update({ stage: 'downloading', totalFiles: 0 }));
    expect(saved.at(-1)).toMatchObject({ status: 'chunking', progress: shown, message: 'Working' });
  });

  it('counts files and stages of a taken-over run on top of what its earlier attempt stored', async () => {
    const { tracker, saved, begin, pass } = setUp();
    const storing = (done: number, total: number) =>
      [{ stage: 'storing', state: 'active', done, total, unit: 'chunks' }] as const;
    await begin();
    pass(1_001);
    tracker.report('run', update({ processedFiles: 60, stages: storing(240, 400) }));
    tracker.end('run', { ...execution, status: 'queued' });
    await begin(again);
    expect(saved.at(-1)).toMatchObject({ processedFiles: 60, totalFiles: 100 });
    pass(1_001);
    tracker.report('run', update({ totalFiles: 40, processedFiles: 10, stages: storing(20, 160) }));
    expect(saved.at(-1)).toMatchObject({
      ...{ processedFiles: 70, totalFiles: 100 },
      stages: [{ stage: 'storing', done: 260, total: 400 }],
    });
  });

  it('lets no count fall while a further attempt reads again what was read but not stored', async () => {
    const { tracker, saved, begin, pass } = setUp();
    const reading = (done: number, total: number) =>
      [{ stage: 'downloading', state: 'active', done, total, unit: 'files' }] as const;
    const shown = () => [saved.at(-1)!.stages[0]?.done, saved.at(-1)!.stages[0]?.total];
    await begin();
    pass(1_001);
    tracker.report('run', update({ processedFiles: 10, stages: reading(48, 100) }));
    tracker.end('run', { ...execution, status: 'queued' });
    await begin(again);
    const counts = [
      [20, 48, 100],
      [38, 48, 100],
      [60, 70, 100],
    ];
    for (const [read = 0, ...expected] of counts) {
      pass(1_001);
      tracker.report('run', update({ totalFiles: 90, processedFiles: 0, stages: reading(read, 90) }));
      expect(shown()).toEqual(expected);
    }
  });

  it('saves nothing of a further attempt before it knows the progress of the earlier one', async () => {
    const { tracker, saved, begin, pass } = setUp();
    await begin();
    pass(1_001);
    tracker.report('run', update({ processedFiles: 60 }));
    tracker.end('run', { ...execution, status: 'queued' });
    saved.length = 0;
    const begun = begin(again);
    pass(5_000);
    tracker.report('run', update({ totalFiles: 40, processedFiles: 1 }));
    expect(saved).toEqual([]);
    await begun;
    expect(saved[0]).toMatchObject({ processedFiles: 60, totalFiles: 100 });
  });

  it('saves a scheduled run only when it lasts longer than a second', async () => {
    const { tracker, saved, begin } = setUp();
    const scheduled = { ...execution, requestedBy: null };
    await begin(scheduled);
    tracker.report('run', update({ stage: 'downloading' }));
    tracker.end('run', { ...scheduled, status: 'completed' });
    expect(saved).toEqual([]);
    await begin(scheduled);
    tracker.report('run', update({ processedFiles: 50 }));
    while (saved.length === 0) await sleep(10);
    tracker.end('run', { ...scheduled, status: 'completed' });
    expect(saved.map(({ status }) => status)).toEqual(['chunking', 'completed']);
  });

  it('saves the end of a further attempt that ends before it knows the earlier progress', async () => {
    const { tracker, saved } = setUp();
    const scheduled = { ...again, requestedBy: null };
    tracker.begin(scheduled, repository);
    tracker.end('run', { ...scheduled, status: 'completed' });
    expect(saved.map(({ status }) => status)).toEqual(['completed']);
  });

  it('writes at most once a second also when stages change faster', async () => {
    const { tracker, saved, begin } = setUp();
    await begin();
    tracker.report('run', update({ stage: 'downloading' }));
    for (const shareDone of [0.1, 0.4, 0.9]) tracker.report('run', update({ shareDone }));
    expect(saved.map(({ status }) => status)).toEqual(['initializing']);
    while (saved.length < 2) await sleep(10);
    expect(saved.map(({ status, progress }) => [status, progress])).toEqual([
      ['initializing', 0],
      ['embedding', 83],
    ]);
  });

  it('limits a share that is out of bounds to the range of its stage', async () => {
    const { tracker, saved, begin, pass } = setUp();
    await begin();
    const reports = [update({ shareDone: -1 }), update({ shareDone: 7 }), update({ stage: 'storing' })];
    for (const report of [...reports, update({ stage: 'storing', shareDone: 2 }), update({})]) {
      pass(1_001);
      tracker.report('run', report);
    }
    expect(saved.slice(1).map((task) => [task.status, task.progress])).toEqual([
      ['annotating', 15],
      ['embedding', 90],
      ['storing', 90],
      ['storing', 100],
      ['storing', 100],
    ]);
  });
});
