import {
  type Execution,
  type RunIdentity,
  type StartedRun,
  type Taken,
  type TakeRequest,
} from '@core/domain';
import { builtByOthers } from '../generations/builders.js';
import { settingOf, settingSql } from '../settings/settings-store.js';
import { type Database, type Queryable } from '../sql/database.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { QUEUE_ORDER } from '../sql/queue-order.js';
import { uuidOrNull } from '../sql/rows.js';

/** A pod that is cut off in the middle of this transaction would hold the row until the server notices. */
const CUT_OFF_MS = 2_000;

/**
 * The oldest execution that may start, locked with its repository. With SKIP LOCKED, pods that take at the same moment
 * take different executions; a named execution waits for the locks. A host whose runs occupy a pod waits, unless it is the only host.
 * The subquery about other builders is evaluated once.
 */
const PICK = `
  SELECT e.id AS execution_id, e.repository_id, e.handler, r.base_url,
      r.deleted_at IS NOT NULL AS is_repository_deleted, ${settingSql('maxRunSeconds')} AS max_run_seconds, nextval('execution_fence_seq') AS fence,
      set_config('idle_in_transaction_session_timeout', '${CUT_OFF_MS}', true)
    FROM schedule_execution_logs e JOIN repositories r ON r.id = e.repository_id
    WHERE e.completed_at IS NULL AND e.status = 'queued'
      AND (e.id = $1 OR $1::uuid IS NULL
        AND (e.available_at IS NULL OR e.available_at <= (SELECT clock_timestamp())))
      AND e.handler = ANY($2::text[]) AND e.id <> ALL($3::uuid[]) AND (NOT $5 OR e.trigger = 'manual')
      AND (e.handler = 'dry_run' OR NOT EXISTS (
        SELECT 1 FROM schedule_execution_logs o
          WHERE o.repository_id = e.repository_id AND o.completed_at IS NULL AND o.status = 'running' AND o.handler <> 'dry_run'))
      AND (r.base_url <> ALL($4::text[]) OR NOT EXISTS (
        SELECT 1 FROM repositories other WHERE other.base_url <> r.base_url AND other.deleted_at IS NULL))
      AND ($6::text IS NULL OR e.handler NOT IN ('repository_sync', 'repair')
        OR r.collection_name <> ALL(ARRAY(${builtByOthers('$6', '$7')})))
    ORDER BY ${QUEUE_ORDER}, e.id
    LIMIT 1 FOR NO KEY UPDATE OF e, r`;

const START = `
  WITH raised AS (
    UPDATE repositories SET last_fence = $2 WHERE id = $4 AND last_fence < $2 AND $5 RETURNING id)
  UPDATE schedule_execution_logs e SET status = 'running', fence = $2, pod_name = $3,
      started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
      available_at = NULL, error_code = NULL, error_message = NULL
    WHERE id = $1 AND completed_at IS NULL AND (NOT $5 OR EXISTS (SELECT 1 FROM raised)) RETURNING e.*`;

interface Picked extends RunIdentity {
  handler: Execution['handler'];
  baseUrl: string;
  isRepositoryDeleted: boolean;
  maxRunSeconds: unknown;
}

export async function takeExecution(
  db: Database,
  { podName, handlers, executionId, except = [], fullHosts = [], onlyManual = false, builds }: TakeRequest,
  acquire: (run: RunIdentity & Pick<Execution, 'handler'>) => Promise<boolean>,
): Promise<Taken | null> {
  const id = executionId === undefined ? null : uuidOrNull(executionId);
  const others = id === null && builds ? [builds.modelId, builds.silentAfterSeconds] : [null, 0];
  const wanted = [id, handlers, except, fullHosts, onlyManual, ...others];
  if (executionId !== undefined && id === null) return null;
  try {
    return await db.transaction(async (tx) => {
      const picked = await tx.first<Picked>(executionId === undefined ? `${PICK} SKIP LOCKED` : PICK, wanted);
      if (picked === null) return null;
      const { isRepositoryDeleted, baseUrl, handler, maxRunSeconds: limit, ...identity } = picked;
      const maxRunSeconds = settingOf('maxRunSeconds', limit);
      if (!(await acquire({ ...identity, handler }))) return { kind: 'refused', ...identity };
      const run = await start(tx, picked, podName);
      return run === null
        ? { kind: 'refused', ...identity }
        : { kind: 'started', run, baseUrl, isRepositoryDeleted, maxRunSeconds };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'schedule_execution_logs_running_key')) return null;
    throw error;
  }
}

async function start(tx: Queryable, picked: Picked, podName: string): Promise<StartedRun | null> {
  const { executionId, repositoryId, fence, handler } = picked;
  const execution = await tx.first<Execution>(START, [
    executionId,
    fence,
    podName,
    repositoryId,
    handler !== 'dry_run',
  ]);
  return execution && { executionId, repositoryId, fence, execution };
}
