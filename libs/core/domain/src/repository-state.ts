import { type ExecutionStatus } from './execution.js';
import { type IndexDrift } from './repository.js';
import { type VisibleRepositories } from './scope.js';

/** Most urgent first; of several that apply, a repository has the first. */
export const REPOSITORY_STATES = [
  'failing',
  'retrying',
  'drifting',
  'missing',
  'incomplete',
  'stale',
  'waiting',
  'running',
  'queued',
  'new',
  'paused',
  'synced',
] as const;
/**
 * How a repository is. `failing`: its last sync failed; `retrying`: it failed, and the next attempt has a time;
 * `drifting`: its index was lost, or differs from the tree; `missing`: its discovery does not find it; `incomplete`: its
 * last sync ended partially; `stale`: a tick passed without a sync; `waiting`: its run may not start yet; `new`: it was
 * never synced; `paused`: all its schedules are.
 */
export type RepositoryStateName = (typeof REPOSITORY_STATES)[number];

/** The states that need a person, or time: what Now and `attention` show. */
export const ATTENTION_STATES = [
  'failing',
  'retrying',
  'drifting',
  'missing',
  'incomplete',
  'stale',
  'waiting',
] as const satisfies readonly RepositoryStateName[];

export const REPOSITORY_STATE_SORTS = [
  'state',
  'project_path',
  'last_sync_at',
  'next_run_at',
  'last_ended_at',
  'chunk_count',
] as const;
export type RepositoryStateSort = (typeof REPOSITORY_STATE_SORTS)[number];

/** Absent fields match everything. */
export interface RepositoryStateFilter {
  visible?: VisibleRepositories;
  ids?: readonly string[];
  states?: readonly RepositoryStateName[];
  /** Part of the project's path, case-insensitive. */
  pathPart?: string;
  /** Only projects of this group and its subgroups. */
  group?: string;
}

/** A repository with what its state follows from. Times are of the database's clock. */
export interface RepositoryState {
  repositoryId: string;
  projectPath: string;
  branch: string;
  baseUrl: string;
  state: RepositoryStateName;
  createdAt: Date;
  missingSince: Date | null;
  lastSyncedCommit: string | null;
  lastSyncAt: Date | null;
  lostSince: Date | null;
  lastDrift: IndexDrift | null;
  /** The last sync that completed, failed or ended partially. */
  lastExecutionId: string | null;
  lastStatus: ExecutionStatus | null;
  lastErrorCode: string | null;
  lastErrorMessage: string | null;
  lastEndedAt: Date | null;
  lastDurationSeconds: number | null;
  /** The last tick that found no pod in time. */
  missedAt: Date | null;
  /** The run that is queued or runs now. */
  liveExecutionId: string | null;
  liveStatus: ExecutionStatus | null;
  liveQueuedAt: Date | null;
  liveErrorCode: string | null;
  liveErrorMessage: string | null;
  /** It stays queued until then. */
  availableAt: Date | null;
  nextRunAt: Date | null;
  scheduleCount: number;
  activeScheduleCount: number;
  fileCount: number;
  indexedFileCount: number;
  sizeBytes: number;
  chunkCount: number;
}
