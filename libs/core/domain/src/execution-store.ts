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

export const EXECUTION_SORTS = ['queued_at', 'started_at'] as const;
export type ExecutionSort = (typeof EXECUTION_SORTS)[number];

export interface ExecutionFilter {
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

/** The current state of an execution, and a fence for its next attempt. */
export interface PreparedAttempt {
  execution: Execution;
  /** Greater than every earlier fence. An unused fence is harmless. */
  fence: number;
  isRepositoryDeleted: boolean;
}

export interface StartedRun extends RunIdentity {
  execution: Execution;
}

/** An interrupted run after its recovery, and the attempt that was lost. */
export interface RecoveredRun {
  execution: Execution;
  lost: { podName: string; fence: number };
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
  /** Queued and available now: manual ones first, then the oldest. */
  abstract listQueued(limit: number): Promise<Execution[]>;
  /** Null when the execution does not exist. */
  abstract prepareAttempt(executionId: string): Promise<PreparedAttempt | null>;
  /**
   * queued -> running by compare-and-set, with the fence of {@link prepareAttempt}. Null when the execution is no longer queued or
   * the repository has another run.
   */
  abstract start(executionId: string, podName: string, fence: number): Promise<StartedRun | null>;
  /**
   * Proves that the run is alive and stores its current counters.
   * @throws fence_lost `fence_lost` when another attempt owns the run.
   */
  abstract heartbeat(run: RunIdentity, counters: RunCounters): Promise<{ isCancelRequested: boolean }>;
  /** running -> terminal. @throws fence_lost */
  abstract finish(run: RunIdentity, outcome: RunOutcome): Promise<Execution>;
  /**
   * running -> queued for the next attempt. Keeps the counters; the row shows `reason` until the attempt starts.
   * @param reason.availableAt when the next attempt may start (back-off); null: at once.
   * @throws fence_lost
   */
  abstract requeue(
    run: RunIdentity,
    counters: RunCounters,
    reason: { errorCode: string; errorMessage: string; availableAt: Date | null },
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
   * Requeues running rows whose attempt is lost: the heartbeat is older than `staleAfterSeconds`, or one of `podNames`
   * held it (pods that ended, or this pod before its restart). Counts an interruption; a row with more than
   * `maxInterruptions` fails with `run_interrupted`. Any number of pods may call it at once.
   */
  abstract recoverInterrupted(options: {
    lost: { staleAfterSeconds: number } | { podNames: readonly string[] };
    maxInterruptions: number;
  }): Promise<RecoveredRun[]>;
}
