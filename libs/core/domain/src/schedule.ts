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
>;

export type ScheduleChanges = Partial<Omit<NewSchedule, 'repositoryId'>>;
