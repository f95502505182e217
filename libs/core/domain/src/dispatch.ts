import { type Execution } from './execution.js';

export type Dispatchable = Pick<Execution, 'id' | 'trigger' | 'attempt' | 'availableAt'>;

/**
 * Transport of queued executions to a worker. Postgres stays the truth: losing a message delays a run until the
 * reconciler finds the queued row, delivering it twice is harmless (starting is a compare-and-set).
 */
export abstract class Dispatcher {
  /**
   * Hands an execution to any worker, not before `availableAt`; manual runs before webhooks before cron. Repeating it
   * for the same attempt is harmless. @throws temporary `queue_unavailable`.
   */
  abstract dispatch(execution: Dispatchable): Promise<void>;
  /** Waiting messages, delayed ones included. @throws temporary `queue_unavailable`. */
  abstract depth(): Promise<number>;
}

/** Takes messages and works them off, `concurrency` at a time. */
export abstract class DispatchConsumer {
  /** @param run must not reject; its result is nothing to the queue, as the row says how the run ended. */
  abstract start(run: (executionId: string) => Promise<void>): Promise<void>;
  /** Fetches nothing more and resolves when what runs has ended. What waits stays queued in Postgres. */
  abstract drain(): Promise<void>;
}

/** A hint that schedules changed: whoever arms timers looks again at once. Losing it costs one poll interval. */
export abstract class ScheduleWaker {
  abstract wake(): void;
}
