import {
  type Dispatchable,
  type DispatchConsumer,
  type Dispatcher,
  type ExecutionTrigger,
} from '@core/domain';

type Run = (executionId: string) => Promise<void>;

const PRIORITY: Record<ExecutionTrigger, number> = { manual: 0, webhook: 1, recovery: 2, cron: 2 };

/** The queue of a single process. Delayed executions wait for the reconciler, which dispatches them when due. */
export class InProcessDispatcher implements Dispatcher, DispatchConsumer {
  private readonly waiting = new Map<string, ExecutionTrigger>();
  private readonly running = new Map<string, Promise<void>>();
  private run: Run | null = null;

  constructor(private readonly concurrency: number) {}

  async dispatch({ id, trigger, availableAt }: Dispatchable): Promise<void> {
    if (this.running.has(id) || (availableAt && availableAt.getTime() > Date.now())) return;
    this.waiting.set(id, trigger);
    this.startNext();
  }

  async depth(): Promise<number> {
    return this.waiting.size;
  }

  async start(run: Run): Promise<void> {
    this.run = run;
    this.startNext();
  }

  async drain(): Promise<void> {
    this.run = null;
    this.waiting.clear();
    await Promise.all(this.running.values());
  }

  private startNext(): void {
    const { run } = this;
    if (!run) return;
    const byPriority = [...this.waiting].sort(([, left], [, right]) => PRIORITY[left] - PRIORITY[right]);
    for (const [executionId] of byPriority) {
      if (this.running.size >= this.concurrency) return;
      this.waiting.delete(executionId);
      const ended = run(executionId).finally(() => {
        this.running.delete(executionId);
        this.startNext();
      });
      this.running.set(executionId, ended);
    }
  }
}
