import {
  type Claim,
  type ClaimDecision,
  type DueSchedule,
  type Occupant,
  RepotideError,
  type Schedule,
  toRepotideError,
} from '@core/domain';
import { clockOf, type Queryable } from '../sql/database.js';
import { OCCUPIES_REPOSITORY } from '../sql/fence.js';
import { type Decided, recordClaims } from './schedule-claim-record.js';
import { holdSettings, SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';

/** How long to wait for a locked repository when nothing else is due; then the claim fails and is retried later. */
const WAIT_FOR_HELD = '1s';

/** Needs the schedules as `s`. A look-up for each row: a join may read all repositories when nothing is due. */
export const HAS_LIVE_REPOSITORY = '(SELECT deleted_at IS NULL FROM repositories WHERE id = s.repository_id)';

type Decide = (due: DueSchedule) => ClaimDecision;

/** Due schedules that this call skips. */
interface SetAside {
  /** Another transaction has locked the schedule's repository, or has just deleted it. */
  held: string[];
  /** Checked: undecidable, or no longer due. */
  settled: string[];
  firstFailure: RepotideError | null;
}

/**
 * Claims up to `limit` due schedules, one per repository, within the given transaction. The unique tick makes
 * it exact: a second claim of a tick (after the clock was set back or a backup was restored) inserts nothing
 * and only advances the schedule. A schedule that cannot be decided on (a row edited by hand) or whose
 * repository is locked does not delay the others: it is reported, or waited for, only when nothing else is
 * due. While scheduling is paused nothing is due.
 * @returns claims in the order in which they were due; empty when nothing is due.
 * @throws invalid `schedule_undecidable`; internal `schedule_not_advanced`; temporary `database_timeout`
 */
export async function claimDue(tx: Queryable, decide: Decide, limit: number): Promise<Claim[]> {
  const aside: SetAside = { held: [], settled: [], firstFailure: null };
  await holdSettings(tx);
  let decided = await decideDue(tx, decide, limit, aside, 'SKIP LOCKED');
  if (decided.length === 0 && aside.held.length > 0) {
    await tx.query(`SET LOCAL lock_timeout = '${WAIT_FOR_HELD}'`);
    aside.held = [];
    decided = await decideDue(tx, decide, limit, aside, '');
  }
  if (decided.length > 0) return recordClaims(tx, decided);
  if (aside.firstFailure !== null) throw aside.firstFailure;
  return [];
}

async function decideDue(
  tx: Queryable,
  decide: Decide,
  limit: number,
  aside: SetAside,
  whenHeld: 'SKIP LOCKED' | '',
): Promise<Decided[]> {
  for (;;) {
    const schedules = await lockDue(tx, [...aside.held, ...aside.settled], limit);
    if (schedules.length === 0) return [];
    const decided: Decided[] = [];
    const left = new Set(schedules.map(({ id }) => id));
    for (const due of await lookAround(tx, schedules, whenHeld)) {
      left.delete(due.schedule.id);
      const decision = decideOn(due, decide);
      if (decision instanceof RepotideError) {
        aside.settled.push(due.schedule.id);
        aside.firstFailure ??= decision;
      } else if (isNothingDue(due.schedule, decision)) aside.settled.push(due.schedule.id);
      else decided.push({ schedule: due.schedule, decision });
    }
    if (decided.length > 0) return decided;
    aside.held.push(...left);
  }
}

function decideOn(due: DueSchedule, decide: Decide): ClaimDecision | RepotideError {
  try {
    const decision = decide(due);
    return isNothingDue(due.schedule, decision) ? decision : advancing(due.schedule, decision);
  } catch (thrown) {
    const error = toRepotideError(thrown);
    if (error.code === 'schedule_not_advanced') return error;
    const message = `Schedule ${due.schedule.id} is due but its next tick cannot be found: ${error.message} Edit or pause it.`;
    const options = { cause: thrown, details: { schedule_id: due.schedule.id } };
    return new RepotideError('invalid', 'schedule_undecidable', message, options);
  }
}

/** SKIP LOCKED: pods that claim at the same moment take different schedules instead of waiting for each other. */
function lockDue(tx: Queryable, setAside: readonly string[], limit: number): Promise<Schedule[]> {
  return tx.query<Schedule>(
    `SELECT s.* FROM schedule_sessions s
      WHERE s.is_active AND s.deleted_at IS NULL AND ${HAS_LIVE_REPOSITORY}
        AND s.next_run_at <= (SELECT clock_timestamp()) AND s.id <> ALL($1::uuid[])
        AND NOT ${SCHEDULING_IS_PAUSED}
      ORDER BY s.next_run_at, s.id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
    [setAside, limit],
  );
}

/**
 * Locks the repositories, so that no other transaction makes them busy between the check and the insert. All
 * pods lock in the order of ids and therefore cannot deadlock. Leaves out deleted repositories, and all but
 * the first schedule of a repository, because the first one makes it busy.
 */
async function lookAround(
  tx: Queryable,
  schedules: readonly Schedule[],
  whenHeld: 'SKIP LOCKED' | '',
): Promise<DueSchedule[]> {
  const repositoryIds = [...new Set(schedules.map(({ repositoryId }) => repositoryId))];
  const live = await tx.query<{ id: string }>(
    `SELECT id FROM repositories WHERE id = ANY($1) AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE ${whenHeld}`,
    [repositoryIds],
  );
  const occupants = await tx.query<Occupant & { repositoryId: string }>(
    `SELECT DISTINCT ON (repository_id) repository_id, id AS execution_id, started_at,
        handler IN ('repository_sync', 'repair') AS is_sync
      FROM schedule_execution_logs
      WHERE repository_id = ANY($1) AND completed_at IS NULL AND ${OCCUPIES_REPOSITORY}
      ORDER BY repository_id, started_at DESC NULLS FIRST`,
    [repositoryIds],
  );
  const occupantOf = new Map(occupants.map(({ repositoryId, ...occupant }) => [repositoryId, occupant]));
  const now = await clockOf(tx);
  const untaken = new Set(live.map(({ id }) => id));
  const firsts = schedules.filter(({ repositoryId }) => untaken.delete(repositoryId));
  return firsts.map((schedule) => ({
    schedule,
    now,
    occupant: occupantOf.get(schedule.repositoryId) ?? null,
  }));
}

/** True when the clock stepped back between the lock and the check. */
function isNothingDue(schedule: Schedule, decision: ClaimDecision): boolean {
  return (
    decision.run === null &&
    decision.passedOver.length === 0 &&
    decision.nextRunAt?.getTime() === schedule.nextRunAt?.getTime()
  );
}

/** Refuses a decision that leaves the schedule due: it would be claimed again at once, forever. */
function advancing(schedule: Schedule, decision: ClaimDecision): ClaimDecision {
  const { nextRunAt } = decision;
  if (nextRunAt === null || schedule.nextRunAt === null || nextRunAt > schedule.nextRunAt) return decision;
  const message = `The tick after ${schedule.nextRunAt.toISOString()} was computed as ${nextRunAt.toISOString()}; it must be later.`;
  const details = { schedule_id: schedule.id };
  throw new RepotideError('internal', 'schedule_not_advanced', message, { details });
}
