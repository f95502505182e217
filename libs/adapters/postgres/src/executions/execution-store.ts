import { randomUUID } from 'node:crypto';
import {
  type DrawnRun,
  type Execution,
  type ExecutionStore,
  RepotideError,
  type RunIdentity,
  type RunOutcome,
  type StartedRun,
} from '@core/domain';
import { storableMessage, uuidOrNull } from '../sql/columns.js';
import { type Database, type Queryable } from '../sql/database.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { OCCUPIES_REPOSITORY, SELECT_EXECUTION } from '../sql/execution-columns.js';
import { listExecutions } from './execution-list.js';
import { recoverInterrupted, requeue } from './execution-recovery.js';
import {
  attemptParameters,
  fenced,
  fenceLost,
  IS_CURRENT_ATTEMPT,
  raiseCounters,
  setCounters,
} from '../sql/fence.js';
import { atOneMoment } from '../sql/one-moment.js';
import { lockRepository } from '../repositories/repository-store.js';
import { bindRequestKey } from '../sql/request-keys.js';

/** Executions in Postgres. */
export function createExecutionStore(db: Database): ExecutionStore {
  return {
    enqueue: (request) => db.transaction((tx) => enqueue(tx, request)),
    find: (executionId) => find(db, executionId),
    list: (filter, page) => atOneMoment(db, (tx) => listExecutions(tx, filter, page)),
    listQueued: (limit) =>
      db.query<Execution>(
        `SELECT ${SELECT_EXECUTION} FROM schedule_execution_logs e
          WHERE status = 'queued' AND (available_at IS NULL OR available_at <= clock_timestamp())
          ORDER BY trigger = 'manual' DESC, queued_at, id LIMIT $1`,
        [limit],
      ),
    draw: (executionId) => draw(db, executionId),
    start: (executionId, podName, fence) => start(db, executionId, podName, fence),
    async heartbeat(run, counters) {
      const { sql, values } = raiseCounters(counters, 4);
      const [row] = await db.query<{ isCancelRequested: boolean }>(
        `UPDATE schedule_execution_logs SET heartbeat_at = clock_timestamp(), ${sql}
          WHERE ${IS_CURRENT_ATTEMPT} RETURNING cancel_requested_at IS NOT NULL AS "isCancelRequested"`,
        [...attemptParameters(run), ...values],
      );
      if (row === undefined) throw fenceLost(run);
      return row;
    },
    finish: (run, outcome) => finish(db, run, outcome),
    requeue: (run, counters, reason) => fenced(db, run, (tx) => requeue(tx, run, counters, reason)),
    async abandonQueued(executionId, status, errorCode, errorMessage) {
      const rows = await db.query(
        `UPDATE schedule_execution_logs SET status = $2, error_code = $3, error_message = $4,
          completed_at = clock_timestamp() WHERE id = $1 AND status = 'queued' RETURNING id`,
        [uuidOrNull(executionId), status, errorCode, storableMessage(errorMessage)],
      );
      return rows.length > 0;
    },
    requestCancel: (executionId) => requestCancel(db, executionId),
    recoverInterrupted: (options) => recoverInterrupted(db, options),
  };
}

async function find(queryable: Queryable, executionId: string): Promise<Execution | null> {
  const rows = await queryable.query<Execution>(
    `SELECT ${SELECT_EXECUTION} FROM schedule_execution_logs e WHERE id = $1`,
    [uuidOrNull(executionId)],
  );
  return rows[0] ?? null;
}

async function enqueue(tx: Queryable, request: Parameters<ExecutionStore['enqueue']>[0]): Promise<Execution> {
  const { repositoryId, trigger, requestedBy, fullSync, handler = 'repository_sync', requestKey } = request;
  const executionId = randomUUID();
  // Checked before the repository, which may be busy with the run that the first copy of this request queued.
  const formerId = requestKey === undefined ? null : await bindRequestKey(tx, requestKey, executionId);
  if (formerId !== null) return (await find(tx, formerId)) ?? executionGone(formerId);
  await lockRepository(tx, repositoryId, handler === 'purge' ? 'deleted' : 'live');
  if (trigger === 'manual' && handler === 'repository_sync') await foldDelayedPush(tx, repositoryId);
  if (handler !== 'dry_run') await refuseWhileBusy(tx, repositoryId);
  const { maxEmbeddingTokens = null, retryOfExecutionId = null } = request;
  const [row] = await tx.query<Execution>(
    `INSERT INTO schedule_execution_logs AS e (id, repository_id, trigger, handler, status, requested_by, full_sync,
        max_embedding_tokens, retry_of_execution_id)
      VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7, $8) RETURNING ${SELECT_EXECUTION}`,
    [
      ...[executionId, repositoryId, trigger, handler, requestedBy, fullSync],
      ...[maxEmbeddingTokens, retryOfExecutionId],
    ],
  );
  if (row === undefined) throw new RepotideError('internal', 'database_error', 'An insert returned no row.');
  return row;
}

async function refuseWhileBusy(tx: Queryable, repositoryId: string): Promise<void> {
  const [holder] = await tx.query<Execution>(
    `SELECT ${SELECT_EXECUTION} FROM schedule_execution_logs e
      WHERE repository_id = $1 AND status IN ('queued', 'running') AND ${OCCUPIES_REPOSITORY}
      ORDER BY status = 'running' DESC, queued_at LIMIT 1`,
    [repositoryId],
  );
  if (holder !== undefined) throw runInProgress(holder);
}

/**
 * Ends a queued run that waits for more pushes, because the run requested now does its work. SKIP LOCKED: a
 * transaction that is starting that run has locked it and waits for the repository, which is locked here.
 */
async function foldDelayedPush(tx: Queryable, repositoryId: string): Promise<void> {
  await tx.query(
    `UPDATE schedule_execution_logs SET status = 'skipped', completed_at = clock_timestamp(),
        error_code = 'coalesced', error_message = 'Folded into the run that was asked for before its time.'
      WHERE id IN (SELECT id FROM schedule_execution_logs
        WHERE repository_id = $1 AND status = 'queued' AND trigger = 'webhook' AND attempt = 1
          AND available_at > clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED)`,
    [repositoryId],
  );
}

function executionGone(executionId: string): never {
  throw new RepotideError('not_found', 'execution_not_found', `Execution ${executionId} was deleted since.`);
}

function runInProgress(holder: Execution): RepotideError {
  const where =
    holder.status === 'running'
      ? `is running on ${holder.podName} since ${holder.startedAt?.toISOString()}`
      : `is queued since ${holder.queuedAt.toISOString()}`;
  return new RepotideError(
    'conflict',
    'run_in_progress',
    `Execution ${holder.id} of this repository ${where}. Wait for it, or cancel it.`,
    {
      details: {
        execution_id: holder.id,
        pod_name: holder.podName,
        status: holder.status,
        started_at: holder.startedAt?.toISOString() ?? null,
        queued_at: holder.queuedAt.toISOString(),
      },
    },
  );
}

async function draw(db: Database, executionId: string): Promise<DrawnRun | null> {
  const [row] = await db.query<Execution & { drawnFence: number; isRepositoryDeleted: boolean }>(
    `SELECT ${SELECT_EXECUTION}, nextval('execution_fence_seq') AS "drawnFence",
        r.deleted_at IS NOT NULL AS "isRepositoryDeleted"
      FROM schedule_execution_logs e JOIN repositories r ON r.id = e.repository_id WHERE e.id = $1`,
    [uuidOrNull(executionId)],
  );
  if (row === undefined) return null;
  const { drawnFence: fence, isRepositoryDeleted, ...execution } = row;
  return { execution, fence, isRepositoryDeleted };
}

/** A pod that drew its fence and then froze must not start with it after a later attempt has run. */
const START = `
  WITH queued AS (
    SELECT id, repository_id, ${OCCUPIES_REPOSITORY} AS occupies FROM schedule_execution_logs
      WHERE id = $1 AND status = 'queued' FOR NO KEY UPDATE),
  raised AS (
    UPDATE repositories r SET last_fence = $2 FROM queued
      WHERE r.id = queued.repository_id AND queued.occupies AND r.last_fence < $2 RETURNING r.id)
  UPDATE schedule_execution_logs e SET status = 'running', fence = $2, pod_name = $3,
      started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
      available_at = NULL, error_code = NULL, error_message = NULL
    FROM queued LEFT JOIN raised ON true
    WHERE e.id = queued.id AND (raised.id IS NOT NULL OR NOT queued.occupies) RETURNING ${SELECT_EXECUTION}`;

async function start(
  db: Database,
  executionId: string,
  podName: string,
  fence: number,
): Promise<StartedRun | null> {
  try {
    const [execution] = await db.query<Execution>(START, [uuidOrNull(executionId), fence, podName]);
    if (execution === undefined) return null;
    return { executionId: execution.id, repositoryId: execution.repositoryId, fence, execution };
  } catch (error) {
    if (isUniqueViolation(error, 'schedule_execution_logs_running_key')) return null;
    throw error;
  }
}

/** Repeating it after a lost answer is harmless: a row with the same attempt and outcome stays unchanged. */
async function finish(db: Database, run: RunIdentity, outcome: RunOutcome): Promise<Execution> {
  const { sql, values } = setCounters(outcome.counters, 11);
  const [row] = await db.query<Execution>(
    `WITH ended AS (
        UPDATE schedule_execution_logs e SET status = $4, from_commit = $5, to_commit = $6,
          error_code = $7, error_message = $8, fetch_strategy = $9, report = $10::jsonb,
          completed_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
          duration_seconds = EXTRACT(EPOCH FROM clock_timestamp() - started_at), ${sql}
          WHERE ${IS_CURRENT_ATTEMPT} RETURNING ${SELECT_EXECUTION}),
      noted AS (
        UPDATE schedule_sessions s SET last_sync_at = ended."completedAt" FROM ended
          WHERE s.id = ended."scheduleSessionId" AND ended.status = 'completed')
      SELECT * FROM ended`,
    [
      ...attemptParameters(run),
      outcome.status,
      outcome.fromCommit,
      outcome.toCommit,
      outcome.errorCode,
      storableMessage(outcome.errorMessage),
      outcome.fetchStrategy ?? null,
      outcome.report === undefined ? null : storableMessage(JSON.stringify(outcome.report)),
      ...values,
    ],
  );
  return row ?? finishedBefore(db, run, outcome);
}

async function finishedBefore(db: Queryable, run: RunIdentity, outcome: RunOutcome): Promise<Execution> {
  const row = await find(db, run.executionId);
  if (row?.fence === run.fence && row.status === outcome.status) return row;
  throw fenceLost(run);
}

/** A queued execution ends at once; a running one sees the request with its next heartbeat. */
async function requestCancel(db: Database, executionId: string): Promise<Execution | null> {
  const rows = await db.query<Execution>(
    `UPDATE schedule_execution_logs e SET
        cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp()),
        completed_at = CASE status WHEN 'queued' THEN clock_timestamp() END,
        error_code = CASE status WHEN 'queued' THEN 'cancel_requested' ELSE error_code END,
        error_message = CASE status WHEN 'queued' THEN 'Cancelled before it started.' ELSE error_message END,
        status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END
      WHERE id = $1 AND status IN ('queued', 'running') RETURNING ${SELECT_EXECUTION}`,
    [uuidOrNull(executionId)],
  );
  return rows[0] ?? find(db, executionId);
}
