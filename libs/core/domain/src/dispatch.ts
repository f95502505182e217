import { type Execution } from './execution.js';

/**
 * Transport of queued executions to a worker. Postgres stays the truth: losing a message delays a run until the
 * reconciler finds the queued row, delivering it twice is harmless (starting is a compare-and-set).
 */
export interface Dispatcher {
  dispatch(execution: Pick<Execution, 'id' | 'trigger' | 'attempt'>): Promise<void>;
  /** Waiting messages. */
  depth(): Promise<number>;
}

/** A hint that schedules changed: whoever arms timers looks again at once. Losing it costs one poll interval. */
export interface ScheduleWaker {
  wake(): void;
}
