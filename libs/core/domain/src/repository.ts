import { type Page, type SortedPageRequest } from './page.js';
import { type VisibleRepositories } from './scope.js';

/** What has no effect in a rule file of the tree, or a path that is not as in the tree, and why. */
export interface RuleWarning {
  code: 'rule_file_ignored' | 'rule_ignored' | 'name_unclear';
  path: string;
  /** The first line that it is about; null: the whole file. */
  line: number | null;
  message: string;
}

/**
 * How many files of the manifest differ from the tree, and how many points from the manifest. Files that failed do not
 * count: their rows say why, and every run tries them again.
 */
export interface IndexDrift {
  files: number;
  points: number;
}

/** State of one repository's index in one generation of its collection. */
export interface IndexState {
  /** The generation whose state this is; null: it has no state of the repository yet. */
  generationId: string | null;
  /** Commit that the index equals; null before the first completed run. */
  lastSyncedCommit: string | null;
  lastSyncAt: Date | null;
  /** Fingerprint of the settings that the index at `lastSyncedCommit` was built with. */
  indexFingerprint: string | null;
  /**
   * True from a run's first write to its completion. If true at the start of a run, an earlier run was interrupted and
   * points may exist that the manifest does not have.
   */
  indexDirty: boolean;
  /** The highest fence of its points in the store after the last completed run; null: it had no points. */
  markFence: number | null;
  /** How many points had that fence. */
  markPoints: number | null;
  /** Since when the collection with its points is missing or replaced; null once a run restored it. */
  lostSince: Date | null;
  /** Increased when a run that lost its lease may have written late. */
  indexSuspicions: number;
  /** When a verify or a repair last compared the whole index; null: never. */
  lastVerifiedAt: Date | null;
  /** What that comparison found and no repair has removed; null: nothing. */
  lastDrift: IndexDrift | null;
  /** From the last run that read the rule files. */
  warnings: RuleWarning[];
}

/** Which files are indexed, and how they are cut. */
export interface FileSettings {
  /** Globs; an empty list includes everything. */
  includeGlobs: string[];
  excludeGlobs: string[];
  maxFileBytes: number;
  /** Characters. */
  chunkSize: number;
  /** Characters shared by neighbouring chunks. */
  chunkOverlap: number;
}

export interface NewRepository extends FileSettings {
  /** `git`: any host, read by git's own protocol alone. */
  provider: 'gitlab' | 'git';
  /** Origin (and path prefix) of the code host without a trailing slash, e.g. `https://gitlab.example.com`. */
  baseUrl: string;
  /** GitLab's numeric project id; renames and moves do not change it. Null with the provider `git`. */
  projectId: number | null;
  /** Full path as last seen, e.g. `group/sub/project`. With the provider `git` its URL. */
  projectPath: string;
  branch: string;
  collectionName: string;
  credentialId: string | null;
}

/**
 * One project of a code host at one branch, with its file rules and its collection: a `repositories` row, with the index
 * state of the collection's active generation.
 */
export interface Repository extends IndexState, NewRepository {
  id: string;
  /** The discovery that registered it and may retire it; null: registered by hand. */
  discoveryId: string | null;
  /** When its discovery first missed it; null while it is listed. */
  missingSince: Date | null;
  /** Increased with every edit; prevents lost updates. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  /** When all its points were removed after its deletion. */
  purgedAt: Date | null;
}

export type RepositoryChanges = Partial<
  Omit<NewRepository, 'provider' | 'baseUrl' | 'projectId' | 'collectionName'>
>;

export const REPOSITORY_SORTS = [
  'created_at',
  'updated_at',
  'project_path',
  'last_sync_at',
  'last_verified_at',
] as const;
export type RepositorySort = (typeof REPOSITORY_SORTS)[number];

/** Absent fields match everything. */
export interface RepositoryFilter {
  /** Only these. Absent or null: all. */
  visible?: VisibleRepositories;
  ids?: readonly string[];
  projectPath?: string;
  /** Part of the project's path, case-insensitive. */
  pathPart?: string;
  branch?: string;
  collectionName?: string;
  /** Includes deleted repositories; their executions remain. */
  includeDeleted?: boolean;
}

/** Of all repositories that were synced; one that was never verified counts from its registration. */
export interface VerificationState {
  /** With a drift that no repair has removed. */
  drifted: number;
  /** Verified longer ago than the interval. */
  overdue: number;
  oldestAgeSeconds: number;
}

export abstract class RepositoryStore {
  /** @throws conflict `repository_exists` when the same project and branch is registered (and not deleted); `repository_id` in the details. */
  abstract create(repository: NewRepository): Promise<Repository>;
  /** Null when unknown or deleted. */
  abstract find(repositoryId: string): Promise<Repository | null>;
  /** Also finds a deleted repository, for its purge. */
  abstract findIncludingDeleted(repositoryId: string): Promise<Repository | null>;
  /** Without deleted repositories, unless the filter includes them. */
  abstract list(filter: RepositoryFilter, page: SortedPageRequest<RepositorySort>): Promise<Page<Repository>>;
  /** Least recently synced first; a repository without a sync counts from its creation. */
  abstract listStalest(limit: number): Promise<Repository[]>;
  /**
   * @throws not_found `repository_not_found`; conflict `revision_mismatch` when `expectedRevision` is given and old.
   */
  abstract update(
    repositoryId: string,
    changes: RepositoryChanges,
    expectedRevision?: number,
  ): Promise<Repository>;
  /** Marks it deleted and deactivates its schedules in one transaction. @throws not_found `repository_not_found`. */
  abstract softDelete(repositoryId: string): Promise<Repository>;
  /**
   * Deleted repositories whose points are not purged yet. One whose purges failed is left out until 30 s after the last,
   * and twice as long after each further failure, up to an hour.
   */
  abstract listUnpurged(): Promise<Repository[]>;
  /**
   * Idle repositories whose index was flagged (a run that lost its lease may have written late) or lost, and that had no
   * run since.
   */
  abstract listSuspect(): Promise<Pick<Repository, 'id'>[]>;
  /** How many indexes of active generations are lost, see {@link IndexState.lostSince}. */
  abstract countLost(): Promise<number>;
  /** Idle repositories in which a scheduled verification found a drift, without a repair since. */
  abstract listDrifted(): Promise<Pick<Repository, 'id'>[]>;
  /**
   * Idle, synced repositories that were not verified for `afterSeconds`, oldest first: as many as a round verifies so that
   * the rounds of this time reach all.
   */
  abstract listUnverified(pace: {
    afterSeconds: number;
    roundSeconds: number;
  }): Promise<Pick<Repository, 'id'>[]>;
  abstract verificationState(intervalSeconds: number): Promise<VerificationState>;
  /** Call after its points are removed: removes the manifest and folders of a deleted repository. Safe to repeat. */
  abstract markPurged(repositoryId: string): Promise<void>;
}
