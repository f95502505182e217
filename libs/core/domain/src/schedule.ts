import { type RepotideError } from './errors.js';
import { type Execution } from './execution.js';
import { type Page, type SortedPageRequest } from './page.js';

/** A `schedule_sessions` row. */
export interface Schedule {
  id: string;
  repositoryId: string;
  /** Five fields. */
  cronExpression: string;
  /** IANA name. */
  timezone: string;
  isActive: boolean;
  /** A tick found later than this is recorded as missed instead of run. */
  misfireGraceSeconds: number;
  /** What one run may embed, in estimated tokens; null: no limit. */
  maxEmbeddingTokensPerRun: number | null;
  /** What all runs of the repository may embed in 24 hours before a run of this schedule embeds nothing more. */
  maxEmbeddingTokensPerDay: number | null;
  /** A run stops cleanly after this time and the next tick goes on; 0 or null: no limit. */
  timeBudgetSeconds: number | null;
  /** The next tick, computed once and stored, so that all pods agree; null while paused. */
  nextRunAt: Date | null;
  lastSyncAt: Date | null;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export type NewSchedule = Pick<
  Schedule,
  'repositoryId' | 'cronExpression' | 'timezone' | 'isActive' | 'misfireGraceSeconds'
> &
  Partial<Pick<Schedule, 'maxEmbeddingTokensPerRun' | 'maxEmbeddingTokensPerDay' | 'timeBudgetSeconds'>>;

export type ScheduleChanges = Partial<Omit<NewSchedule, 'repositoryId'>>;

export const SCHEDULE_SORTS = ['created_at', 'updated_at', 'next_run_at', 'last_sync_at'] as const;
export type ScheduleSort = (typeof SCHEDULE_SORTS)[number];

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

export abstract class ScheduleStore {
  /**
   * `nextRunAt` is computed by `next` from the database's clock within the same transaction.
   * @throws not_found `repository_not_found`.
   */
  abstract create(schedule: NewSchedule, next: (now: Date) => Date | null): Promise<Schedule>;
  abstract find(scheduleId: string): Promise<Schedule | null>;
  abstract list(
    filter: { repositoryId?: string; isActive?: boolean },
    page: SortedPageRequest<ScheduleSort>,
  ): Promise<Page<Schedule>>;
  /** Recomputes `nextRunAt` (null when inactive) and raises the revision: ticks before the edit are discarded. */
  abstract update(
    scheduleId: string,
    changes: ScheduleChanges,
    next: (schedule: Schedule, now: Date) => Date | null,
    expectedRevision?: number,
  ): Promise<Schedule>;
  /** @throws not_found `schedule_not_found`. */
  abstract softDelete(scheduleId: string): Promise<void>;
  /**
   * Gives active schedules without a next tick (rows inserted or switched on by SQL) their first one.
   * @returns what is wrong with rows that cannot be read; they stay as they are.
   */
  abstract primeNew(next: (schedule: Schedule, now: Date) => Date | null): Promise<RepotideError[]>;
  /** Active schedules with their next ticks, ordered by it, for arming timers; none while scheduling is paused. */
  abstract listUpcoming(): Promise<Pick<Schedule, 'id' | 'repositoryId' | 'nextRunAt' | 'revision'>[]>;
  /**
   * Claims due schedules in one transaction, one for each repository: locks their rows (skipping locked ones), lets
   * `decide` choose, inserts the rows, advances by compare-and-set. Empty when nothing is due, and while scheduling is
   * paused. Any pod may call it at any time. What cannot be claimed now holds up nothing else.
   * @param limit of schedules.
   * @throws temporary `database_timeout` when somebody holds the repositories of all that is due.
   */
  abstract claimDue(decide: (due: DueSchedule) => ClaimDecision, limit: number): Promise<Claim[]>;
  /** The database's clock. */
  abstract now(): Promise<Date>;
}
