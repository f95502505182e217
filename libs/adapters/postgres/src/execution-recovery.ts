import { type Execution, type RunCounters, type RunIdentity } from '@core/domain';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT, raiseCounters } from './fence.js';
import { type Database, type Queryable } from './database.js';
import { SELECT_EXECUTION } from './execution-columns.js';

/** More attempts than any run will ever have. */
const NO_LIMIT = 2_147_483_647;

/**
 * What becomes of running rows whose attempt ended without an outcome; $1 is the most attempts that a run may have.
 * Counters stay: they count over all attempts. So does the fence, which no write can pass any more, as the row is
 * not running. SKIP LOCKED: a row that is being written is not lost, and a second reaper finds other work.
 */
function endAttempts(isLost: string): string {
  return `
    WITH ended AS (
      SELECT id, CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled'
                      WHEN attempt >= $1 THEN 'failed' ELSE 'queued' END AS status
      FROM schedule_execution_logs WHERE status = 'running' AND ${isLost}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE schedule_execution_logs e SET
      status = ended.status,
      attempt = CASE ended.status WHEN 'queued' THEN attempt + 1 ELSE attempt END,
      pod_name = CASE ended.status WHEN 'queued' THEN NULL ELSE pod_name END,
      duration_seconds = CASE ended.status WHEN 'queued' THEN NULL
        ELSE EXTRACT(EPOCH FROM clock_timestamp() - started_at) END,
      started_at = CASE ended.status WHEN 'queued' THEN NULL ELSE started_at END,
      heartbeat_at = CASE ended.status WHEN 'queued' THEN NULL ELSE heartbeat_at END,
      completed_at = CASE ended.status WHEN 'queued' THEN NULL ELSE clock_timestamp() END,
      error_code = CASE ended.status WHEN 'failed' THEN 'run_interrupted' WHEN 'cancelled' THEN 'cancel_requested' END,
      error_message = CASE ended.status
        WHEN 'failed' THEN format('The pod %s stopped during attempt %s of %s. The next run goes on from what is stored.',
          pod_name, attempt, $1)
        WHEN 'cancelled' THEN 'Cancelled on request; its pod stopped before it answered.' END
    FROM ended WHERE e.id = ended.id RETURNING ${SELECT_EXECUTION}`;
}

export async function recoverInterrupted(
  db: Database,
  options: { staleAfterSeconds: number; podName?: string; maxAttempts: number },
): Promise<Execution[]> {
  const { staleAfterSeconds, podName, maxAttempts } = options;
  const isLost =
    podName === undefined ? `heartbeat_at < clock_timestamp() - make_interval(secs => $2)` : `pod_name = $2`;
  return db.query<Execution>(endAttempts(isLost), [maxAttempts, podName ?? staleAfterSeconds]);
}

/** Within a transaction that holds the attempt. */
export async function handOver(tx: Queryable, run: RunIdentity, counters: RunCounters): Promise<Execution> {
  const { sql, values } = raiseCounters(counters, 4);
  await tx.query(`UPDATE schedule_execution_logs SET ${sql} WHERE ${IS_CURRENT_ATTEMPT}`, [
    ...attemptParameters(run),
    ...values,
  ]);
  const [row] = await tx.query<Execution>(endAttempts('id = $2'), [NO_LIMIT, run.executionId]);
  if (row === undefined) throw fenceLost(run);
  return row;
}
