import { type RequestKey } from './execution-store.js';
import { type Page, type PageRequest } from './page.js';
import { type NewRepository } from './repository.js';
import { type Schedule } from './schedule.js';

export const ARCHIVED_POLICIES = ['exclude', 'include'] as const;
/** `exclude`: a project that is archived counts as gone. */
export type ArchivedPolicy = (typeof ARCHIVED_POLICIES)[number];

/** A group, or a whole host, whose projects are registered by themselves: a `discoveries` row. */
export interface Discovery {
  id: string;
  name: string;
  baseUrl: string;
  /** Null: the whole host. */
  groupPath: string | null;
  includeSubgroups: boolean;
  /** Of a whole host: only projects that the token's user is a member of. */
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
  /** Each new repository gets a schedule made of these, `H` standing for a number of its own; null: none. */
  scheduleCronExpression: string | null;
  scheduleTimezone: string;
  /** When to look. */
  cronExpression: string;
  timezone: string;
  isActive: boolean;
  /** What vanished is retired so long after it was first missed. */
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

/** Repositories by what became of them; a project at two branches is two. */
export interface DiscoveryCounts {
  /** Projects that the host listed. */
  projectsListed: number;
  added: number;
  /** Registered before, by whomever, and still there. */
  kept: number;
  /** Missing before, and there again; they are among the kept. */
  restored: number;
  /** Not there now, and waiting for their grace to pass. */
  missing: number;
  retired: number;
  /** Wanted, but with nothing to index: empty, or its code may not be read. */
  skipped: number;
  /** Could not be looked at; whatever is registered of them stays as it was. */
  failed: number;
}

/** A `discovery_runs` row. */
export interface DiscoveryRun extends DiscoveryCounts {
  id: string;
  discoveryId: string;
  trigger: 'cron' | 'manual';
  status: DiscoveryRunStatus;
  /** A great loss was confirmed by whoever asked for the run. */
  force: boolean;
  requestedBy: string | null;
  /** Grows with each start; writes of an earlier one are refused. */
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

/** A registered repository of the host, as discovery sees it. */
export interface KnownRepository {
  id: string;
  projectId: number;
  projectPath: string;
  branch: string;
  /** Null: registered by hand, which no discovery ever retires. */
  discoveryId: string | null;
  missingSince: Date | null;
}

/** When the discovery looks next, by the database's clock; null: never. */
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
  /** Its repositories stay, and belong to nobody from here on. @throws not_found `discovery_not_found`. */
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
  /** Queues a run of each discovery that is due and moves it on; any pod may call it. None while paused. */
  abstract queueDue(next: NextLook): Promise<number>;
  /** Starts the oldest queued run, for one pod of all that ask. */
  abstract claim(podName: string): Promise<{ run: DiscoveryRun; discovery: Discovery } | null>;
  /** @throws fence_lost `fence_lost`, as do all writes of a run. */
  abstract heartbeat(run: DiscoveryRunIdentity): Promise<void>;
  abstract finish(run: DiscoveryRunIdentity, outcome: DiscoveryOutcome): Promise<void>;
  /** Back into the queue, for another pod; the attempt stays as it was. */
  abstract handBack(run: DiscoveryRunIdentity): Promise<void>;
  /** Runs whose pod fell silent go back into the queue, or fail when that happened three times. @returns how many. */
  abstract recover(staleAfterSeconds: number): Promise<number>;

  /** Live repositories of the host, those of others included. */
  abstract listKnown(discovery: Pick<Discovery, 'baseUrl'>): Promise<KnownRepository[]>;
  /**
   * Registers a repository with its schedule in one transaction.
   * @returns null when that project and branch is registered, by whomever: it stays as it is.
   */
  abstract register(
    run: DiscoveryRunIdentity,
    repository: NewRepository,
    schedule: {
      template: Pick<Schedule, 'cronExpression' | 'timezone' | 'misfireGraceSeconds'>;
      next: (now: Date) => Date | null;
    } | null,
  ): Promise<string | null>;
  /** Notes what a complete listing held and lacked, of the discovery's own repositories. */
  abstract noteListing(
    run: DiscoveryRunIdentity,
    seen: readonly Pick<KnownRepository, 'id' | 'projectPath'>[],
    missing: readonly Pick<KnownRepository, 'id'>[],
  ): Promise<void>;
  /** Missing repositories of a discovery whose grace has passed. */
  abstract listRetirable(discovery: Pick<Discovery, 'id' | 'graceHours'>): Promise<KnownRepository[]>;
  /** Deletes a repository that is still retirable. @returns false when it is not any more. */
  abstract retire(run: DiscoveryRunIdentity, repositoryId: string, graceHours: number): Promise<boolean>;
}
