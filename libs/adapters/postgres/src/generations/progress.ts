import { type IndexGeneration, type RebuildProgress, type VisibleRepositories } from '@core/domain';
import { uuidOrNull } from '../sql/rows.js';
import { type Queryable } from '../sql/database.js';

/** Needs the repository as `r` in the statement. */
const isVisible = (visible: string): string => `(${visible}::uuid[] IS NULL OR r.id = ANY(${visible}))`;

/**
 * Whether index `b` is synced in its generation `g`, which is being built. One that was active before has indexes as old as
 * that: they count when they were synced since the build was asked for.
 */
export const IS_BUILT =
  'b.last_synced_commit IS NOT NULL AND (g.activated_at IS NULL OR b.last_sync_at >= g.requested_at)';

/** Repositories with content in the active generation, `a`, and their state `b` in generation $1, `g`. */
const REPOSITORIES = `
  SELECT count(*) FILTER (WHERE a.repository_id IS NOT NULL) AS total,
    count(*) FILTER (WHERE a.repository_id IS NOT NULL AND ${IS_BUILT}) AS done,
    count(*) FILTER (WHERE ${IS_BUILT}) AS synced
  FROM repositories r
  JOIN index_generations g ON g.id = $1
  LEFT JOIN index_generations active ON active.collection_name = r.collection_name AND active.status = 'active'
  LEFT JOIN repository_indexes a ON a.repository_id = r.id AND a.generation_id = active.id
  LEFT JOIN repository_indexes b ON b.repository_id = r.id AND b.generation_id = g.id
  WHERE r.collection_name = $2 AND r.deleted_at IS NULL AND ${isVisible('$3')}`;

/** Files that searches would lose by a switch to generation $1. */
const FAILED_FILES = `
  SELECT count(*) AS failed
  FROM repository_files b
  JOIN repositories r ON r.id = b.repository_id AND r.deleted_at IS NULL
  JOIN index_generations active ON active.collection_name = $2 AND active.status = 'active'
  JOIN repository_files a
    ON a.repository_id = b.repository_id AND a.generation_id = active.id AND a.path = b.path
  WHERE ${isVisible('$3')} AND b.generation_id = $1 AND b.last_error IS NOT NULL AND a.last_error IS NULL AND a.indexed_at IS NOT NULL`;

export async function progressOf(
  db: Queryable,
  { id, collectionName }: IndexGeneration,
  visible: VisibleRepositories,
): Promise<RebuildProgress> {
  const parameters = [id, collectionName, visible];
  const repositories = await db.one<Record<'total' | 'done' | 'synced', number>>(REPOSITORIES, parameters);
  const { total, done, synced } = repositories;
  const { failed: filesFailed } = await db.one<{ failed: number }>(FAILED_FILES, parameters);
  const isComplete = done === total && synced > 0 && filesFailed === 0;
  return { repositoriesTotal: total, repositoriesDone: done, filesFailed, isComplete };
}

export async function countBehind(db: Queryable, generationId: string, than: string): Promise<number> {
  const { behind } = await db.one<{ behind: number }>(
    `SELECT count(*) AS behind FROM repository_indexes a JOIN repositories r
        ON r.id = a.repository_id AND r.deleted_at IS NULL
      LEFT JOIN repository_indexes b ON b.repository_id = a.repository_id AND b.generation_id = $1
      WHERE a.generation_id = $2 AND a.last_synced_commit IS NOT NULL
        AND b.last_synced_commit IS DISTINCT FROM a.last_synced_commit`,
    [uuidOrNull(generationId), uuidOrNull(than)],
  );
  return behind;
}
