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

/** An execution as it stands, with a fence for its next attempt. */
export interface DrawnRun {
  execution: Execution;
  /** Greater than every one drawn before. An unused one is harmless. */
  fence: number;
  isRepositoryDeleted: boolean;
}

/** A started attempt. */
export interface StartedRun extends RunIdentity {
  execution: Execution;
}

/** An interrupted run after its recovery, and the attempt that was lost. */
export interface RecoveredRun {
  execution: Execution;
  lost: { podName: string; fence: number };
}

/** By which a repeated request is known again. */
export interface RequestKey {
  /** Keys of two callers are two keys. */
  caller: string;
  key: string;
  /** Of all that the request asks for: the same key with another hash is a mistake. */
  requestHash: string;
}

export abstract class ExecutionStore {
  /**
   * Queues a run that no schedule asked for. A manual sync takes the place of one that a push asked for and that still
   * waits for further pushes.
   * @throws invalid `idempotency_key_reused` when a request key came with another request before.
   * @throws conflict `run_in_progress` naming the execution, pod and start when the repository is busy.
   */
  abstract enqueue(request: {
    repositoryId: string;
    trigger: Exclude<ExecutionTrigger, 'cron'>;
    requestedBy: string | null;
    fullSync: boolean;
    /** Default `repository_sync`; `purge` is the only one for a deleted repository. */
    handler?: RunHandlerName;
    maxEmbeddingTokens?: number | null;
    retryOfExecutionId?: string;
    /** Repeated within 24 hours, it answers the execution that it made. */
    requestKey?: RequestKey;
  }): Promise<Execution>;
  abstract find(executionId: string): Promise<Execution | null>;
  /** Newest first. */
  abstract list(filter: ExecutionFilter, page: SortedPageRequest<ExecutionSort>): Promise<Page<Execution>>;
  /** Queued and available now, those of people first, then the oldest. */
  abstract listQueued(limit: number): Promise<Execution[]>;
  /** Null when there is no such execution. */
  abstract draw(executionId: string): Promise<DrawnRun | null>;
  /**
   * queued -> running by compare-and-set under the fence of a {@link draw}. Null when it is not queued any more, or
   * another run of the repository is running.
   */
  abstract start(executionId: string, podName: string, fence: number): Promise<StartedRun | null>;
  /**
   * Shows that the run lives and stores its counters so far.
   * @throws fence_lost `fence_lost` when the attempt is not the current one.
   */
  abstract heartbeat(run: RunIdentity, counters: RunCounters): Promise<{ isCancelRequested: boolean }>;
  /** running -> terminal. @throws fence_lost */
  abstract finish(run: RunIdentity, outcome: RunOutcome): Promise<Execution>;
  /**
   * running -> queued as the next attempt, with its counters kept and `reason` shown in the row until it starts again.
   * A clean stop hands the work over at once; a temporary failure waits until `availableAt`.
   * @throws fence_lost
   */
  abstract requeue(
    run: RunIdentity,
    counters: RunCounters,
    reason: { errorCode: string; errorMessage: string; availableAt: Date | null },
  ): Promise<Execution>;
  /** Ends a queued execution that will not run. False when it was not queued any more. */
  abstract abandonQueued(
    executionId: string,
    status: 'cancelled' | 'failed' | 'skipped',
    errorCode: string,
    errorMessage: string,
  ): Promise<boolean>;
  /**
   * Ends a queued execution as cancelled, marks a running one. Null when it does not exist; otherwise the row after the
   * request (a terminal row is returned unchanged).
   */
  abstract requestCancel(executionId: string): Promise<Execution | null>;
  /**
   * Running rows whose attempt is lost: heartbeat older than `staleAfterSeconds`, or held by one of `podNames` (pods
   * that are gone, or this pod's own rows at its start). Each becomes the next attempt with one more interruption, or
   * failed with `run_interrupted` beyond `maxInterruptions`. Any number of pods may call it at once.
   */
  abstract recoverInterrupted(options: {
    lost: { staleAfterSeconds: number } | { podNames: readonly string[] };
    maxInterruptions: number;
  }): Promise<RecoveredRun[]>;
}
