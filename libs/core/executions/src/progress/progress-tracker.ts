import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Clock,
  type Execution,
  type ProgressBoard,
  type ProgressReporter,
  type ProgressTask,
  type ProgressUpdate,
  type Repository,
  type RunObserver,
} from '@core/domain';
import { advanceTask, beginTask, endTask, resumeTask } from './task-state.js';

/** People read no faster, and a run reports hundreds of times a second. */
const MIN_INTERVAL_MS = 1000;
/** An end that the board could not take is brought again for as long as boards remember: ten minutes. */
const END_RETRY_MS = 5_000;
const END_TRIES = 120;

interface Desk {
  task: ProgressTask;
  savedAtMs: number;
  timer: NodeJS.Timeout | null;
}

/**
 * Takes the reports of this process's runs and shows them on the board: at most one write a second for each run, the
 * newest state always in the end, the first and the last at once. No end is lost to a board in trouble.
 */
export class ProgressTracker implements ProgressReporter, RunObserver {
  private readonly desks = new Map<string, Desk>();

  constructor(
    private readonly board: ProgressBoard,
    private readonly clock: Clock,
  ) {}

  begin(execution: Execution, repository: Repository): void {
    const desk: Desk = {
      task: beginTask(execution, repository, this.clock.now()),
      // What is reported before the first state is on the board waits its second.
      savedAtMs: this.clock.monotonicMs(),
      timer: null,
    };
    this.desks.set(execution.id, desk);
    void this.showFirst(desk);
  }

  /** An attempt that takes over goes on from where the one before was shown: progress never falls. */
  private async showFirst(desk: Desk): Promise<void> {
    const shown = await this.board.find(desk.task.taskId);
    if (shown) desk.task = resumeTask(desk.task, shown);
    if (this.desks.get(desk.task.taskId) === desk) this.save(desk);
  }

  report(executionId: string, update: ProgressUpdate): void {
    const desk = this.desks.get(executionId);
    if (!desk) return;
    desk.task = advanceTask(desk.task, update, this.clock.now());
    this.saveSoon(desk);
  }

  /** @param execution the row as it was recorded; null when another attempt owns the run and shows it. */
  end(executionId: string, execution: Execution | null): void {
    const desk = this.desks.get(executionId);
    this.desks.delete(executionId);
    if (!desk) return;
    if (desk.timer) clearTimeout(desk.timer);
    if (!execution || execution.status === 'queued') return;
    void this.showEnd(endTask(desk.task, execution, this.clock.now()));
  }

  private async showEnd(task: ProgressTask): Promise<void> {
    for (let tries = 1; !(await this.board.save(task)) && tries < END_TRIES; tries++) {
      await sleep(END_RETRY_MS, undefined, { ref: false });
      if (this.desks.has(task.taskId)) return;
    }
  }

  private saveSoon(desk: Desk): void {
    if (desk.timer) return;
    const waitMs = desk.savedAtMs + MIN_INTERVAL_MS - this.clock.monotonicMs();
    if (waitMs <= 0) this.save(desk);
    else desk.timer = setTimeout(() => this.save(desk), waitMs).unref();
  }

  private save(desk: Desk): void {
    if (desk.timer) clearTimeout(desk.timer);
    desk.timer = null;
    desk.savedAtMs = this.clock.monotonicMs();
    void this.board.save(desk.task);
  }
}
