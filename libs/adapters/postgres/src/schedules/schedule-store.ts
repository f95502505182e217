import {
  type NewSchedule,
  RepotideError,
  type Schedule,
  type ScheduleChanges,
  type ScheduleSort,
  type ScheduleStore,
  type ScheduleTiming,
} from '@core/domain';
import { assignments, columnName, columnsOf, selectList, uuidOrNull } from '../sql/columns.js';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { lockRepository } from '../repositories/repository-store.js';
import { refuseOldRevision } from '../sql/revision.js';
import { claimDue } from './schedule-claim.js';
import { insertPassedOver } from './schedule-claim-record.js';
import { SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';
import { primeSchedules } from './schedule-prime.js';

const COLUMNS = columnsOf<Schedule>({
  id: true,
  repositoryId: true,
  cronExpression: true,
  timezone: true,
  isActive: true,
  misfireGraceSeconds: true,
  catchUp: true,
  maxEmbeddingTokensPerRun: true,
  maxEmbeddingTokensPerDay: true,
  timeBudgetSeconds: true,
  nextRunAt: true,
  lastSyncAt: true,
  revision: true,
  createdAt: true,
  updatedAt: true,
  deletedAt: true,
});
/** For rows of `schedule_sessions` named `s`. */
const SELECT = selectList(COLUMNS, 's');

const BUDGET = ['maxEmbeddingTokensPerRun', 'maxEmbeddingTokensPerDay', 'timeBudgetSeconds'] as const;
const EDITABLE = [
  'cronExpression',
  'timezone',
  'isActive',
  'misfireGraceSeconds',
  'catchUp',
  ...BUDGET,
] as const;

/** A change of these moves the next tick. */
const TIMING = ['cronExpression', 'timezone', 'isActive'] as const;

const SORTS: Record<ScheduleSort, Order> = {
  created_at: orderByAlways('created_at'),
  updated_at: orderByAlways('updated_at'),
  next_run_at: orderByMaybe('next_run_at'),
  last_sync_at: orderByMaybe('last_sync_at'),
};

/** Schedules and their ticks in Postgres. Only the database's clock decides what is due. */
export function createScheduleStore(db: Database): ScheduleStore {
  return {
    create: (schedule, next) => db.transaction((tx) => insertSchedule(tx, schedule, next)),
    find: (scheduleId) => find(db, scheduleId),
    list(filter, page) {
      const { repositoryId, isActive } = filter;
      const where = new Conditions('deleted_at IS NULL')
        .add('repository_id = ?', repositoryId === undefined ? undefined : uuidOrNull(repositoryId))
        .add('is_active = ?', isActive);
      const from = 'schedule_sessions s';
      const orderBy = orderOf(page.sort ?? 'created_at', SORTS, 'id');
      return selectPage(db, { select: SELECT, from, where, orderBy }, page);
    },
    update: (scheduleId, changes, timing, expectedRevision) =>
      db.transaction((tx) => update(tx, scheduleId, changes, timing, expectedRevision)),
    softDelete: (scheduleId) => softDelete(db, scheduleId),
    primeNew: (next) => primeSchedules(db, SELECT, next),
    // Empty while scheduling is paused: the timer for a tick that stays due would fire again and again.
    listUpcoming: () =>
      db.query(
        `SELECT ${selectList(['id', 'repositoryId', 'nextRunAt', 'revision'], 's')}
          FROM schedule_sessions s JOIN repositories r ON r.id = s.repository_id
          WHERE s.is_active AND s.deleted_at IS NULL AND s.next_run_at IS NOT NULL AND r.deleted_at IS NULL
            AND NOT ${SCHEDULING_IS_PAUSED}
          ORDER BY s.next_run_at, s.id`,
      ),
    claimDue: (decide, limit) => db.transaction((tx) => claimDue(tx, SELECT, decide, limit)),
    now: () => clockOf(db),
  };
}

async function find(db: Queryable, scheduleId: string): Promise<Schedule | null> {
  const [row] = await db.query<Schedule>(
    `SELECT ${SELECT} FROM schedule_sessions s WHERE id = $1 AND deleted_at IS NULL`,
    [uuidOrNull(scheduleId)],
  );
  return row ?? null;
}

async function softDelete(db: Queryable, scheduleId: string): Promise<void> {
  const rows = await db.query(
    `UPDATE schedule_sessions SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
      is_active = false, next_run_at = NULL, revision = revision + 1
      WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
    [uuidOrNull(scheduleId)],
  );
  if (rows.length === 0) notFound(scheduleId);
}

/** @throws not_found `repository_not_found`. */
export async function insertSchedule(
  tx: Queryable,
  schedule: NewSchedule,
  next: (now: Date) => Date | null,
): Promise<Schedule> {
  await lockRepository(tx, schedule.repositoryId);
  const nextRunAt = schedule.isActive ? next(await clockOf(tx)) : null;
  const [row] = await tx.query<Schedule>(
    `INSERT INTO schedule_sessions AS s
      (repository_id, cron_expression, timezone, is_active, misfire_grace_seconds, catch_up, next_run_at,
        ${BUDGET.map(columnName).join(', ')})
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${SELECT}`,
    [
      schedule.repositoryId,
      schedule.cronExpression,
      schedule.timezone,
      schedule.isActive,
      schedule.misfireGraceSeconds,
      schedule.catchUp ?? 'latest',
      nextRunAt,
      ...BUDGET.map((property) => schedule[property] ?? null),
    ],
  );
  return row ?? notFound('new');
}

async function update(
  tx: Queryable,
  scheduleId: string,
  changes: ScheduleChanges,
  timing: ScheduleTiming,
  expectedRevision: number | undefined,
): Promise<Schedule> {
  const [found] = await tx.query<Schedule>(
    `SELECT ${SELECT} FROM schedule_sessions s WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [uuidOrNull(scheduleId)],
  );
  if (found === undefined) return notFound(scheduleId);
  refuseOldRevision('schedule', found.revision, expectedRevision);
  await lockRepository(tx, found.repositoryId);
  const edited: Schedule = { ...found, ...changes };
  if (TIMING.some((property) => edited[property] !== found[property])) {
    const now = await clockOf(tx);
    const superseded = timing.superseded(found, now);
    await insertPassedOver(
      tx,
      superseded.map((tick) => ({ schedule: found, tick })),
    );
    edited.nextRunAt = edited.isActive ? timing.next(edited, now) : null;
  }
  const { sql, values } = assignments(changes, EDITABLE, 3);
  const [row] = await tx.query<Schedule>(
    `UPDATE schedule_sessions s SET ${[...sql, 'next_run_at = $2'].join(', ')},
      revision = revision + 1, updated_at = clock_timestamp() WHERE id = $1 RETURNING ${SELECT}`,
    [scheduleId, edited.nextRunAt, ...values],
  );
  return row ?? notFound(scheduleId);
}

function notFound(scheduleId: string): never {
  throw new RepotideError('not_found', 'schedule_not_found', `There is no schedule ${scheduleId}.`, {
    details: { schedule_id: scheduleId },
  });
}
