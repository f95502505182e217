import {
  type Execution,
  type ExecutionStatus,
  type ExecutionTrigger,
  type RunHandlerName,
  type RunIdentity,
  type RunOutcome,
} from './execution.js';
import { type Page, type SortedPageRequest } from './page.js';
import { type RunCounters } from './run-counters.js';
import { type VisibleRepositories } from './scope.js';

export const EXECUTION_SORTS = ['queued_at', 'started_at'] as const;
export type ExecutionSort = (typeof EXECUTION_SORTS)[number];

export interface ExecutionFilter {
  /** Only executions of these. Absent or null: of all. */
  visible?: VisibleRepositories;
  repositoryId?: string;
  scheduleId?: string;
  status?: ExecutionStatus[];
  trigger?: ExecutionTrigger;
  podName?: string;
  /** On queued_at, inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

export interface StartedRun extends RunIdentity {
  execution: Execution;
}

/** What a worker can take now. */
export interface TakeRequest {
  podName: string;
  handlers: readonly RunHandlerName[];
  /**
   * Only this execution, also before its back-off ends. Default: the one that has waited longest, with a head start for
   * manual runs and pushes.
   */
  executionId?: string;
  /** Executions that this worker does not take now. */
  except?: readonly string[];
  /** Hosts (`base_url`) whose runs already occupy this worker; their executions wait, unless there is no other host. */
  fullHosts?: readonly string[];
  /** Only runs that a user started by hand. */
  onlyManual?: boolean;
  /**
   * The model for which this worker builds indexes. Syncs of a collection that is being built for another model are left
   * to the workers of that model, while one of them was seen in this time. Not for a named execution.
   */
  builds?: { modelId: string; silentAfterSeconds: number };
}

export type Taken =
  | {
      kind: 'started';
      run: StartedRun;
      baseUrl: string;
      isRepositoryDeleted: boolean;
      /** The runtime setting; null: what this process is configured for. */
      maxRunSeconds: number | null;
    }
  /** `acquire` refused: the execution is still queued. */
  | ({ kind: 'refused' } & RunIdentity);

/** An interrupted run after its recovery, and the attempt that was lost. */
export interface RecoveredRun {
  execution: Execution;
  lost: { podName: string; fence: number };
}

/** A running row without a recent heartbeat. */
export interface SilentRun extends RunIdentity {
  podName: string;
  /** A dry run has none. */
  hasLease: boolean;
  /** The database has been reachable for so long that a living run would have sent a heartbeat. */
  hadItsChance: boolean;
  /** Its process shows no life either, or has been restarted since: the pod was lost, not only the run. */
  isPodLost: boolean;
}

/** Identifies repetitions of a request. */
export interface RequestKey {
  /** The key is unique per caller. */
  caller: string;
  key: string;
  /** Hash of the whole request: the same key with another hash is an error of the client. */
  requestHash: string;
}

export abstract class ExecutionStore {
  /**
   * Queues a run without a schedule. A manual sync replaces a queued webhook run that still waits for further pushes.
   * @throws invalid `idempotency_key_reused` when the request key was used with another request.
   * @throws conflict `run_in_progress`, with the execution, pod and start, when the repository is busy.
   */
  abstract enqueue(request: {
    repositoryId: string;
    trigger: Exclude<ExecutionTrigger, 'cron'>;
    requestedBy: string | null;
    fullSync: boolean;
    /** Default `repository_sync`; a deleted repository accepts only `purge`. */
    handler?: RunHandlerName;
    maxEmbeddingTokens?: number | null;
    retryOfExecutionId?: string;
    /** A repetition within 24 hours returns the execution of the first request. */
    requestKey?: RequestKey;
  }): Promise<Execution>;
  abstract find(executionId: string): Promise<Execution | null>;
  /** Newest first. */
  abstract list(filter: ExecutionFilter, page: SortedPageRequest<ExecutionSort>): Promise<Page<Execution>>;
  /** Number of executions that wait for a worker, with those of a back-off. */
  abstract countQueued(): Promise<number>;
  /**
   * queued -> running, in the transaction that chooses the execution and sets its fence. Executions of a repository with a
   * running one are left out. Any number of pods may call it at once.
   * @param acquire takes the lease for the chosen run; false leaves the execution queued. When this method throws or
   *   returns no started run after that, the caller releases the lease.
   * @returns null when nothing can be taken.
   */
  abstract take(
    request: TakeRequest,
    acquire: (run: RunIdentity & Pick<Execution, 'handler'>) => Promise<boolean>,
  ): Promise<Taken | null>;
  /**
   * Proves that the run is alive and stores its current counters.
   * @throws fence_lost `fence_lost` when another attempt owns the run.
   */
  abstract heartbeat(run: RunIdentity, counters: RunCounters): Promise<{ isCancelRequested: boolean }>;
  /** running -> terminal. @throws fence_lost */
  abstract finish(run: RunIdentity, outcome: RunOutcome): Promise<Execution>;
  /**
   * running -> queued for the next attempt. Keeps the counters; the row shows `reason` until the attempt starts.
   * @param reason.delaySeconds until the next attempt may start (back-off); null: at once.
   * @param reason.isFailure counts against the attempts of the run.
   * @throws fence_lost
   */
  abstract requeue(
    run: RunIdentity,
    counters: RunCounters,
    reason: { errorCode: string; errorMessage: string; delaySeconds: number | null; isFailure: boolean },
  ): Promise<Execution>;
  /** Ends a queued execution that will not run. False when it is no longer queued. */
  abstract abandonQueued(
    executionId: string,
    status: 'cancelled' | 'failed' | 'skipped',
    errorCode: string,
    errorMessage: string,
  ): Promise<boolean>;
  /**
   * Cancels a queued execution; marks a running one for its next heartbeat. A terminal row stays unchanged.
   * @returns the row after the request; null when it does not exist.
   */
  abstract requestCancel(executionId: string): Promise<Execution | null>;
  /**
   * Ends a running attempt as cancelled (`lock_released`) without its pod: its fence is refused from now on.
   * @returns false when this attempt is not running.
   */
  abstract revoke(attempt: { executionId: string; fence: number }, reason: string): Promise<boolean>;
  /**
   * Running rows whose heartbeat is older than `staleAfterSeconds`. After an outage of the database that is true of living
   * runs too, until they have sent their next heartbeat.
   */
  abstract listSilent(staleAfterSeconds: number): Promise<SilentRun[]>;
  /**
   * Requeues running rows whose attempt is lost: the heartbeat is older than `staleAfterSeconds`, or one of `podNames`
   * held it (pods that ended, or this pod before its restart). Counts an interruption; a row with more than
   * `maxInterruptions` fails with `run_interrupted`; null counts nothing. Any number of pods may call it at once.
   */
  abstract recoverInterrupted(options: {
    lost: { staleAfterSeconds: number; executionIds?: readonly string[] } | { podNames: readonly string[] };
    maxInterruptions: number | null;
  }): Promise<RecoveredRun[]>;
}
