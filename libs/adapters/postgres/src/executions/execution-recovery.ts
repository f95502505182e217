import {
  type Execution,
  type ExecutionStore,
  type RecoveredRun,
  type RunCounters,
  type RunIdentity,
  type SilentRun,
} from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT, IS_RUNNING, raiseCounters } from '../sql/fence.js';
import { storableMessage } from '../sql/rows.js';

type Reason = Parameters<ExecutionStore['requeue']>[2];

/** More interruptions than any run can have. */
const NO_LIMIT = 2_147_483_647;

/**
 * Moves running rows whose attempt ended without an outcome to the next attempt, or ends them when the run
 * has a cancel request or was interrupted too often. Parameters: $1 interruptions to add, $2 the limit
 * of interruptions, $3..$5 error code, message and delay of a requeued row, $6 failures to add. Counters stay, because they count
 * over all attempts. The fence stays too: no write passes it, as the row is not running. SKIP LOCKED: a row
 * that is being written is not lost, and a second reaper takes other rows.
 */
function endAttempts(isLost: string): string {
  return `
    WITH ended AS (
      SELECT id, pod_name AS lost_pod, CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled'
        WHEN interruptions + $1::int > $2::int THEN 'failed' ELSE 'queued' END AS status
      FROM schedule_execution_logs WHERE ${IS_RUNNING} AND ${isLost}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE schedule_execution_logs e SET
      status = ended.status,
      interruptions = interruptions + $1::int,
      attempt = CASE ended.status WHEN 'queued' THEN attempt + 1 ELSE attempt END,
      pod_name = CASE ended.status WHEN 'queued' THEN NULL ELSE pod_name END,
      started_at = CASE ended.status WHEN 'queued' THEN NULL ELSE started_at END,
      heartbeat_at = CASE ended.status WHEN 'queued' THEN NULL ELSE heartbeat_at END,
      failures = failures + $6::int,
      available_at = CASE ended.status WHEN 'queued' THEN clock_timestamp() + make_interval(secs => $5::float8) END,
      completed_at = CASE ended.status WHEN 'queued' THEN NULL ELSE clock_timestamp() END,
      duration_seconds = CASE ended.status WHEN 'queued' THEN NULL
        ELSE EXTRACT(EPOCH FROM clock_timestamp() - started_at) END,
      error_code = CASE ended.status
        WHEN 'queued' THEN $3::text WHEN 'failed' THEN 'run_interrupted' ELSE 'cancel_requested' END,
      error_message = CASE ended.status
        WHEN 'queued' THEN $4::text
        WHEN 'failed' THEN format('Pod %s was lost during attempt %s. The run was interrupted %s times; the limit is %s. ' ||
          'The next run continues from what is stored.', pod_name, attempt, interruptions + $1::int, $2::int)
        ELSE 'Cancelled on request.' END
    FROM ended WHERE e.id = ended.id AND e.completed_at IS NULL RETURNING e.*, ended.lost_pod`;
}

/**
 * A silent row says nothing before pods have reached the database for one lease time without a gap, because until then a
 * living run may not have been able to send a heartbeat. A process that shows life, at half the lease time, did not die.
 */
const SILENT = `
  SELECT e.id AS execution_id, e.repository_id, e.fence, e.pod_name, e.handler <> 'dry_run' AS has_lease, had_its_chance,
      NOT EXISTS (SELECT 1 FROM pods p WHERE p.pod_name = e.pod_name AND p.started_at < e.started_at
          AND p.seen_at > clock_timestamp() - make_interval(secs => $1::float8 / 2))
        AND (had_its_chance
          OR EXISTS (SELECT 1 FROM pods p WHERE p.pod_name = e.pod_name AND p.started_at > e.started_at)) AS is_pod_lost
    FROM schedule_execution_logs e CROSS JOIN (
      SELECT seen_at > clock_timestamp() - make_interval(secs => $1::float8 / 2)
        AND since < clock_timestamp() - make_interval(secs => $1::float8) AS had_its_chance FROM database_reached) AS d
    WHERE e.completed_at IS NULL AND e.status = 'running' AND e.heartbeat_at < clock_timestamp() - make_interval(secs => $1::float8)
    ORDER BY e.id`;

export function listSilent(db: Database, staleAfterSeconds: number): Promise<SilentRun[]> {
  return db.query<SilentRun>(SILENT, [staleAfterSeconds]);
}

/** See the port. */
export async function recoverInterrupted(
  db: Database,
  { lost, maxInterruptions }: Parameters<ExecutionStore['recoverInterrupted']>[0],
): Promise<RecoveredRun[]> {
  const counted = maxInterruptions === null ? [0, NO_LIMIT] : [1, maxInterruptions];
  const [isLost, values] =
    'podNames' in lost
      ? ['pod_name = ANY($7)', [lost.podNames]]
      : [
          `heartbeat_at < clock_timestamp() - make_interval(secs => $7)
            AND ($8::uuid[] IS NULL OR id = ANY($8::uuid[]))`,
          [lost.staleAfterSeconds, lost.executionIds ?? null],
        ];
  const rows = await db.query<EndedRow>(endAttempts(isLost), [...counted, null, null, null, 0, ...values]);
  return rows.map(recoveredRun);
}

/** @param tx has locked the attempt. A run with a cancel request ends instead. */
export async function requeue(
  tx: Queryable,
  run: RunIdentity,
  counters: RunCounters,
  { errorCode, errorMessage, delaySeconds, isFailure }: Reason,
): Promise<Execution> {
  const { sql, values } = raiseCounters(counters, 4);
  await tx.query(`UPDATE schedule_execution_logs SET ${sql} WHERE ${IS_CURRENT_ATTEMPT}`, [
    ...attemptParameters(run),
    ...values,
  ]);
  const reason = [errorCode, storableMessage(errorMessage), delaySeconds, isFailure ? 1 : 0];
  const row = await tx.first<EndedRow>(endAttempts('id = $7'), [0, NO_LIMIT, ...reason, run.executionId]);
  if (row === null) throw fenceLost(run);
  return recoveredRun(row).execution;
}

type EndedRow = Execution & { lostPod: string };

function recoveredRun({ lostPod, ...execution }: EndedRow): RecoveredRun {
  return { execution, lost: { podName: lostPod, fence: execution.fence } };
}
