import { randomUUID } from 'node:crypto';
import {
  type Execution,
  type ExecutionStore,
  RepotideError,
  RUN_COUNTER_NAMES,
  type RunIdentity,
  type RunOutcome,
} from '@core/domain';
import { lockRepository } from '../repositories/repository-rows.js';
import { type Database, type Queryable } from '../sql/database.js';
import {
  attemptParameters,
  fenced,
  fenceLost,
  IS_CURRENT_ATTEMPT,
  IS_QUEUED,
  IS_RUNNING,
  OCCUPIES_REPOSITORY,
  raiseCounters,
} from '../sql/fence.js';
import { bindRequestKey } from '../sql/request-keys.js';
import { assignments, insertInto, pick, storableMessage, uuidOrNull } from '../sql/rows.js';
import { listExecutions } from './execution-archive.js';
import { listSilent, recoverInterrupted, requeue } from './execution-recovery.js';
import { takeExecution } from './take-execution.js';

/** Executions in Postgres. */
export function createExecutionStore(db: Database): ExecutionStore {
  return {
    enqueue: (request) => db.transaction((tx) => enqueue(tx, request)),
    find: (executionId) => find(db, executionId),
    list: (filter, page) => db.snapshot((tx) => listExecutions(tx, filter, page)),
    async countQueued() {
      const select = `SELECT count(*) AS count FROM schedule_execution_logs WHERE ${IS_QUEUED}`;
      return (await db.one<{ count: number }>(select)).count;
    },
    take: (request, acquire) => takeExecution(db, request, acquire),
    async heartbeat(run, counters) {
      const { sql, values } = raiseCounters(counters, 4);
      const row = await db.first<{ isCancelRequested: boolean }>(
        `UPDATE schedule_execution_logs SET heartbeat_at = clock_timestamp(), ${sql}
          WHERE ${IS_CURRENT_ATTEMPT} RETURNING cancel_requested_at IS NOT NULL AS is_cancel_requested`,
        [...attemptParameters(run), ...values],
      );
      if (row === null) throw fenceLost(run);
      return row;
    },
    finish: (run, outcome) => finish(db, run, outcome),
    requeue: (run, counters, reason) => fenced(db, run, (tx) => requeue(tx, run, counters, reason)),
    abandonQueued: (executionId, status, errorCode, errorMessage) =>
      db.has(
        `UPDATE schedule_execution_logs SET status = $2, error_code = $3, error_message = $4,
          completed_at = clock_timestamp() WHERE id = $1 AND ${IS_QUEUED} RETURNING id`,
        [uuidOrNull(executionId), status, errorCode, storableMessage(errorMessage)],
      ),
    /** A queued execution ends at once; a running one sees the request with its next heartbeat. */
    async requestCancel(executionId) {
      const changed = await db.first<Execution>(
        `UPDATE schedule_execution_logs SET
            cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp()),
            completed_at = CASE status WHEN 'queued' THEN clock_timestamp() END,
            error_code = CASE status WHEN 'queued' THEN 'cancel_requested' ELSE error_code END,
            error_message = CASE status WHEN 'queued' THEN 'Cancelled before it started.' ELSE error_message END,
            status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END
          WHERE id = $1 AND completed_at IS NULL RETURNING *`,
        [uuidOrNull(executionId)],
      );
      return changed ?? find(db, executionId);
    },
    revoke: ({ executionId, fence }, reason) =>
      db.has(
        `UPDATE schedule_execution_logs SET status = 'cancelled', completed_at = clock_timestamp(),
          cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp()),
          duration_seconds = EXTRACT(EPOCH FROM clock_timestamp() - started_at),
          error_code = 'lock_released', error_message = $3
          WHERE id = $1 AND fence = $2 AND ${IS_RUNNING} RETURNING id`,
        [uuidOrNull(executionId), fence, storableMessage(reason)],
      ),
    listSilent: (staleAfterSeconds) => listSilent(db, staleAfterSeconds),
    recoverInterrupted: (options) => recoverInterrupted(db, options),
  };
}

function find(db: Queryable, executionId: string): Promise<Execution | null> {
  return db.first('SELECT * FROM schedule_execution_logs WHERE id = $1', [uuidOrNull(executionId)]);
}

async function enqueue(tx: Queryable, request: Parameters<ExecutionStore['enqueue']>[0]): Promise<Execution> {
  const { repositoryId, trigger, requestedBy, fullSync, handler = 'repository_sync', requestKey } = request;
  const id = randomUUID();
  // Checked before the repository, which may be busy with the run that the first copy of this request queued.
  const formerId = requestKey === undefined ? null : await bindRequestKey(tx, requestKey, id);
  if (formerId !== null) return (await find(tx, formerId)) ?? deletedSince(formerId);
  await lockRepository(tx, repositoryId, handler === 'purge' ? 'deleted' : 'live');
  if (trigger === 'manual' && handler === 'repository_sync') await coalesceDelayedPush(tx, repositoryId);
  const isScheduledVerification = handler === 'verify' && trigger === 'recovery';
  // One that waits delays no other run, except a second one.
  const busy = isScheduledVerification ? `handler <> 'dry_run'` : OCCUPIES_REPOSITORY;
  if (handler !== 'dry_run') await refuseWhileBusy(tx, repositoryId, busy);
  const { maxEmbeddingTokens = null, retryOfExecutionId = null } = request;
  const { sql, values } = insertInto('schedule_execution_logs', {
    ...{ id, repositoryId, trigger, handler, status: 'queued', requestedBy, fullSync },
    ...{ maxEmbeddingTokens, retryOfExecutionId },
  });
  return tx.one<Execution>(`${sql} RETURNING *`, values);
}

async function refuseWhileBusy(tx: Queryable, repositoryId: string, busy: string): Promise<void> {
  const holder = await tx.first<Execution>(
    `SELECT * FROM schedule_execution_logs
      WHERE repository_id = $1 AND completed_at IS NULL AND ${busy}
      ORDER BY status = 'running' DESC, queued_at LIMIT 1`,
    [repositoryId],
  );
  if (holder !== null) throw runInProgress(holder);
}

/**
 * Ends a queued run that waits for more pushes, because the run requested now does its work. SKIP LOCKED: a
 * transaction that is starting that run has locked it and waits for the repository, which is locked here.
 */
async function coalesceDelayedPush(tx: Queryable, repositoryId: string): Promise<void> {
  await tx.query(
    `UPDATE schedule_execution_logs SET status = 'skipped', completed_at = clock_timestamp(),
        error_code = 'coalesced', error_message = 'Coalesced with a run that was requested while this one waited.'
      WHERE id IN (SELECT id FROM schedule_execution_logs
        WHERE repository_id = $1 AND ${IS_QUEUED} AND trigger = 'webhook' AND attempt = 1
          AND available_at > clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED)`,
    [repositoryId],
  );
}

function deletedSince(executionId: string): never {
  throw new RepotideError('not_found', 'execution_not_found', `Execution ${executionId} was deleted since.`);
}

function runInProgress({ id, podName, status, startedAt, queuedAt }: Execution): RepotideError {
  const where =
    status === 'running'
      ? `has been running on ${podName} since ${startedAt?.toISOString()}`
      : `has been queued since ${queuedAt.toISOString()}`;
  const message = `Execution ${id} of this repository ${where}. Wait for it, or cancel it.`;
  const details = {
    ...{ execution_id: id, pod_name: podName, status },
    ...{ started_at: startedAt?.toISOString() ?? null, queued_at: queuedAt.toISOString() },
  };
  return new RepotideError('conflict', 'run_in_progress', message, { details });
}

/** Repeating it after a lost answer is harmless: a row with the same attempt and outcome stays unchanged. */
async function finish(
  db: Database,
  run: RunIdentity,
  { counters, report, ...outcome }: RunOutcome,
): Promise<Execution> {
  const { status, fromCommit, toCommit, errorCode } = outcome;
  const { sql, values } = assignments(pick(counters, RUN_COUNTER_NAMES), 11);
  const row = await db.first<Execution>(
    `WITH ended AS (
        UPDATE schedule_execution_logs e SET status = $4, from_commit = $5, to_commit = $6,
          error_code = $7, error_message = $8, fetch_strategy = $9, report = COALESCE($10::jsonb, report),
          completed_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
          duration_seconds = EXTRACT(EPOCH FROM clock_timestamp() - started_at), ${sql}
          WHERE ${IS_CURRENT_ATTEMPT} RETURNING e.*),
      noted AS (
        UPDATE schedule_sessions s SET last_sync_at = ended.completed_at FROM ended
          WHERE s.id = ended.schedule_session_id AND ended.status = 'completed')
      SELECT * FROM ended`,
    [
      ...[...attemptParameters(run), status, fromCommit, toCommit, errorCode],
      ...[storableMessage(outcome.errorMessage), outcome.fetchStrategy ?? null],
      ...[report === undefined ? null : storableMessage(JSON.stringify(report)), ...values],
    ],
  );
  if (row !== null) return row;
  const former = await find(db, run.executionId);
  if (former?.fence === run.fence && former.status === status) return former;
  throw fenceLost(run);
}
