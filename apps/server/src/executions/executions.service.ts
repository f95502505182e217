import { Injectable } from '@nestjs/common';
import {
  RepotideError,
  type Execution,
  type ExecutionFilter,
  type ExecutionSort,
  ExecutionStore,
  Hints,
  type Page,
  type SortedPageRequest,
} from '@core/domain';

/** Reads and cancels executions. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly executions: ExecutionStore,
    private readonly hints: Hints,
  ) {}

  /** Newest first by default. */
  list(filter: ExecutionFilter, page: SortedPageRequest<ExecutionSort>): Promise<Page<Execution>> {
    return this.executions.list(filter, page);
  }

  /** @throws not_found `execution_not_found`. */
  async get(executionId: string): Promise<Execution> {
    return (await this.executions.find(executionId)) ?? refuseUnknown(executionId);
  }

  /**
   * Cancels a queued execution at once. Requests the stop of a running one, on any pod. Safe to repeat.
   * @throws not_found `execution_not_found`; conflict `execution_finished` when it has ended in another status.
   */
  async cancel(executionId: string): Promise<Execution> {
    const asked = (await this.executions.requestCancel(executionId)) ?? refuseUnknown(executionId);
    this.hints.publish({ kind: 'cancel_requested', executionId });
    if (asked.status === 'running' || asked.status === 'cancelled') return asked;
    return refuseFinished(asked);
  }
}

function refuseUnknown(executionId: string): never {
  throw new RepotideError('not_found', 'execution_not_found', `There is no execution ${executionId}.`);
}

function refuseFinished({ id, status, completedAt }: Execution): never {
  throw new RepotideError(
    'conflict',
    'execution_finished',
    `Execution ${id} is ${status}; only one that is queued or running can be cancelled.`,
    { details: { execution_id: id, execution_status: status, completed_at: completedAt } },
  );
}
