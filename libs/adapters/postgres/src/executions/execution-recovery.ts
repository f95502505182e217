import {
  type Execution,
  type ExecutionStore,
  type RecoveredRun,
  type RunCounters,
  type RunIdentity,
} from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT, raiseCounters } from '../sql/fence.js';
import { storableMessage } from '../sql/rows.js';

type Reason = Parameters<ExecutionStore['requeue']>[2];

/** More interruptions than any run can have. */
const NO_LIMIT = 2_147_483_647;

/**
 * Moves running rows whose attempt ended without an outcome to the next attempt, or ends them when the run
 * has a cancel request or was interrupted too often. Parameters: $1 interruptions to add, $2 the limit
 * of interruptions, $3..$5 error code, message and availability of a requeued row. Counters stay, because they count
 * over all attempts. The fence stays too: no write passes it, as the row is not running. SKIP LOCKED: a row
 * that is being written is not lost, and a second reaper takes other rows.
 */
function endAttempts(isLost: string): string {
  return `
    WITH ended AS (
      SELECT id, pod_name AS lost_pod, CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled'
        WHEN interruptions + $1::int > $2::int THEN 'failed' ELSE 'queued' END AS status
      FROM schedule_execution_logs WHERE status = 'running' AND ${isLost}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE schedule_execution_logs e SET
      status = ended.status,
      interruptions = interruptions + $1::int,
      attempt = CASE ended.status WHEN 'queued' THEN attempt + 1 ELSE attempt END,
      pod_name = CASE ended.status WHEN 'queued' THEN NULL ELSE pod_name END,
      started_at = CASE ended.status WHEN 'queued' THEN NULL ELSE started_at END,
      heartbeat_at = CASE ended.status WHEN 'queued' THEN NULL ELSE heartbeat_at END,
      available_at = CASE ended.status WHEN 'queued' THEN $5::timestamptz END,
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
    FROM ended WHERE e.id = ended.id RETURNING e.*, ended.lost_pod`;
}

/** See the port. */
export async function recoverInterrupted(
  db: Database,
  options: Parameters<ExecutionStore['recoverInterrupted']>[0],
): Promise<RecoveredRun[]> {
  const { lost, maxInterruptions } = options;
  const [isLost, value] =
    'podNames' in lost
      ? ['pod_name = ANY($6)', lost.podNames]
      : ['heartbeat_at < clock_timestamp() - make_interval(secs => $6)', lost.staleAfterSeconds];
  const parameters = [1, maxInterruptions, null, null, null, value];
  const rows = await db.query<EndedRow>(endAttempts(isLost), parameters);
  return rows.map(recoveredRun);
}

/** @param tx has locked the attempt. A run with a cancel request ends instead. */
export async function requeue(
  tx: Queryable,
  run: RunIdentity,
  counters: RunCounters,
  { errorCode, errorMessage, availableAt }: Reason,
): Promise<Execution> {
  const { sql, values } = raiseCounters(counters, 4);
  await tx.query(`UPDATE schedule_execution_logs SET ${sql} WHERE ${IS_CURRENT_ATTEMPT}`, [
    ...attemptParameters(run),
    ...values,
  ]);
  const parameters = [0, NO_LIMIT, errorCode, storableMessage(errorMessage), availableAt, run.executionId];
  const row = await tx.first<EndedRow>(endAttempts('id = $6'), parameters);
  if (row === null) throw fenceLost(run);
  return recoveredRun(row).execution;
}

type EndedRow = Execution & { lostPod: string };

function recoveredRun({ lostPod, ...execution }: EndedRow): RecoveredRun {
  return { execution, lost: { podName: lostPod, fence: execution.fence } };
}
