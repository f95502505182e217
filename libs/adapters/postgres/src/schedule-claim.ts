import {
  type Claim,
  type ClaimDecision,
  type DueSchedule,
  type Execution,
  RepotideError,
  type Schedule,
  toRepotideError,
} from '@core/domain';
import { storableMessage } from './columns.js';
import { type Queryable } from './database.js';
import { SELECT_EXECUTION } from './execution-columns.js';
import { holdSettings, SCHEDULING_IS_PAUSED } from './settings/scheduling-gate.js';

interface Decided {
  schedule: Schedule;
  decision: ClaimDecision;
}

/**
 * Claims due schedules, `limit` at most and one for each repository, within the given transaction. The unique tick makes
 * it exact: whoever comes second, for whatever reason (a clock set back, a restored backup), inserts nothing and only
 * advances. A schedule that cannot be decided on (a row edited by hand) holds up no other: it is told of once nothing
 * else is due. While scheduling is paused nothing is due.
 * @returns in the order in which they were due; empty when nothing is.
 * @throws invalid `schedule_undecidable`; internal `schedule_not_advanced`
 */
export async function claimDue(
  tx: Queryable,
  selectSchedule: string,
  decide: (due: DueSchedule) => ClaimDecision,
  limit: number,
): Promise<Claim[]> {
  const setAside: string[] = [];
  let firstFailure: RepotideError | null = null;
  await holdSettings(tx);
  for (;;) {
    const schedules = await lockDue(tx, selectSchedule, setAside, limit);
    if (schedules.length === 0 && firstFailure !== null) throw firstFailure;
    if (schedules.length === 0) return [];
    const decided: Decided[] = [];
    const undecided = setAside.length;
    for (const due of await lookAround(tx, schedules)) {
      const decision = decideOn(due, decide);
      if (decision instanceof RepotideError) {
        setAside.push(due.schedule.id);
        firstFailure ??= decision;
      } else if (!isNothingDue(due.schedule, decision)) decided.push({ schedule: due.schedule, decision });
    }
    if (decided.length > 0) return record(tx, selectSchedule, decided);
    if (setAside.length === undecided) return [];
  }
}

function decideOn(
  due: DueSchedule,
  decide: (due: DueSchedule) => ClaimDecision,
): ClaimDecision | RepotideError {
  try {
    const decision = decide(due);
    return isNothingDue(due.schedule, decision) ? decision : advancing(due.schedule, decision);
  } catch (thrown) {
    const error = toRepotideError(thrown);
    if (error.code === 'schedule_not_advanced') return error;
    return new RepotideError(
      'invalid',
      'schedule_undecidable',
      `Schedule ${due.schedule.id} is due but its next tick cannot be found: ${error.message} Edit or pause it.`,
      { cause: thrown, details: { schedule_id: due.schedule.id } },
    );
  }
}

async function record(tx: Queryable, selectSchedule: string, decided: readonly Decided[]): Promise<Claim[]> {
  await insertPassedOver(tx, decided);
  const executions = await insertRuns(tx, decided);
  const advanced = await advance(tx, selectSchedule, decided);
  return decided.map(({ schedule: { id } }) => ({
    schedule: advanced.get(id)!,
    execution: executions.get(id) ?? null,
  }));
}

/** SKIP LOCKED: pods that claim at the same moment take different schedules instead of waiting for each other. */
function lockDue(
  tx: Queryable,
  selectSchedule: string,
  setAside: readonly string[],
  limit: number,
): Promise<Schedule[]> {
  return tx.query<Schedule>(
    `SELECT ${selectSchedule} FROM schedule_sessions s JOIN repositories r ON r.id = s.repository_id
      WHERE s.is_active AND s.deleted_at IS NULL AND r.deleted_at IS NULL
        AND s.next_run_at <= (SELECT clock_timestamp()) AND s.id <> ALL($1::uuid[])
        AND NOT ${SCHEDULING_IS_PAUSED}
      ORDER BY s.next_run_at, s.id LIMIT $2 FOR NO KEY UPDATE OF s SKIP LOCKED`,
    [setAside, limit],
  );
}

/**
 * Under the repositories' locks nobody can make them busy between the look and the insert; taken in one order, no two
 * pods wait for each other. Leaves out what was deleted, and all but the first schedule of a repository: that one
 * makes it busy.
 */
async function lookAround(tx: Queryable, schedules: readonly Schedule[]): Promise<DueSchedule[]> {
  const repositoryIds = [...new Set(schedules.map(({ repositoryId }) => repositoryId))];
  const live = await tx.query<{ id: string }>(
    'SELECT id FROM repositories WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [repositoryIds],
  );
  const [facts] = await tx.query<{ now: Date; busyIds: string[] }>(
    `SELECT clock_timestamp() AS now, ARRAY(
      SELECT repository_id FROM schedule_execution_logs
        WHERE repository_id = ANY($1) AND status IN ('queued', 'running')
    ) AS "busyIds"`,
    [repositoryIds],
  );
  if (facts === undefined) return [];
  const untaken = new Set(live.map(({ id }) => id));
  const firsts = schedules.filter(({ repositoryId }) => untaken.delete(repositoryId));
  const { now, busyIds } = facts;
  return firsts.map((schedule) => ({ schedule, now, isBusy: busyIds.includes(schedule.repositoryId) }));
}

/** The clock stepped back between the lock and the look. */
function isNothingDue(schedule: Schedule, decision: ClaimDecision): boolean {
  return (
    decision.run === null &&
    decision.passedOver.length === 0 &&
    decision.nextRunAt?.getTime() === schedule.nextRunAt?.getTime()
  );
}

/** A schedule that stays due would be claimed again at once, for ever. */
function advancing(schedule: Schedule, decision: ClaimDecision): ClaimDecision {
  const { nextRunAt } = decision;
  if (nextRunAt === null || schedule.nextRunAt === null || nextRunAt > schedule.nextRunAt) return decision;
  throw new RepotideError(
    'internal',
    'schedule_not_advanced',
    `The tick after ${schedule.nextRunAt.toISOString()} was computed as ${nextRunAt.toISOString()}; it must be later.`,
    { details: { schedule_id: schedule.id } },
  );
}

async function insertPassedOver(tx: Queryable, decided: readonly Decided[]): Promise<void> {
  const rows = decided.flatMap(({ schedule, decision }) =>
    decision.passedOver.map((tick) => ({ schedule, tick })),
  );
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO schedule_execution_logs (trigger, completed_at, schedule_session_id, repository_id, scheduled_for,
        status, error_code, error_message, coalesced_count)
      SELECT 'cron', clock_timestamp(), tick.*
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::int[]) AS tick
      ON CONFLICT ON CONSTRAINT schedule_execution_logs_tick_key DO NOTHING`,
    [
      rows.map(({ schedule }) => schedule.id),
      rows.map(({ schedule }) => schedule.repositoryId),
      rows.map(({ tick }) => tick.scheduledFor),
      rows.map(({ tick }) => tick.status),
      rows.map(({ tick }) => tick.errorCode),
      rows.map(({ tick }) => storableMessage(tick.errorMessage)),
      rows.map(({ tick }) => tick.coalescedCount),
    ],
  );
}

/** @returns the queued executions by schedule; none for a tick that has its row already. */
async function insertRuns(tx: Queryable, decided: readonly Decided[]): Promise<Map<string, Execution>> {
  const runs = decided.flatMap(({ schedule, decision: { run } }) => (run ? [{ schedule, run }] : []));
  if (runs.length === 0) return new Map();
  const executions = await tx.query<Execution>(
    `INSERT INTO schedule_execution_logs AS e
        (trigger, status, schedule_session_id, repository_id, scheduled_for, coalesced_count)
      SELECT 'cron', 'queued', run.* FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[]) AS run
      ON CONFLICT ON CONSTRAINT schedule_execution_logs_tick_key DO NOTHING RETURNING ${SELECT_EXECUTION}`,
    [
      runs.map(({ schedule }) => schedule.id),
      runs.map(({ schedule }) => schedule.repositoryId),
      runs.map(({ run }) => run.scheduledFor),
      runs.map(({ run }) => run.coalescedCount),
    ],
  );
  return new Map(executions.map((execution) => [execution.scheduleSessionId ?? '', execution]));
}

async function advance(
  tx: Queryable,
  selectSchedule: string,
  decided: readonly Decided[],
): Promise<Map<string, Schedule>> {
  const rows = await tx.query<Schedule>(
    `UPDATE schedule_sessions s SET next_run_at = claim.next_run_at, updated_at = clock_timestamp()
      FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::timestamptz[])
        AS claim (id, next_run_at, revision, was_due_at)
      WHERE s.id = claim.id AND s.revision = claim.revision
        AND date_trunc('milliseconds', s.next_run_at) = claim.was_due_at
      RETURNING ${selectSchedule}`,
    [
      decided.map(({ schedule }) => schedule.id),
      decided.map(({ decision }) => decision.nextRunAt),
      decided.map(({ schedule }) => schedule.revision),
      decided.map(({ schedule }) => schedule.nextRunAt),
    ],
  );
  const advanced = new Map(rows.map((schedule) => [schedule.id, schedule]));
  const stuck = decided.find(({ schedule }) => !advanced.has(schedule.id));
  if (stuck === undefined) return advanced;
  throw new RepotideError(
    'internal',
    'schedule_changed_under_lock',
    `Schedule ${stuck.schedule.id} changed while its row was locked.`,
  );
}
