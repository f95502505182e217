import { type RepotideError } from './errors.js';
import { type Execution } from './execution.js';
import { type Page, type SortedPageRequest } from './page.js';
import { type VisibleRepositories } from './scope.js';

export const CATCH_UPS = ['latest', 'none'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** A `schedule_sessions` row. */
export interface Schedule {
  id: string;
  repositoryId: string;
  /** Five fields. */
  cronExpression: string;
  /** IANA name. */
  timezone: string;
  isActive: boolean;
  /** A tick that is claimed later than this is recorded as missed. */
  misfireGraceSeconds: number;
  /** What follows missed ticks: `latest` one run at once; `none` nothing before the next tick. */
  catchUp: CatchUp;
  /** Limit of one run, in estimated tokens; null: no limit. */
  maxEmbeddingTokensPerRun: number | null;
  /** Estimated tokens of all the repository's runs in 24 hours above which this schedule's runs stop embedding. */
  maxEmbeddingTokensPerDay: number | null;
  /** A run stops cleanly after this time, and the next tick continues its work; 0 or null: no limit. */
  timeBudgetSeconds: number | null;
  /** The next tick. Stored, so that all pods agree; null while the schedule is inactive. */
  nextRunAt: Date | null;
  lastSyncAt: Date | null;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

type Limit = 'maxEmbeddingTokensPerRun' | 'maxEmbeddingTokensPerDay' | 'timeBudgetSeconds';
type Timing = 'cronExpression' | 'timezone' | 'isActive' | 'misfireGraceSeconds';

export type NewSchedule = Pick<Schedule, 'repositoryId' | Timing> &
  Partial<Pick<Schedule, 'catchUp' | Limit>>;

export type ScheduleChanges = Partial<Omit<NewSchedule, 'repositoryId'>>;

export const SCHEDULE_SORTS = ['created_at', 'updated_at', 'next_run_at', 'last_sync_at'] as const;
export type ScheduleSort = (typeof SCHEDULE_SORTS)[number];

/** The decision about the due ticks; computed by a pure function. */
export interface ClaimDecision {
  /** The schedule advances to this tick; null when no further tick exists. */
  nextRunAt: Date | null;
  /** A null tick: a catch-up run for missed ticks. */
  run: { scheduledFor: Date | null; coalescedCount: number } | null;
  /** Ticks that are recorded with a terminal row and do not run. */
  passedOver: readonly PassedOverTick[];
}
export interface PassedOverTick {
  scheduledFor: Date;
  /** The last tick of a row that stands for a backlog; null: the row stands for one tick. */
  scheduledUntil: Date | null;
  status: 'missed' | 'skipped';
  /** `missed`, `coalesced`, `satisfied`, `overlap`, `superseded`. */
  errorCode: string;
  errorMessage: string;
  /** Number of further ticks that the row stands for. */
  coalescedCount: number;
  /** The execution whose run satisfies the tick; `run`: the one of the same decision. */
  satisfiedBy: string | null;
}
/** The input of a claim's decision, read under a lock. */
export interface DueSchedule {
  schedule: Schedule;
  /** The database's clock. */
  now: Date;
  /** The queued or running execution of the repository. */
  occupant: Occupant | null;
}
export interface Occupant {
  executionId: string;
  /** False for a run that does not read the branch, such as a verify. */
  isSync: boolean;
  /** Null while it is queued. */
  startedAt: Date | null;
}
export interface Claim {
  schedule: Schedule;
  /** The queued execution; null when no due tick runs. */
  execution: Execution | null;
}

/** The arithmetic of ticks, for stores that read the database's clock. */
export interface ScheduleTiming {
  next: (schedule: Schedule, now: Date) => Date | null;
  /** The ticks that are due and not yet claimed. */
  superseded: (schedule: Schedule, now: Date) => readonly PassedOverTick[];
}

export abstract class ScheduleStore {
  /**
   * `nextRunAt` is computed by `next` from the database's clock within the same transaction.
   * @throws not_found `repository_not_found`.
   */
  abstract create(schedule: NewSchedule, next: (now: Date) => Date | null): Promise<Schedule>;
  abstract find(scheduleId: string): Promise<Schedule | null>;
  abstract list(
    filter: { repositoryId?: string; isActive?: boolean; visible?: VisibleRepositories },
    page: SortedPageRequest<ScheduleSort>,
  ): Promise<Page<Schedule>>;
  /**
   * Increases the revision. A change of the expression, the time zone or the activity recomputes `nextRunAt` (null when
   * inactive); a tick that was due and not yet claimed is then recorded as superseded.
   */
  abstract update(
    scheduleId: string,
    changes: ScheduleChanges,
    timing: ScheduleTiming,
    expectedRevision?: number,
  ): Promise<Schedule>;
  /** A due tick is recorded as superseded. @throws not_found `schedule_not_found`. */
  abstract softDelete(scheduleId: string, timing: ScheduleTiming): Promise<void>;
  /**
   * Gives active schedules without a next tick (rows inserted or switched on by SQL) their first one.
   * @returns the errors of rows that cannot be read; they stay unchanged.
   */
  abstract setFirstTicks(next: (schedule: Schedule, now: Date) => Date | null): Promise<RepotideError[]>;
  /** The active schedules that are due first, ordered by their next tick, for timers; none while scheduling is paused. */
  abstract listUpcoming(
    limit: number,
  ): Promise<Pick<Schedule, 'id' | 'repositoryId' | 'nextRunAt' | 'revision'>[]>;
  /**
   * Claims due schedules in one transaction, one for each repository: locks their rows (skipping locked ones), lets
   * `decide` choose, inserts the rows, advances by compare-and-set. Empty when nothing is due, and while scheduling is
   * paused. Any pod may call it at any time. A schedule that cannot be claimed now does not delay the others.
   * @param limit the maximum number of schedules.
   * @throws temporary `database_timeout` when the repositories of all due schedules are locked.
   */
  abstract claimDue(decide: (due: DueSchedule) => ClaimDecision, limit: number): Promise<Claim[]>;
  /** The database's clock. */
  abstract now(): Promise<Date>;
}
