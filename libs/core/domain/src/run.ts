import { type Execution, type RunHandlerName, type RunIdentity, type RunOutcome } from './execution.js';
import { type Repository } from './repository.js';
import { type RunCounters } from './run-counters.js';

/** A run that owns the lease and the execution row. */
export interface ActiveRun {
  identity: RunIdentity;
  execution: Execution;
  repository: Repository;
  /** Fires on cancel, lost lease, shutdown or timeout, with a RepotideError as its reason. */
  signal: AbortSignal;
  /** Updated by the handler; the heartbeat stores them during the run. */
  counters: RunCounters;
}

/** One kind of run. Add one in `libs/core/indexing/src/jobs` and in its index. */
export interface RunHandler {
  name: RunHandlerName;
  /** Works on deleted repositories. The runs of all other handlers end as cancelled there. */
  acceptsDeleted: boolean;
  /** Needs no lease and may run at the same time as another run of the repository. */
  isReadOnly?: boolean;
  /** Throws RepotideError when the run as a whole failed. */
  run(active: ActiveRun): Promise<RunOutcome>;
}

export type RunHandlers = Readonly<Record<RunHandlerName, RunHandler>>;

/** Is notified of the runs of this process. Must not throw. */
export interface RunObserver {
  begin(execution: Execution, repository: Repository): void;
  /**
   * @param execution the recorded row; null when another attempt owns the run, or Postgres was down.
   * @param hasLostLease the lease was lost, or another attempt has taken over the row.
   */
  end(executionId: string, execution: Execution | null, hasLostLease: boolean): void;
}
