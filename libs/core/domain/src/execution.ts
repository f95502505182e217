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

/** What a run did, counted; every number is of this execution alone (over all its attempts). */
export interface RunCounters {
  /** Files looked at because they changed: added + modified + renamed + deleted. */
  filesProcessed: number;
  filesAdded: number;
  filesModified: number;
  filesRenamed: number;
  filesDeleted: number;
  /** Files not indexed by a rule (binary, too large, excluded ...), among those processed. */
  filesSkipped: number;
  filesFailed: number;
  chunksUpserted: number;
  chunksDeleted: number;
  /** Texts sent to the embedder. */
  embeddingsRequested: number;
  /** Tokens of those texts, estimated by `tokensOf` of chunking: what budgets are kept by. */
  embeddingTokens: number;
  /** Vectors taken from the cache or copied from points of the same content. */
  embeddingsReused: number;
  /** HTTP requests to the code host, retries included. */
  sourceRequests: number;
  /** Those among them that repeated a failed one. */
  sourceRetries: number;
  bytesFetched: number;
  /** Whole seconds in which requests waited for a host's budget or quiet: code host or embedding server. */
  rateLimitedSeconds: number;
}

export function zeroCounters(): RunCounters {
  return {
    filesProcessed: 0,
    filesAdded: 0,
    filesModified: 0,
    filesRenamed: 0,
    filesDeleted: 0,
    filesSkipped: 0,
    filesFailed: 0,
    chunksUpserted: 0,
    chunksDeleted: 0,
    embeddingsRequested: 0,
    embeddingTokens: 0,
    embeddingsReused: 0,
    sourceRequests: 0,
    sourceRetries: 0,
    bytesFetched: 0,
    rateLimitedSeconds: 0,
  };
}

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
