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

/**
 * Claims one due schedule within the given transaction. The unique tick makes it exact: whoever comes second, for
 * whatever reason (a clock set back, a restored backup), inserts nothing and only advances.
 * A schedule that cannot be decided on (a row edited by hand) holds up no other: it is told of once nothing else is due.
 * While scheduling is paused nothing is due.
 * @throws invalid `schedule_undecidable`
 */
export async function claimDue(
  tx: Queryable,
  selectSchedule: string,
  decide: (due: DueSchedule) => ClaimDecision,
): Promise<Claim | null> {
  const setAside: string[] = [];
  let firstFailure: RepotideError | null = null;
  await holdSettings(tx);
  for (;;) {
    const schedule = await lockDue(tx, selectSchedule, setAside);
    if (schedule === null && firstFailure !== null) throw firstFailure;
    if (schedule === null) return null;
    const due = await lookAround(tx, schedule);
    if (due === null) return null;
    const decision = decideOn(due, decide);
    if (!(decision instanceof RepotideError)) return record(tx, selectSchedule, schedule, decision);
    setAside.push(schedule.id);
    firstFailure ??= decision;
  }
}

function decideOn(
  due: DueSchedule,
  decide: (due: DueSchedule) => ClaimDecision,
): ClaimDecision | RepotideError {
  try {
    return decide(due);
  } catch (thrown) {
    const { message } = toRepotideError(thrown);
    return new RepotideError(
      'invalid',
      'schedule_undecidable',
      `Schedule ${due.schedule.id} is due but its next tick cannot be found: ${message} Edit or pause it.`,
      { cause: thrown, details: { schedule_id: due.schedule.id } },
    );
  }
}

async function record(
  tx: Queryable,
  selectSchedule: string,
  schedule: Schedule,
  decision: ClaimDecision,
): Promise<Claim | null> {
  if (isNothingDue(schedule, decision)) return null;
  refuseStandstill(schedule, decision);
  await insertPassedOver(tx, schedule, decision);
  const execution = await insertRun(tx, schedule, decision);
  return { schedule: await advance(tx, selectSchedule, schedule, decision), execution };
}

/** SKIP LOCKED: pods that claim at the same moment take different schedules instead of waiting for each other. */
async function lockDue(
  tx: Queryable,
  selectSchedule: string,
  setAside: readonly string[],
): Promise<Schedule | null> {
  const rows = await tx.query<Schedule>(
    `SELECT ${selectSchedule} FROM schedule_sessions s JOIN repositories r ON r.id = s.repository_id
      WHERE s.is_active AND s.deleted_at IS NULL AND r.deleted_at IS NULL
        AND s.next_run_at <= (SELECT clock_timestamp()) AND s.id <> ALL($1::uuid[])
        AND NOT ${SCHEDULING_IS_PAUSED}
      ORDER BY s.next_run_at, s.id LIMIT 1 FOR NO KEY UPDATE OF s SKIP LOCKED`,
    [setAside],
  );
  return rows[0] ?? null;
}

/** Under the repository's lock nobody can make it busy between the look and the insert. Null when it was deleted. */
async function lookAround(tx: Queryable, schedule: Schedule): Promise<DueSchedule | null> {
  const repositories = await tx.query(
    'SELECT 1 FROM repositories WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
    [schedule.repositoryId],
  );
  if (repositories.length === 0) return null;
  const [facts] = await tx.query<{ now: Date; isBusy: boolean }>(
    `SELECT clock_timestamp() AS now, EXISTS (
      SELECT FROM schedule_execution_logs WHERE repository_id = $1 AND status IN ('queued', 'running')
    ) AS "isBusy"`,
    [schedule.repositoryId],
  );
  return facts === undefined ? null : { schedule, ...facts };
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
function refuseStandstill(schedule: Schedule, { nextRunAt }: ClaimDecision): void {
  if (nextRunAt === null || schedule.nextRunAt === null || nextRunAt > schedule.nextRunAt) return;
  throw new RepotideError(
    'internal',
    'schedule_not_advanced',
    `The tick after ${schedule.nextRunAt.toISOString()} was computed as ${nextRunAt.toISOString()}; it must be later.`,
    { details: { schedule_id: schedule.id } },
  );
}

async function insertPassedOver(
  tx: Queryable,
  schedule: Schedule,
  { passedOver }: ClaimDecision,
): Promise<void> {
  if (passedOver.length === 0) return;
  await tx.query(
    `INSERT INTO schedule_execution_logs (schedule_session_id, repository_id, trigger, scheduled_for, status,
        error_code, error_message, coalesced_count, completed_at)
      SELECT $1, $2, 'cron', tick.*, clock_timestamp()
      FROM unnest($3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::int[]) AS tick
      ON CONFLICT ON CONSTRAINT schedule_execution_logs_tick_key DO NOTHING`,
    [
      schedule.id,
      schedule.repositoryId,
      passedOver.map((tick) => tick.scheduledFor),
      passedOver.map((tick) => tick.status),
      passedOver.map((tick) => tick.errorCode),
      passedOver.map((tick) => storableMessage(tick.errorMessage)),
      passedOver.map((tick) => tick.coalescedCount),
    ],
  );
}

async function insertRun(
  tx: Queryable,
  schedule: Schedule,
  { run }: ClaimDecision,
): Promise<Execution | null> {
  if (run === null) return null;
  const rows = await tx.query<Execution>(
    `INSERT INTO schedule_execution_logs AS e
        (schedule_session_id, repository_id, trigger, scheduled_for, status, coalesced_count)
      VALUES ($1, $2, 'cron', $3, 'queued', $4)
      ON CONFLICT ON CONSTRAINT schedule_execution_logs_tick_key DO NOTHING RETURNING ${SELECT_EXECUTION}`,
    [schedule.id, schedule.repositoryId, run.scheduledFor, run.coalescedCount],
  );
  return rows[0] ?? null;
}

async function advance(
  tx: Queryable,
  selectSchedule: string,
  schedule: Schedule,
  { nextRunAt }: ClaimDecision,
): Promise<Schedule> {
  const [advanced] = await tx.query<Schedule>(
    `UPDATE schedule_sessions s SET next_run_at = $2, updated_at = clock_timestamp()
      WHERE id = $1 AND revision = $3 AND date_trunc('milliseconds', next_run_at) = $4
      RETURNING ${selectSchedule}`,
    [schedule.id, nextRunAt, schedule.revision, schedule.nextRunAt],
  );
  if (advanced !== undefined) return advanced;
  throw new RepotideError(
    'internal',
    'schedule_changed_under_lock',
    `Schedule ${schedule.id} changed while its row was locked.`,
  );
}
