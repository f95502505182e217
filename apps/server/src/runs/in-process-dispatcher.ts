import { type Dispatcher, type Execution } from '@core/domain';

type Run = (executionId: string) => Promise<unknown>;

/** The queue of a process that is alone: at most `concurrency` runs at a time, first come, first served. */
export class InProcessDispatcher implements Dispatcher {
  private readonly waiting = new Set<string>();
  private readonly running = new Map<string, Promise<unknown>>();
  private isStopped = false;

  /** @param run must not reject. */
  constructor(
    private readonly concurrency: number,
    private readonly run: Run,
  ) {}

  async dispatch(execution: Pick<Execution, 'id'>): Promise<void> {
    if (this.isStopped || this.running.has(execution.id)) return;
    this.waiting.add(execution.id);
    this.startNext();
  }

  async depth(): Promise<number> {
    return this.waiting.size;
  }

  /** Starts nothing more; resolves when what runs has ended. What waits stays queued in Postgres. */
  async drain(): Promise<void> {
    this.isStopped = true;
    this.waiting.clear();
    await Promise.all(this.running.values());
  }

  private startNext(): void {
    for (const executionId of this.waiting) {
      if (this.running.size >= this.concurrency) return;
      this.waiting.delete(executionId);
      const ended = this.run(executionId).finally(() => {
        this.running.delete(executionId);
        if (!this.isStopped) this.startNext();
      });
      this.running.set(executionId, ended);
    }
  }
}
