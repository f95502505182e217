import { type Repository } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { IS_QUEUED, IS_RUNNING } from '../sql/fence.js';
import { uuidOrNull } from '../sql/rows.js';
import { isNewTick } from '../sql/ticks.js';
import { changed } from './repository-rows.js';

/** Also ends queued runs and cancels the running one, which would otherwise store points after the purge. */
export async function softDelete(tx: Queryable, repositoryId: string): Promise<Repository> {
  const id = [uuidOrNull(repositoryId)];
  await tx.query(
    `SELECT 1 FROM schedule_execution_logs WHERE repository_id = $1 AND completed_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`,
    id,
  );
  await tx.query(
    'SELECT 1 FROM schedule_sessions WHERE repository_id = $1 ORDER BY id FOR NO KEY UPDATE',
    id,
  );
  const row = await tx.first<Repository>(
    changed(
      `UPDATE repositories SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
        revision = revision + 1 WHERE id = $1 AND deleted_at IS NULL`,
    ),
    id,
  );
  if (row === null) return notFound('repository', repositoryId);
  // No tick vanishes. One row is enough for those that were due: two ticks are at least a minute apart.
  await tx.query(
    `INSERT INTO schedule_execution_logs (trigger, status, completed_at, schedule_session_id, repository_id,
        scheduled_for, scheduled_until, error_code, error_message)
      SELECT 'cron', 'skipped', clock_timestamp(), id, repository_id, next_run_at,
        CASE WHEN next_run_at <= clock_timestamp() - interval '1 minute' THEN clock_timestamp() END,
        'superseded', 'The repository was deleted before this tick was claimed.'
      FROM schedule_sessions s WHERE repository_id = $1 AND next_run_at <= clock_timestamp()
        AND ${isNewTick('s.id', 's.next_run_at')}`,
    id,
  );
  await tx.query(
    `UPDATE schedule_sessions SET is_active = false, next_run_at = NULL, revision = revision + 1,
      updated_at = clock_timestamp() WHERE repository_id = $1 AND is_active`,
    id,
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET status = 'cancelled', completed_at = clock_timestamp(),
      error_code = 'repository_deleted', error_message = 'The repository was deleted before the run started.'
      WHERE repository_id = $1 AND ${IS_QUEUED}`,
    id,
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp())
      WHERE repository_id = $1 AND ${IS_RUNNING}`,
    id,
  );
  return row;
}

/** Deletes the manifest and index state of a deleted repository. Repeating is harmless. */
export async function markPurged(tx: Queryable, repositoryId: string): Promise<void> {
  const isMarked = await tx.has(
    `UPDATE repositories SET purged_at = COALESCE(purged_at, clock_timestamp())
      WHERE id = $1 AND deleted_at IS NOT NULL RETURNING id`,
    [uuidOrNull(repositoryId)],
  );
  if (!isMarked) return;
  for (const table of ['repository_files', 'repository_folders', 'repository_indexes']) {
    await tx.query(`DELETE FROM ${table} WHERE repository_id = $1`, [repositoryId]);
  }
}
