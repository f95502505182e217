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
 * What a run does: sync to the branch's head, say what a sync would do, compare index and tree (and put right), or remove
 * everything.
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
  status: ExecutionStatus;
  attempt: number;
  /** 0 until the run starts. */
  fence: number;
  podName: string | null;
  requestedBy: string | null;
  /** Ignore the stored pointer and manifest: fetch, chunk and store everything again. */
  fullSync: boolean;
  /** What the caller allowed it to embed; null: no limit of its own. */
  maxEmbeddingTokens: number | null;
  /** The ended execution that this one does again. */
  retryOfExecutionId: string | null;
  queuedAt: Date;
  /** A queued run waits until here before it is dispatched (back-off); null: at once. */
  availableAt: Date | null;
  /** How often its pod was lost in the middle; one such end is forgiven. */
  interruptions: number;
  startedAt: Date | null;
  heartbeatAt: Date | null;
  completedAt: Date | null;
  durationSeconds: number | null;
  fromCommit: string | null;
  toCommit: string | null;
  /**
   * The ways on which the last attempt read the code host, with their requests, e.g. `head 1, tree 101, archive 1`.
   * Null when it did not end, or reads no code host.
   */
  fetchStrategy: string | null;
  /** What a dry run, a verify or a repair found. */
  report: RunReport | null;
  /** Ticks that were due too and were folded into this run. */
  coalescedCount: number;
  cancelRequestedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** A running attempt's identity: every fenced write names it. */
export interface RunIdentity {
  executionId: string;
  repositoryId: string;
  fence: number;
}

/** How a run ended; the execution row stores exactly this. */
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
