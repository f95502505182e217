import { type Execution } from './execution.js';

export type Dispatchable = Pick<Execution, 'id' | 'trigger' | 'attempt' | 'availableAt'>;

/**
 * Delivers queued executions to workers. Postgres is the source of truth: a lost message delays a run until the
 * reconciler dispatches it again, and a duplicate is harmless because starting is a compare-and-set.
 */
export abstract class Dispatcher {
  /**
   * Delivers an execution to one worker, not before `availableAt`. Manual runs come before webhooks, webhooks before
   * cron. Safe to repeat for the same attempt. @throws temporary `queue_unavailable`.
   */
  abstract dispatch(execution: Dispatchable): Promise<void>;
  /** Number of waiting messages, including delayed ones. @throws temporary `queue_unavailable`. */
  abstract depth(): Promise<number>;
}

/** Receives executions and runs them, `concurrency` at a time. */
export abstract class DispatchConsumer {
  /** @param run must not reject; the row records how the run ended. */
  abstract start(run: (executionId: string) => Promise<void>): Promise<void>;
  /** Stops fetching; resolves when the current runs have ended. Waiting executions stay queued in Postgres. */
  abstract drain(): Promise<void>;
}

/** Makes all schedulers claim now, after schedules changed. A lost call costs one poll interval. */
export abstract class ScheduleWaker {
  abstract wake(): void;
}
