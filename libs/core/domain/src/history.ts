import { type Execution, type ExecutionStatus, type ExecutionTrigger } from './execution.js';
import { type ExecutionFilter } from './execution-store.js';

/** Which executions a question is about: those queued in `from` (inclusive) to `to` (exclusive). */
export interface HistoryFilter {
  from: Date;
  to: Date;
  repositoryId?: string;
  scheduleId?: string;
  trigger?: ExecutionTrigger;
  podName?: string;
}

/** Statuses that an execution ends in. */
export const ENDED_STATUSES = [
  'completed',
  'partial',
  'failed',
  'cancelled',
  'missed',
  'skipped',
] as const satisfies readonly ExecutionStatus[];
export type EndedStatus = (typeof ENDED_STATUSES)[number];

/** Of {@link ENDED_STATUSES} those that somebody should look at. */
export const FAILURE_STATUSES = ['failed', 'partial', 'missed'] as const satisfies readonly EndedStatus[];
export type FailureStatus = (typeof FAILURE_STATUSES)[number];

/** What ended executions did, added up. */
export interface WorkTotals {
  filesProcessed: number;
  filesFailed: number;
  chunksUpserted: number;
  chunksDeleted: number;
  embeddingsRequested: number;
  embeddingsReused: number;
}

/** The range that was really answered for: where rows were deleted, it is widened to whole days (UTC). */
export interface AnsweredRange {
  from: Date;
  to: Date;
  /**
   * Rows older than this were deleted. Of that time the numbers over all repositories are kept; those of one repository
   * or schedule count the rows that are left. Null when none was deleted yet.
   */
  rowsDeletedBefore: Date | null;
}

/** Durations of runs that started, whatever their end, in seconds; null when there is none. */
export interface DurationStatistics {
  runs: number;
  mean: number | null;
  p50: number | null;
  p95: number | null;
  max: number | null;
  /** Of p50 and p95; the others are always exact. False: off by at most 1 %. */
  isExact: boolean;
}

export interface HistorySummary extends AnsweredRange {
  /** Also the queued and running ones. */
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
  /** 24 entries: by the hour in which they were queued, on the clock of the asked time zone. */
  byHour: (FailureCounts & { hour: number })[];
  /** Most failures first, at most the asked number. */
  byRepository: (FailureCounts & { repositoryId: string; projectPath: string; branch: string })[];
  byErrorCode: (FailureCounts & { errorCode: string | null })[];
}

/** A file that an execution could not index, or left out by a rule. */
export interface ExecutionFile {
  path: string;
  status: 'failed' | 'skipped';
  /** Stable name: of the error, or the reason for which it was skipped. */
  errorCode: string;
  message: string | null;
}

/** Reads executions in bulk. */
export abstract class ExecutionArchive {
  /** All that match, newest first, in pages of bounded size; rows queued meanwhile are left out. */
  abstract stream(filter: ExecutionFilter): AsyncIterable<Execution[]>;
  /** Ordered by path; the first thousand of each status in an execution are kept. */
  abstract listFiles(
    executionId: string,
    filter: { status?: ExecutionFile['status'] },
    page: { limit: number; offset: number },
  ): Promise<{ items: ExecutionFile[]; total: number }>;
}
