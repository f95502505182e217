import {
  type NewSchedule,
  type Schedule,
  type ScheduleSort,
  type ScheduleStore,
  type ScheduleTiming,
} from '@core/domain';
import { lockRepository } from '../repositories/repository-rows.js';
import { SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { notFound, refuseOldRevision } from '../sql/database-error.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { DELETED, editOf, insertInto, pick, uuidOrNull } from '../sql/rows.js';
import { claimDue, HAS_LIVE_REPOSITORY } from './schedule-claim.js';
import { recordSuperseded, type PassedOver } from './schedule-claim-record.js';
import { primeSchedules } from './schedule-prime.js';

const EDITABLE = [
  ...(['cronExpression', 'timezone', 'isActive', 'misfireGraceSeconds', 'catchUp'] as const),
  ...(['maxEmbeddingTokensPerRun', 'maxEmbeddingTokensPerDay', 'timeBudgetSeconds'] as const),
];

/** A change of these moves the next tick. */
const TIMING = ['cronExpression', 'timezone', 'isActive'] as const;

const SORTS: Record<ScheduleSort, Order> = {
  created_at: orderByAlways('created_at'),
  updated_at: orderByAlways('updated_at'),
  next_run_at: orderByMaybe('next_run_at'),
  last_sync_at: orderByMaybe('last_sync_at'),
};

const FIND = 'SELECT * FROM schedule_sessions WHERE id = $1 AND deleted_at IS NULL';

/** Schedules and their ticks in Postgres. Only the database's clock decides what is due. */
export function createScheduleStore(db: Database): ScheduleStore {
  return {
    create: (schedule, next) => db.transaction((tx) => insertSchedule(tx, schedule, next)),
    find: (scheduleId) => db.first(FIND, [uuidOrNull(scheduleId)]),
    list({ repositoryId, isActive, visible }, page) {
      const where = new Conditions('deleted_at IS NULL')
        .add('repository_id = ?', repositoryId && uuidOrNull(repositoryId))
        .add('repository_id = ANY(?::uuid[])', visible ?? undefined)
        .add('is_active = ?', isActive);
      const orderBy = orderOf(page.sort ?? 'created_at', SORTS, 'id');
      return selectPage(db, { from: 'schedule_sessions', where, orderBy }, page);
    },
    update: (scheduleId, changes, timing, expectedRevision) =>
      db.transaction(async (tx) => {
        const found = await lockSchedule(tx, scheduleId);
        refuseOldRevision('schedule', found.revision, expectedRevision);
        await lockRepository(tx, found.repositoryId);
        const edited: Schedule = { ...found, ...changes };
        if (TIMING.some((property) => edited[property] !== found[property])) {
          const now = await clockOf(tx);
          await recordSuperseded(tx, dueTicksOf(found, timing, now));
          edited.nextRunAt = edited.isActive ? timing.next(edited, now) : null;
        }
        const columns = { ...pick(changes, EDITABLE), nextRunAt: edited.nextRunAt };
        const { sql, values } = editOf('schedule_sessions', found.id, columns);
        return tx.one<Schedule>(`${sql} RETURNING *`, values);
      }),
    softDelete: (scheduleId, timing) =>
      db.transaction(async (tx) => {
        const found = await lockSchedule(tx, scheduleId);
        await recordSuperseded(tx, dueTicksOf(found, timing, await clockOf(tx)));
        const deleted = { isActive: false, nextRunAt: null };
        const { sql, values } = editOf('schedule_sessions', found.id, deleted, [DELETED]);
        await tx.query(sql, values);
      }),
    setFirstTicks: (next) => primeSchedules(db, next),
    // Empty while scheduling is paused: the timer for a tick that stays due would fire again and again.
    listUpcoming: (limit) =>
      db.query(
        `SELECT s.id, s.repository_id, s.next_run_at, s.revision
          FROM schedule_sessions s
          WHERE s.is_active AND s.deleted_at IS NULL AND s.next_run_at IS NOT NULL AND ${HAS_LIVE_REPOSITORY}
            AND NOT ${SCHEDULING_IS_PAUSED}
          ORDER BY s.next_run_at, s.id LIMIT $1`,
        [limit],
      ),
    claimDue: (decide, limit) => db.transaction((tx) => claimDue(tx, decide, limit)),
    now: () => clockOf(db),
  };
}

/** @throws not_found `schedule_not_found`. */
async function lockSchedule(tx: Queryable, scheduleId: string): Promise<Schedule> {
  const found = await tx.first<Schedule>(`${FIND} FOR NO KEY UPDATE`, [uuidOrNull(scheduleId)]);
  return found ?? notFound('schedule', scheduleId);
}

function dueTicksOf(schedule: Schedule, timing: ScheduleTiming, now: Date): PassedOver[] {
  return timing.superseded(schedule, now).map((tick) => ({ schedule, tick }));
}

/** @throws not_found `repository_not_found`. */
export async function insertSchedule(
  tx: Queryable,
  schedule: NewSchedule,
  next: (now: Date) => Date | null,
): Promise<Schedule> {
  const { repositoryId } = schedule;
  await lockRepository(tx, repositoryId);
  const nextRunAt = schedule.isActive ? next(await clockOf(tx)) : null;
  const row = { repositoryId, ...pick(schedule, EDITABLE), nextRunAt };
  const { sql, values } = insertInto('schedule_sessions', row);
  return tx.one<Schedule>(`${sql} RETURNING *`, values);
}
