import { Inject, Injectable } from '@nestjs/common';
import { type Dispatcher, type ExecutionStore } from '@core/domain';
import { DISPATCHER, EXECUTION_STORE } from '../injection-tokens.js';
import { type Chore } from './chore.js';

const QUEUED_PER_ROUND = 500;

/** The reconciler: dispatches queued executions again, in case the queue lost them. */
@Injectable()
export class DispatchQueuedRuns implements Chore {
  readonly name = 'reconciler';

  constructor(
    @Inject(EXECUTION_STORE) private readonly executions: ExecutionStore,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
  ) {}

  async run(): Promise<void> {
    for (const execution of await this.executions.listQueued(QUEUED_PER_ROUND)) {
      // All of them are due by the database's clock; this pod's clock may differ by minutes.
      await this.dispatcher.dispatch({ ...execution, availableAt: null });
    }
  }
}
