import { type Dispatchable, type ExecutionTrigger } from '@core/domain';
import { type JobsOptions } from 'bullmq';

export const QUEUE_NAME = 'executions';

/** Any pod can run any job from its id. */
export interface JobData {
  execution_id: string;
}

/** A person waits for a manual run; a push is news; a schedule comes again. BullMQ takes the lowest number first. */
const PRIORITY: Record<ExecutionTrigger, number> = { manual: 1, webhook: 2, recovery: 3, cron: 3 };

/**
 * The id keeps an attempt from waiting twice. It is forgotten when its handler has ended: what ended without starting
 * (the lease was held, the pod was stopping) is still queued in Postgres and must be accepted again. That a run which
 * did start is not repeated is Postgres's compare-and-set, not the queue's memory.
 */
export function jobOptions({ id, attempt, trigger, availableAt }: Dispatchable): JobsOptions {
  return {
    jobId: `x-${id}-${attempt}`, // No ':', which separates BullMQ's keys, and never digits alone.
    priority: PRIORITY[trigger],
    delay: availableAt ? Math.max(0, availableAt.getTime() - Date.now()) : 0,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}
