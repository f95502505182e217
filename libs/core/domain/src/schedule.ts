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
  /** A run stops cleanly after this time and the next tick goes on; null: RUN_TIME_BUDGET_SECONDS; 0: none. */
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
