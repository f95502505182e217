import { type Repository } from '@core/domain';
import { uuidOrNull } from '../sql/columns.js';
import { type Queryable } from '../sql/database.js';
import { OCCUPIES_REPOSITORY } from '../sql/execution-columns.js';
import { changed, repositoryNotFound, SELECT_REPOSITORY, withIndex } from './repository-rows.js';

/** Also ends queued runs and cancels the running one, which would otherwise store points after the purge. */
export async function softDelete(tx: Queryable, repositoryId: string): Promise<Repository> {
  const id = uuidOrNull(repositoryId);
  await tx.query(
    `SELECT 1 FROM schedule_execution_logs WHERE repository_id = $1 AND status IN ('queued', 'running')
      ORDER BY id FOR NO KEY UPDATE`,
    [id],
  );
  await tx.query(`SELECT 1 FROM schedule_sessions WHERE repository_id = $1 ORDER BY id FOR NO KEY UPDATE`, [
    id,
  ]);
  const [row] = await tx.query<Repository>(
    changed(
      `UPDATE repositories SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
        revision = revision + 1 WHERE id = $1 AND deleted_at IS NULL`,
    ),
    [id],
  );
  if (row === undefined) return repositoryNotFound(repositoryId);
  await tx.query(
    `UPDATE schedule_sessions SET is_active = false, next_run_at = NULL, revision = revision + 1,
      updated_at = clock_timestamp() WHERE repository_id = $1 AND is_active`,
    [id],
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET status = 'cancelled', completed_at = clock_timestamp(),
      error_code = 'repository_deleted', error_message = 'The repository was deleted before the run started.'
      WHERE repository_id = $1 AND status = 'queued'`,
    [id],
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp())
      WHERE repository_id = $1 AND status = 'running'`,
    [id],
  );
  return row;
}

/** Deletes the manifest and index state of a deleted repository. Repeating is harmless. */
export async function markPurged(tx: Queryable, repositoryId: string): Promise<void> {
  const marked = await tx.query(
    `UPDATE repositories SET purged_at = COALESCE(purged_at, clock_timestamp())
      WHERE id = $1 AND deleted_at IS NOT NULL RETURNING id`,
    [uuidOrNull(repositoryId)],
  );
  if (marked.length === 0) return;
  await tx.query('DELETE FROM repository_files WHERE repository_id = $1', [repositoryId]);
  await tx.query('DELETE FROM repository_folders WHERE repository_id = $1', [repositoryId]);
  await tx.query('DELETE FROM repository_indexes WHERE repository_id = $1', [repositoryId]);
}

/** A run of a deleted repository may store points until it has stopped, so purging waits for it. */
export function listUnpurged(db: Queryable): Promise<Repository[]> {
  return db.query<Repository>(
    `SELECT ${SELECT_REPOSITORY} FROM ${withIndex('repositories')}
      WHERE r.deleted_at IS NOT NULL AND r.purged_at IS NULL AND NOT EXISTS (
        SELECT FROM schedule_execution_logs e
          WHERE e.repository_id = r.id AND e.status = 'running' AND ${OCCUPIES_REPOSITORY})
      ORDER BY r.deleted_at, r.id`,
  );
}
