import { type ExecutionStatus, type ExecutionTrigger } from './execution.js';
import { type VisibleRepositories } from './scope.js';

/** Selects executions queued between `from` (inclusive) and `to` (exclusive). */
export interface HistoryFilter {
  from: Date;
  to: Date;
  /** Only executions of these. Absent or null: of all. */
  visible?: VisibleRepositories;
  repositoryId?: string;
  scheduleId?: string;
  trigger?: ExecutionTrigger;
  podName?: string;
}

/** Terminal statuses. */
export const ENDED_STATUSES = [
  'completed',
  'partial',
  'failed',
  'cancelled',
  'missed',
  'skipped',
] as const satisfies readonly ExecutionStatus[];
export type EndedStatus = (typeof ENDED_STATUSES)[number];

/** Terminal statuses that need an operator's attention. */
export const FAILURE_STATUSES = ['failed', 'partial', 'missed'] as const satisfies readonly EndedStatus[];
export type FailureStatus = (typeof FAILURE_STATUSES)[number];

/** Sums over ended executions. */
export interface WorkTotals {
  filesProcessed: number;
  filesFailed: number;
  chunksUpserted: number;
  chunksDeleted: number;
  embeddingsRequested: number;
  embeddingsReused: number;
}

/** The range that the numbers cover: widened to whole days (UTC) where rows were deleted. */
export interface AnsweredRange {
  from: Date;
  to: Date;
  /**
   * Rows older than this were deleted. For that time, numbers over all repositories are complete; numbers of one
   * repository or schedule count only the remaining rows. Null before the first deletion.
   */
  rowsDeletedBefore: Date | null;
}

/** Durations in seconds of all runs that started, with any result; null without runs. */
export interface DurationStatistics {
  runs: number;
  mean: number | null;
  p50: number | null;
  p95: number | null;
  max: number | null;
  /** Concerns p50 and p95; the others are always exact. False: the error is at most 1 %. */
  isExact: boolean;
}

export interface HistorySummary extends AnsweredRange {
  /** Includes queued and running executions. */
  runs: Record<ExecutionStatus, number>;
  durations: DurationStatistics;
  totals: WorkTotals;
}

export const TIMELINE_BUCKETS = ['hour', 'day', 'week'] as const;
export type TimelineBucketSize = (typeof TIMELINE_BUCKETS)[number];

export interface TimelineBucket {
  start: Date;
  end: Date;
  runs: Record<EndedStatus, number>;
  totals: WorkTotals;
}

export interface Timeline extends AnsweredRange {
  /** Without gaps, oldest first. */
  buckets: TimelineBucket[];
}

export type FailureCounts = Record<FailureStatus, number>;

export interface FailureBreakdown extends AnsweredRange {
  total: FailureCounts;
  /** 24 entries, by the hour of `queued_at` in the requested time zone. */
  byHour: (FailureCounts & { hour: number })[];
  /** Most failures first, limited to the requested number. */
  byRepository: (FailureCounts & { repositoryId: string; projectPath: string; branch: string })[];
  byErrorCode: (FailureCounts & { errorCode: string | null })[];
}

/** A file that an execution failed to index or skipped because of a rule. */
export interface ExecutionFile {
  path: string;
  status: 'failed' | 'skipped';
  /** The error's code or the skip reason. */
  errorCode: string;
  message: string | null;
}
