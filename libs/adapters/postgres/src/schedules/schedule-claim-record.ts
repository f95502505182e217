import {
  type Claim,
  type ClaimDecision,
  type Execution,
  type PassedOverTick,
  RepotideError,
  type Schedule,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { storableMessage } from '../sql/rows.js';
import { isNewTick } from '../sql/ticks.js';

/** A due schedule, locked by the transaction, and the decision on its ticks. */
export interface Decided {
  schedule: Schedule;
  decision: ClaimDecision;
}

/** Writes the rows of the ticks and advances the schedules, in three statements however many they are. */
export async function recordClaims(tx: Queryable, decided: readonly Decided[]): Promise<Claim[]> {
  const executions = await insertRuns(tx, decided);
  const formerIds = await findFormerRuns(
    tx,
    decided.filter(({ schedule }) => !executions.has(schedule.id)),
  );
  const passedOver = decided.flatMap(({ schedule, decision }) => {
    const runId = executions.get(schedule.id)?.id ?? formerIds.get(schedule.id) ?? null;
    return decision.passedOver.map((tick) => ({ schedule, tick, runId }));
  });
  await insertPassedOver(tx, passedOver);
  const advanced = await advance(tx, decided);
  return decided.map(({ schedule: { id } }) => ({
    schedule: advanced.get(id)!,
    execution: executions.get(id) ?? null,
  }));
}

export interface PassedOver {
  schedule: Schedule;
  tick: PassedOverTick;
  /** The run of the same decision. */
  runId?: string | null;
}

/** Writes the rows of a schedule's ticks that no claim decides about: an edit passes them over. In their order. */
export async function recordSuperseded(tx: Queryable, rows: readonly PassedOver[]): Promise<void> {
  await insertPassedOver(tx, rows);
  const last = rows.at(-1);
  if (last === undefined) return;
  await tx.query(
    'UPDATE schedule_sessions SET claimed_through = GREATEST(claimed_through, $2) WHERE id = $1',
    [last.schedule.id, last.tick.scheduledUntil ?? last.tick.scheduledFor],
  );
}

/** The caller has locked the schedules. A tick that already has a row gets no second one. */
async function insertPassedOver(tx: Queryable, rows: readonly PassedOver[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO schedule_execution_logs (trigger, completed_at, schedule_session_id, repository_id, scheduled_for,
        scheduled_until, status, error_code, error_message, coalesced_count, satisfied_by)
      SELECT 'cron', clock_timestamp(), tick.*
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
        $8::int[], $9::uuid[]) AS tick (schedule_id, repository_id, scheduled_for, scheduled_until)
      WHERE ${isNewTick('tick.schedule_id', 'tick.scheduled_for')}`,
    [
      rows.map(({ schedule }) => schedule.id),
      rows.map(({ schedule }) => schedule.repositoryId),
      rows.map(({ tick }) => tick.scheduledFor),
      rows.map(({ tick }) => tick.scheduledUntil),
      rows.map(({ tick }) => tick.status),
      rows.map(({ tick }) => tick.errorCode),
      rows.map(({ tick }) => storableMessage(tick.errorMessage)),
      rows.map(({ tick }) => tick.coalescedCount),
      rows.map(({ tick, runId }) => (tick.satisfiedBy === 'run' ? (runId ?? null) : tick.satisfiedBy)),
    ],
  );
}

/** @returns the queued executions by schedule; none for a tick that already has a row. */
async function insertRuns(tx: Queryable, decided: readonly Decided[]): Promise<Map<string, Execution>> {
  const runs = decided.flatMap(({ schedule, decision: { run } }) => (run ? [{ schedule, run }] : []));
  if (runs.length === 0) return new Map();
  const executions = await tx.query<Execution>(
    `INSERT INTO schedule_execution_logs AS e
        (trigger, status, schedule_session_id, repository_id, scheduled_for, coalesced_count)
      SELECT CASE WHEN run.scheduled_for IS NULL THEN 'recovery' ELSE 'cron' END, 'queued', run.*
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[])
        AS run (schedule_session_id, repository_id, scheduled_for, coalesced_count)
      WHERE run.scheduled_for IS NULL OR ${isNewTick('run.schedule_session_id', 'run.scheduled_for')}
      RETURNING *`,
    [
      runs.map(({ schedule }) => schedule.id),
      runs.map(({ schedule }) => schedule.repositoryId),
      runs.map(({ run }) => run.scheduledFor),
      runs.map(({ run }) => run.coalescedCount),
    ],
  );
  return new Map(executions.map((execution) => [execution.scheduleSessionId ?? '', execution]));
}

/** The rows that ticks already have, by schedule: somebody set the schedule back, and a run satisfied its latest tick. */
async function findFormerRuns(tx: Queryable, decided: readonly Decided[]): Promise<Map<string, string>> {
  const ticks = decided.flatMap(({ schedule, decision: { run } }) =>
    run?.scheduledFor ? [{ id: schedule.id, at: run.scheduledFor }] : [],
  );
  if (ticks.length === 0) return new Map();
  const rows = await tx.query<{ scheduleId: string; runId: string }>(
    `SELECT tick.schedule_id, COALESCE(e.satisfied_by, e.id) AS run_id
      FROM unnest($1::uuid[], $2::timestamptz[]) AS tick (schedule_id, at)
      JOIN schedule_execution_logs e ON e.schedule_session_id = tick.schedule_id AND e.scheduled_for = tick.at`,
    [ticks.map(({ id }) => id), ticks.map(({ at }) => at)],
  );
  return new Map(rows.map(({ scheduleId, runId }) => [scheduleId, runId]));
}

async function advance(tx: Queryable, decided: readonly Decided[]): Promise<Map<string, Schedule>> {
  const rows = await tx.query<Schedule>(
    `UPDATE schedule_sessions s SET next_run_at = claim.next_run_at, updated_at = clock_timestamp(),
        claimed_through = GREATEST(s.claimed_through, claim.latest)
      FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::timestamptz[], $5::timestamptz[])
        AS claim (id, next_run_at, revision, was_due_at, latest)
      WHERE s.id = claim.id AND s.revision = claim.revision
        AND date_trunc('milliseconds', s.next_run_at) = claim.was_due_at
      RETURNING s.*`,
    [
      decided.map(({ schedule }) => schedule.id),
      decided.map(({ decision }) => decision.nextRunAt),
      decided.map(({ schedule }) => schedule.revision),
      decided.map(({ schedule }) => schedule.nextRunAt),
      decided.map(({ decision }) => latestTickOf(decision)),
    ],
  );
  const advanced = new Map(rows.map((schedule) => [schedule.id, schedule]));
  const stuck = decided.find(({ schedule }) => !advanced.has(schedule.id));
  if (stuck === undefined) return advanced;
  const message = `Schedule ${stuck.schedule.id} changed while its row was locked.`;
  throw new RepotideError('internal', 'schedule_changed_under_lock', message);
}

function latestTickOf({ run, passedOver }: ClaimDecision): Date | null {
  const ticks = passedOver.map(({ scheduledFor, scheduledUntil }) => scheduledUntil ?? scheduledFor);
  const times = [...ticks, run?.scheduledFor ?? null].flatMap((tick) => (tick ? [tick.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times));
}
