import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Clock,
  type Execution,
  type ProgressStore,
  type ProgressReporter,
  type ProgressTask,
  type ProgressUpdate,
  type Repository,
  type RunObserver,
} from '@core/domain';
import {
  type EarlierWork,
  advanceTask,
  beginTask,
  endTask,
  NO_EARLIER_WORK,
  resumeTask,
  workOfTask,
} from './task-state.js';
import { paceOf, type Work } from './pace.js';

/** Runs report hundreds of times per second, so most reports are not saved. */
const SAVE_INTERVAL_MS = 1000;
/** Saving the last state is retried for ten minutes: stores keep tasks no longer. */
const END_RETRY_MS = 5_000;
const END_TRIES = 120;

interface TrackedRun {
  task: ProgressTask;
  savedAtMs: number;
  earlier: EarlierWork;
  /** Whether the progress of earlier attempts was looked up; nothing is saved before. */
  isResumed: boolean;
  isSaved: boolean;
  /** Where the work of this attempt began; null before its plan. */
  begun: Work | null;
  timer: NodeJS.Timeout | null;
}

/**
 * Saves the progress of this process's runs to the store, at most once a second per run. The first and the last state are
 * saved at once; the last one is retried through an outage of the store. Nothing is saved of a run that nobody requested and
 * that ends within a second: most ticks find nothing new, and the row says how they ended.
 */
export class ProgressTracker implements ProgressReporter, RunObserver {
  private readonly runs = new Map<string, TrackedRun>();

  constructor(
    private readonly store: ProgressStore,
    private readonly clock: Clock,
  ) {}

  begin(execution: Execution, repository: Repository): void {
    const task = beginTask(execution, repository, this.clock.now());
    const run: TrackedRun = {
      task,
      savedAtMs: this.clock.monotonicMs(),
      earlier: NO_EARLIER_WORK,
      isResumed: execution.attempt === 1,
      isSaved: false,
      begun: null,
      timer: null,
    };
    this.runs.set(execution.id, run);
    if (!run.isResumed) void this.resume(run);
    else if (execution.requestedBy === null) this.saveSoon(run);
    else this.save(run);
  }

  /** A new attempt continues at the progress of the previous one, because progress never decreases. */
  private async resume(run: TrackedRun): Promise<void> {
    const shown = await this.store.find(run.task.taskId);
    run.isResumed = true;
    if (shown) {
      run.task = resumeTask(run.task, shown);
      run.earlier = workOfTask(run.task);
    }
    if (this.runs.get(run.task.taskId) === run) this.save(run);
  }

  report(executionId: string, update: ProgressUpdate): void {
    const run = this.runs.get(executionId);
    if (!run) return;
    run.task = {
      ...advanceTask(run.task, update, this.clock.now(), run.earlier),
      ...this.paceOf(run, update),
    };
    this.saveSoon(run);
  }

  /** @param execution the recorded row; null when another attempt owns the run, and saves its progress. */
  end(executionId: string, execution: Execution | null): void {
    const run = this.runs.get(executionId);
    this.runs.delete(executionId);
    if (!run) return;
    if (run.timer) clearTimeout(run.timer);
    if (!execution || execution.status === 'queued') return;
    // Before a further attempt knows the earlier one's progress, that one is still shown.
    if (run.isResumed && !run.isSaved && execution.requestedBy === null) return;
    void this.saveEnd(endTask(run.task, execution, this.clock.now()));
  }

  private async saveEnd(task: ProgressTask): Promise<void> {
    for (let tries = 1; !(await this.store.save(task)) && tries < END_TRIES; tries++) {
      await sleep(END_RETRY_MS, undefined, { ref: false });
      if (this.runs.has(task.taskId)) return;
    }
  }

  private paceOf(run: TrackedRun, { totalFiles, processedFiles, shareDone }: ProgressUpdate) {
    if (totalFiles === 0) return { filesPerSecond: null, etaSeconds: null };
    const work = { files: processedFiles, share: shareDone, atMs: this.clock.monotonicMs() };
    run.begun ??= work;
    return paceOf(run.begun, work);
  }

  private saveSoon(run: TrackedRun): void {
    if (run.timer || !run.isResumed) return;
    const waitMs = run.savedAtMs + SAVE_INTERVAL_MS - this.clock.monotonicMs();
    if (waitMs <= 0) this.save(run);
    else run.timer = setTimeout(() => this.save(run), waitMs).unref();
  }

  private save(run: TrackedRun): void {
    if (run.timer) clearTimeout(run.timer);
    run.timer = null;
    run.isSaved = true;
    run.savedAtMs = this.clock.monotonicMs();
    void this.store.save(run.task);
  }
}
