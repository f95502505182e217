import { type RequestKey } from './execution-store.js';
import { type Page, type PageRequest } from './page.js';
import { type NewRepository } from './repository.js';
import { type Schedule } from './schedule.js';

export const ARCHIVED_POLICIES = ['exclude', 'include'] as const;
/** `exclude`: an archived project counts as missing. */
export type ArchivedPolicy = (typeof ARCHIVED_POLICIES)[number];

/** A group, or a whole host, whose projects are registered automatically: a `discoveries` row. */
export interface Discovery {
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
  /** Names or globs; none: the default branch of each project. */
  branches: string[];
  archivedProjects: ArchivedPolicy;
  /** For the listing, and for the repositories that it registers. */
  credentialId: string | null;
  collectionName: string;
  includeGlobs: string[];
  excludeGlobs: string[];
  maxFileBytes: number;
  chunkSize: number;
  chunkOverlap: number;
  /** The schedule of each new repository, with a fixed number of its own in place of `H`; null: none. */
  scheduleCronExpression: string | null;
  scheduleTimezone: string;
  /** When it runs. */
  cronExpression: string;
  timezone: string;
  isActive: boolean;
  /** A repository is retired when its project has been missing for this long. */
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

/** Results of a run. Counts repositories, so that a project at two branches counts twice. */
export interface DiscoveryCounts {
  /** Projects that the host listed. */
  projectsListed: number;
  added: number;
  /** Registered before, by this discovery or not, and still there. */
  kept: number;
  /** The part of `kept` that was missing before. */
  restored: number;
  /** Missing, and waiting for their grace to pass. */
  missing: number;
  retired: number;
  /** Selected, but with nothing to index: empty, or the token may not read the code. */
  skipped: number;
  /** Could not be read; their repositories stay unchanged. */
  failed: number;
}

/** A `discovery_runs` row. */
export interface DiscoveryRun extends DiscoveryCounts {
  id: string;
  discoveryId: string;
  trigger: 'cron' | 'manual';
  status: DiscoveryRunStatus;
  /** The caller confirmed that most of the known projects are gone. */
  force: boolean;
  requestedBy: string | null;
  /** Grows with each start; writes of an earlier attempt are refused. */
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

/** A registered repository of the host. */
export interface KnownRepository {
  id: string;
  projectId: number;
  projectPath: string;
  branch: string;
  /** Null: registered by hand, and never retired. */
  discoveryId: string | null;
  missingSince: Date | null;
}

/** When the discovery runs next, by the database's clock; null: never. */
export type NextLook = (
  discovery: Pick<Discovery, 'cronExpression' | 'timezone' | 'isActive'>,
  now: Date,
) => Date | null;

/** The discoveries and their runs. Postgres alone decides which pod runs which. */
export abstract class DiscoveryStore {
  /** Due at once when it is active. @throws conflict `discovery_exists` when the name is taken. */
  abstract create(discovery: NewDiscovery): Promise<Discovery>;
  abstract find(discoveryId: string): Promise<Discovery | null>;
  abstract list(page: PageRequest): Promise<Page<Discovery>>;
  /** @throws not_found `discovery_not_found`; conflict `revision_mismatch`, `discovery_exists`. */
  abstract update(
    discoveryId: string,
    changes: DiscoveryChanges,
    next: NextLook,
    expectedRevision?: number,
  ): Promise<Discovery>;
  /** Its repositories stay and belong to no discovery. @throws not_found `discovery_not_found`. */
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
  /** Queues a run of each due discovery and sets its next time; any pod may call it. Queues none while scheduling is paused. */
  abstract queueDue(next: NextLook): Promise<number>;
  /** Starts the oldest queued run; concurrent calls get different runs. */
  abstract claim(podName: string): Promise<{ run: DiscoveryRun; discovery: Discovery } | null>;
  /** @throws fence_lost `fence_lost`, as do all writes of a run. */
  abstract heartbeat(run: DiscoveryRunIdentity): Promise<void>;
  abstract finish(run: DiscoveryRunIdentity, outcome: DiscoveryOutcome): Promise<void>;
  /** Puts the run back into the queue for another pod; the attempt stays the same. */
  abstract handBack(run: DiscoveryRunIdentity): Promise<void>;
  /** Requeues runs whose pod stopped its heartbeat; fails them at the third time. @returns how many. */
  abstract recover(staleAfterSeconds: number): Promise<number>;

  /** Live repositories of the host, of all discoveries and of none. */
  abstract listKnown(discovery: Pick<Discovery, 'baseUrl'>): Promise<KnownRepository[]>;
  /**
   * Registers a repository with its schedule in one transaction.
   * @returns null when that project and branch is registered already: it stays unchanged.
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
  abstract noteListing(
    run: DiscoveryRunIdentity,
    seen: readonly Pick<KnownRepository, 'id' | 'projectPath'>[],
    missing: readonly Pick<KnownRepository, 'id'>[],
  ): Promise<void>;
  /** Missing repositories of a discovery whose grace has passed. */
  abstract listRetirable(discovery: Pick<Discovery, 'id' | 'graceHours'>): Promise<KnownRepository[]>;
  /** Deletes a repository that is still retirable. @returns false when it no longer is. */
  abstract retire(run: DiscoveryRunIdentity, repositoryId: string, graceHours: number): Promise<boolean>;
}
