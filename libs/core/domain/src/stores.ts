import { type RepotideError } from './errors.js';
import {
  type Execution,
  type ExecutionStatus,
  type ExecutionTrigger,
  type RunCounters,
  type RunHandlerName,
  type RunIdentity,
  type RunOutcome,
} from './execution.js';
import { type FileStatus, type Folder, type ManifestEntry } from './manifest.js';
import {
  type IndexState,
  type NewRepository,
  type Repository,
  type RepositoryChanges,
} from './repository.js';
import { type NewSchedule, type Schedule, type ScheduleChanges } from './schedule.js';

/** A page of a list and the number of all that match. */
export interface Page<T> {
  items: T[];
  total: number;
}
export interface PageRequest {
  limit: number;
  offset: number;
}

/** What the rows of a list are ordered by; with a minus before it, downwards. What has no value counts as the least. */
export type SortOf<Column extends string> = Column | `-${Column}`;
export interface SortedPageRequest<Column extends string> extends PageRequest {
  /** Default: the order that the list describes. */
  sort?: SortOf<Column>;
}

// Only what an index backs, or what is sorted among few: there are millions of executions, but thousands of the others,
// and the files of one repository.
export const EXECUTION_SORTS = ['queued_at', 'started_at'] as const;
export type ExecutionSort = (typeof EXECUTION_SORTS)[number];
export const REPOSITORY_SORTS = ['created_at', 'updated_at', 'project_path', 'last_sync_at'] as const;
export type RepositorySort = (typeof REPOSITORY_SORTS)[number];
export const SCHEDULE_SORTS = ['created_at', 'updated_at', 'next_run_at', 'last_sync_at'] as const;
export type ScheduleSort = (typeof SCHEDULE_SORTS)[number];
export const FILE_SORTS = ['path', 'size_bytes', 'chunk_count', 'indexed_at'] as const;
export type FileSort = (typeof FILE_SORTS)[number];

export interface RepositoryStore {
  /** @throws conflict `repository_exists` when the same project and branch is registered (and not deleted). */
  create(repository: NewRepository): Promise<Repository>;
  /** Null when unknown or deleted. */
  find(repositoryId: string): Promise<Repository | null>;
  /** Also a deleted one: what is being purged must still be found. */
  findIncludingDeleted(repositoryId: string): Promise<Repository | null>;
  list(
    filter: { projectPath?: string; branch?: string; collectionName?: string },
    page: SortedPageRequest<RepositorySort>,
  ): Promise<Page<Repository>>;
  /** Those that were last found equal to their branch the longest ago; one that never was counts from its start. */
  listStalest(limit: number): Promise<Repository[]>;
  /**
   * @throws not_found `repository_not_found`; conflict `revision_mismatch` when `expectedRevision` is given and old.
   */
  update(repositoryId: string, changes: RepositoryChanges, expectedRevision?: number): Promise<Repository>;
  /** Marks it deleted and deactivates its schedules in one transaction. @throws not_found `repository_not_found`. */
  softDelete(repositoryId: string): Promise<Repository>;
  /** Deleted repositories whose points are not purged yet. */
  listUnpurged(): Promise<Repository[]>;
  /**
   * Idle repositories whose index was flagged for a check after their last run had ended well: a run that lost its
   * lease may have written late.
   */
  listSuspect(): Promise<Pick<Repository, 'id'>[]>;
  /** Forgets manifest and folders of a deleted repository once its points are gone. Repeating is harmless. */
  markPurged(repositoryId: string): Promise<void>;
}

/** What to do with the ticks that are due; made by a pure function of (schedule, now). */
export interface ClaimDecision {
  /** Advances the schedule to here; null when no tick will ever come. */
  nextRunAt: Date | null;
  /** The tick to run, if any. */
  run: { scheduledFor: Date; coalescedCount: number } | null;
  /** Ticks that get a terminal row of their own. */
  passedOver: readonly PassedOverTick[];
}
export interface PassedOverTick {
  scheduledFor: Date;
  status: 'missed' | 'skipped';
  /** `missed`, `coalesced`, `overlap`. */
  errorCode: string;
  errorMessage: string;
  /** Further ticks that this row stands for (beyond the enumeration cap). */
  coalescedCount: number;
}
/** The locked facts that a claim decides on. */
export interface DueSchedule {
  schedule: Schedule;
  /** The database's clock. */
  now: Date;
  /** An execution of the repository is queued or running. */
  isBusy: boolean;
}
export interface Claim {
  schedule: Schedule;
  /** The queued execution, or null when all due ticks were passed over. */
  execution: Execution | null;
}

export interface ScheduleStore {
  /**
   * `nextRunAt` is computed by `next` from the database's clock within the same transaction.
   * @throws not_found `repository_not_found`.
   */
  create(schedule: NewSchedule, next: (now: Date) => Date | null): Promise<Schedule>;
  find(scheduleId: string): Promise<Schedule | null>;
  list(
    filter: { repositoryId?: string; isActive?: boolean },
    page: SortedPageRequest<ScheduleSort>,
  ): Promise<Page<Schedule>>;
  /** Recomputes `nextRunAt` (null when inactive) and raises the revision: ticks before the edit are discarded. */
  update(
    scheduleId: string,
    changes: ScheduleChanges,
    next: (schedule: Schedule, now: Date) => Date | null,
    expectedRevision?: number,
  ): Promise<Schedule>;
  /** @throws not_found `schedule_not_found`. */
  softDelete(scheduleId: string): Promise<void>;
  /**
   * Gives active schedules without a next tick (rows inserted or switched on by SQL) their first one.
   * @returns what is wrong with rows that cannot be read; they stay as they are.
   */
  primeNew(next: (schedule: Schedule, now: Date) => Date | null): Promise<RepotideError[]>;
  /** Active schedules with their next ticks, ordered by it, for arming timers; none while scheduling is paused. */
  listUpcoming(): Promise<Pick<Schedule, 'id' | 'repositoryId' | 'nextRunAt' | 'revision'>[]>;
  /**
   * Claims due schedules in one transaction, one for each repository: locks their rows (skipping locked ones), lets
   * `decide` choose, inserts the rows, advances by compare-and-set. Empty when nothing is due, and while scheduling is
   * paused. Any pod may call it at any time. What cannot be claimed now holds up nothing else.
   * @param limit of schedules.
   * @throws temporary `database_timeout` when somebody holds the repositories of all that is due.
   */
  claimDue(decide: (due: DueSchedule) => ClaimDecision, limit: number): Promise<Claim[]>;
  /** The database's clock. */
  now(): Promise<Date>;
}

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

export interface ExecutionStore {
  /**
   * Queues a run that no schedule asked for. A manual sync takes the place of one that a push asked for and that still
   * waits for further pushes.
   * @throws invalid `idempotency_key_reused` when a request key came with another request before.
   * @throws conflict `run_in_progress` naming the execution, pod and start when the repository is busy.
   */
  enqueue(request: {
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
  find(executionId: string): Promise<Execution | null>;
  /** Newest first. */
  list(filter: ExecutionFilter, page: SortedPageRequest<ExecutionSort>): Promise<Page<Execution>>;
  /** Queued and available now, those of people first, then the oldest. */
  listQueued(limit: number): Promise<Execution[]>;
  /** A fence greater than every earlier one. An unused one is harmless. */
  nextFence(): Promise<number>;
  /**
   * queued -> running by compare-and-set under a fence of {@link nextFence}. Null when it is not queued any more, or
   * another run of the repository is running.
   */
  start(executionId: string, podName: string, fence: number): Promise<StartedRun | null>;
  /**
   * Shows that the run lives and stores its counters so far.
   * @throws fence_lost `fence_lost` when the attempt is not the current one.
   */
  heartbeat(run: RunIdentity, counters: RunCounters): Promise<{ isCancelRequested: boolean }>;
  /** running -> terminal. @throws fence_lost */
  finish(run: RunIdentity, outcome: RunOutcome): Promise<Execution>;
  /**
   * running -> queued as the next attempt, with its counters kept and `reason` shown in the row until it starts again.
   * A clean stop hands the work over at once; a temporary failure waits until `availableAt`.
   * @throws fence_lost
   */
  requeue(
    run: RunIdentity,
    counters: RunCounters,
    reason: { errorCode: string; errorMessage: string; availableAt: Date | null },
  ): Promise<Execution>;
  /** Ends a queued execution that will not run. False when it was not queued any more. */
  abandonQueued(
    executionId: string,
    status: 'cancelled' | 'failed' | 'skipped',
    errorCode: string,
    errorMessage: string,
  ): Promise<boolean>;
  /**
   * Ends a queued execution as cancelled, marks a running one. Null when it does not exist; otherwise the row after the
   * request (a terminal row is returned unchanged).
   */
  requestCancel(executionId: string): Promise<Execution | null>;
  /**
   * Running rows whose attempt is lost: heartbeat older than `staleAfterSeconds`, or held by one of `podNames` (pods
   * that are gone, or this pod's own rows at its start). Each becomes the next attempt with one more interruption, or
   * failed with `run_interrupted` beyond `maxInterruptions`. Any number of pods may call it at once.
   */
  recoverInterrupted(options: {
    lost: { staleAfterSeconds: number } | { podNames: readonly string[] };
    maxInterruptions: number;
  }): Promise<RecoveredRun[]>;
}

/**
 * The index state and manifest of the repositories in one generation. All writes of a run are fenced: a stale attempt
 * changes nothing.
 */
export interface Manifest {
  /** That of a repository which no run has worked on yet is blank. */
  stateOf(repositoryId: string): Promise<IndexState>;
  /** Sets `index_dirty`. @throws fence_lost */
  markDirty(run: RunIdentity): Promise<void>;
  /** All rows in pages, ordered by path. */
  listEntries(repositoryId: string): AsyncIterable<ManifestEntry[]>;
  /** Rows that hold points of these blobs. */
  findIndexedByBlob(repositoryId: string, blobShas: readonly string[]): Promise<ManifestEntry[]>;
  /** Rows of files, in any folder, that have one of these names. */
  findNamed(repositoryId: string, fileNames: readonly string[]): Promise<ManifestEntry[]>;
  /** Adds or replaces rows and stores the counters, in one fenced transaction. @throws fence_lost */
  commitBatch(
    run: RunIdentity,
    batch: { upserts: readonly ManifestEntry[]; deletes: readonly string[] },
    counters: RunCounters,
  ): Promise<void>;
  /** Rebuilds `repository_folders` from the manifest. @throws fence_lost */
  rebuildFolders(run: RunIdentity): Promise<void>;
  /**
   * The pointer: `last_synced_commit`, `index_fingerprint`, `last_sync_at`; clears `index_dirty` unless suspicion was
   * raised since `indexSuspicions` was read. Stores the project's path when it is given: the run found it moved. Last
   * step. @throws fence_lost
   */
  advancePointer(
    run: RunIdentity,
    pointer: { commit: string; fingerprint: string; indexSuspicions: number; projectPath?: string },
  ): Promise<void>;
  /** True when a row has `last_error`. */
  hasFailures(repositoryId: string): Promise<boolean>;
  listFiles(
    repositoryId: string,
    filter: { status?: FileStatus; pathPrefix?: string; hasSecrets?: boolean },
    page: SortedPageRequest<FileSort>,
  ): Promise<Page<ManifestEntry>>;
}

/** The manifests: those of the active generations, and by {@link ManifestStore.of} those of any other. */
export interface ManifestStore extends Manifest {
  of(generationId: string): Manifest;
  /**
   * Told by a run that lost its lease or fence: writes of its may have reached the store after the current holder
   * looked. Not fenced on purpose; sets `index_dirty` and raises `index_suspicions` in all generations, so that a
   * pointer advanced by a run that began before does not clear the flag.
   */
  flagSuspect(repositoryId: string): Promise<void>;
  /** Children of a folder (root when empty), folders first. Null when the folder does not exist. */
  listFolder(repositoryId: string, path: string, page: PageRequest): Promise<Page<Folder> | null>;
}
