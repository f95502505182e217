import { type RequestKey } from './execution-store.js';
import { type Page, type PageRequest } from './page.js';
import { type FileSettings, type NewRepository } from './repository.js';
import { type Schedule } from './schedule.js';

export const ARCHIVED_POLICIES = ['exclude', 'include'] as const;
/** `exclude`: an archived project counts as missing. */
export type ArchivedPolicy = (typeof ARCHIVED_POLICIES)[number];

/** A group, or a whole host, whose projects are registered automatically: a `discoveries` row. */
export interface Discovery extends FileSettings {
  id: string;
  name: string;
  baseUrl: string;
  /** Null: the whole host. */
  groupPath: string | null;
  includeSubgroups: boolean;
  /** For a whole host: only projects that the token's user is a member of. */
  membersOnly: boolean;
  /** Globs on the project's full path; an empty list includes everything. */
  includeProjects: string[];
  excludeProjects: string[];
  /** Names or globs; an empty list selects the default branch of each project. */
  branches: string[];
  archivedProjects: ArchivedPolicy;
  /** Used for the listing and for the registered repositories. */
  credentialId: string | null;
  collectionName: string;
  /** The schedule of each new repository; a number derived from the repository replaces `H`. Null: no schedule. */
  scheduleCronExpression: string | null;
  scheduleTimezone: string;
  cronExpression: string;
  timezone: string;
  isActive: boolean;
  /** A repository is retired after its project has been missing for this long. */
  graceHours: number;
  nextRunAt: Date | null;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

export type NewDiscovery = Omit<Discovery, 'id' | 'nextRunAt' | 'revision' | 'createdAt' | 'updatedAt'>;
export type DiscoveryChanges = Partial<Omit<NewDiscovery, 'baseUrl' | 'groupPath'>>;

export const DISCOVERY_RUN_STATUSES = ['queued', 'running', 'completed', 'partial', 'failed'] as const;
export type DiscoveryRunStatus = (typeof DISCOVERY_RUN_STATUSES)[number];

/** Results of a run. Counts repositories: a project at two branches counts twice. */
export interface DiscoveryCounts {
  projectsListed: number;
  added: number;
  /** Already registered, by this discovery or otherwise, and still listed. */
  kept: number;
  /** Included in `kept`: was missing before. */
  restored: number;
  /** Missing, but within the grace period. */
  missing: number;
  retired: number;
  /** Selected, but empty or not readable with the token. */
  skipped: number;
  /** Could not be read because of an error; their repositories stay unchanged. */
  failed: number;
}

/** A `discovery_runs` row. */
export interface DiscoveryRun extends DiscoveryCounts {
  id: string;
  discoveryId: string;
  trigger: 'cron' | 'manual';
  status: DiscoveryRunStatus;
  /** The caller confirmed that most of the known projects were removed. */
  force: boolean;
  requestedBy: string | null;
  /** Increased with each start; writes of an earlier attempt are refused. */
  attempt: number;
  podName: string | null;
  queuedAt: Date;
  startedAt: Date | null;
  heartbeatAt: Date | null;
  completedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
}

export type DiscoveryRunIdentity = Pick<DiscoveryRun, 'id' | 'discoveryId' | 'attempt'>;

export interface DiscoveryOutcome {
  status: 'completed' | 'partial' | 'failed';
  counts: DiscoveryCounts;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface KnownRepository {
  id: string;
  projectId: number;
  projectPath: string;
  branch: string;
  /** Null: registered by hand and therefore never retired. */
  discoveryId: string | null;
  missingSince: Date | null;
}

/** Computes the next run from the database's time; null: never. */
export type NextRunTime = (
  discovery: Pick<Discovery, 'name' | 'cronExpression' | 'timezone' | 'isActive'>,
  now: Date,
) => Date | null;

/** The discoveries and their runs. Postgres decides which pod executes a run. */
export abstract class DiscoveryStore {
  /** An active discovery is due at once. @throws conflict `discovery_exists` when the name is taken. */
  abstract create(discovery: NewDiscovery): Promise<Discovery>;
  abstract find(discoveryId: string): Promise<Discovery | null>;
  abstract list(page: PageRequest): Promise<Page<Discovery>>;
  /** @throws not_found `discovery_not_found`; conflict `revision_mismatch`, `discovery_exists`. */
  abstract update(
    discoveryId: string,
    changes: DiscoveryChanges,
    next: NextRunTime,
    expectedRevision?: number,
  ): Promise<Discovery>;
  /** Keeps its repositories, without a discovery. @throws not_found `discovery_not_found`. */
  abstract softDelete(discoveryId: string): Promise<void>;

  /** @throws not_found `discovery_not_found`; conflict `discovery_running`; invalid `idempotency_key_reused`. */
  abstract enqueue(request: {
    discoveryId: string;
    force: boolean;
    requestedBy: string | null;
    requestKey?: RequestKey;
  }): Promise<DiscoveryRun>;
  abstract findRun(discoveryId: string, runId: string): Promise<DiscoveryRun | null>;
  /** Newest first. */
  abstract listRuns(discoveryId: string, page: PageRequest): Promise<Page<DiscoveryRun>>;
  /**
   * Queues a run of each due discovery and sets its next time; queues none while scheduling is paused. Any pod may call
   * it.
   */
  abstract queueDue(next: NextRunTime): Promise<number>;
  /** Starts the oldest queued run; concurrent calls get different runs. */
  abstract claim(podName: string): Promise<{ run: DiscoveryRun; discovery: Discovery } | null>;
  /** @throws fence_lost `fence_lost`, as do all writes of a run. */
  abstract heartbeat(run: DiscoveryRunIdentity): Promise<void>;
  abstract finish(run: DiscoveryRunIdentity, outcome: DiscoveryOutcome): Promise<void>;
  /** Puts the run back into the queue for another pod; the attempt stays the same. */
  abstract handBack(run: DiscoveryRunIdentity): Promise<void>;
  /** Requeues runs without a recent heartbeat; fails a run the third time. @returns the number of such runs. */
  abstract recover(staleAfterSeconds: number): Promise<number>;

  /** All live repositories of the host, with or without a discovery. */
  abstract listKnown(discovery: Pick<Discovery, 'baseUrl'>): Promise<KnownRepository[]>;
  /**
   * Registers a repository with its schedule in one transaction.
   * @returns null, without a change, when the project and branch are already registered.
   */
  abstract register(
    run: DiscoveryRunIdentity,
    repository: NewRepository,
    schedule: {
      template: Pick<Schedule, 'cronExpression' | 'timezone' | 'misfireGraceSeconds'>;
      next: (now: Date) => Date | null;
    } | null,
  ): Promise<string | null>;
  /** Marks the discovery's own repositories as present or missing after a complete listing. */
  abstract recordListing(
    run: DiscoveryRunIdentity,
    seen: readonly Pick<KnownRepository, 'id' | 'projectPath'>[],
    missing: readonly Pick<KnownRepository, 'id'>[],
  ): Promise<void>;
  /** Repositories of the discovery that were missing for longer than the grace period. */
  abstract listRetirable(discovery: Pick<Discovery, 'id' | 'graceHours'>): Promise<KnownRepository[]>;
  /** Deletes a repository that is still retirable. @returns false when it no longer is. */
  abstract retire(run: DiscoveryRunIdentity, repositoryId: string, graceHours: number): Promise<boolean>;
}
