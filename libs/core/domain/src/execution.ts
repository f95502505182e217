import { type RunCounters } from './run-counters.js';
import { type RunReport } from './run-report.js';

export const EXECUTION_STATUSES = [
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'missed',
  'skipped',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const EXECUTION_TRIGGERS = ['cron', 'manual', 'webhook', 'recovery'] as const;
export type ExecutionTrigger = (typeof EXECUTION_TRIGGERS)[number];

export const RUN_HANDLERS = ['repository_sync', 'dry_run', 'verify', 'repair', 'purge'] as const;
/**
 * The work of a run: sync with the branch's head, report what a sync would do, compare the index with the tree, compare
 * and repair it, or remove all points.
 */
export type RunHandlerName = (typeof RUN_HANDLERS)[number];

/** A `schedule_execution_logs` row. */
export interface Execution extends RunCounters {
  id: string;
  scheduleSessionId: string | null;
  repositoryId: string;
  trigger: ExecutionTrigger;
  handler: RunHandlerName;
  scheduledFor: Date | null;
  /** The last tick of a row that stands for a backlog of ticks. */
  scheduledUntil: Date | null;
  status: ExecutionStatus;
  attempt: number;
  /** 0 until the run starts. */
  fence: number;
  podName: string | null;
  requestedBy: string | null;
  /** Ignores the stored pointer and manifest: fetches, chunks and stores everything again. */
  fullSync: boolean;
  /** The caller's limit of embedded tokens; null: none. */
  maxEmbeddingTokens: number | null;
  /** The ended execution that this one retries. */
  retryOfExecutionId: string | null;
  queuedAt: Date;
  /** A queued execution does not start before this time (back-off); null: at once. */
  availableAt: Date | null;
  /** Number of attempts that ended because their pod was lost. */
  interruptions: number;
  /** Number of attempts that ended by a failure that is tried again. */
  failures: number;
  startedAt: Date | null;
  heartbeatAt: Date | null;
  completedAt: Date | null;
  durationSeconds: number | null;
  fromCommit: string | null;
  toCommit: string | null;
  /**
   * The strategies by which the last attempt read the code host, with their requests, e.g. `head 1, tree 101, archive 1`.
   * Null when the attempt did not end or did not read a code host.
   */
  fetchStrategy: string | null;
  /** Result of a dry run, a verify or a repair. */
  report: RunReport | null;
  /** Number of further due ticks that this row stands for. */
  coalescedCount: number;
  /** The execution whose run satisfies this tick. */
  satisfiedBy: string | null;
  cancelRequestedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** Identifies a running attempt; every fenced write contains it. */
export interface RunIdentity {
  executionId: string;
  repositoryId: string;
  fence: number;
}

/** The end of a run, as stored in the execution row. */
export interface RunOutcome {
  status: 'completed' | 'partial' | 'failed' | 'cancelled';
  counters: RunCounters;
  fromCommit: string | null;
  toCommit: string | null;
  /** See {@link Execution}; absent: none. */
  fetchStrategy?: string;
  report?: RunReport;
  errorCode: string | null;
  errorMessage: string | null;
}
