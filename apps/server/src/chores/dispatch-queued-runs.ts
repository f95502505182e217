import { Injectable } from '@nestjs/common';
import { Dispatcher, type Execution, ExecutionStore, type Logger, errorFields } from '@core/domain';
import { type Chore } from './chore.js';

const QUEUED_PER_ROUND = 500;

/** The reconciler: dispatches queued executions again, in case the queue lost them. */
@Injectable()
export class DispatchQueuedRuns implements Chore {
  readonly name = 'reconciler';

  constructor(
    private readonly executions: ExecutionStore,
    private readonly dispatcher: Dispatcher,
  ) {}

  async run(): Promise<void> {
    for (const execution of await this.executions.listQueued(QUEUED_PER_ROUND)) {
      // Removes the delay: the execution is due by the database's clock, but this pod's clock may differ by minutes.
      await this.dispatcher.dispatch({ ...execution, availableAt: null });
    }
  }
}

/** Dispatches a queued execution. While the queue is down the execution waits in Postgres, and a later round dispatches it. */
export async function tryDispatch(
  dispatcher: Dispatcher,
  execution: Execution,
  logger: Logger,
): Promise<boolean> {
  try {
    await dispatcher.dispatch(execution);
    return true;
  } catch (thrown) {
    const fields = { execution_id: execution.id, ...errorFields(thrown) };
    logger.warn(fields, 'queue unavailable; the execution waits in Postgres');
    return false;
  }
}
