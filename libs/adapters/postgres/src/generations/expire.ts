import { type IndexGeneration } from '@core/domain';
import { uuidOrNull } from '../sql/rows.js';
import { type Database } from '../sql/database.js';

/**
 * Marks the row before the points are removed, so that no run uses, and no rollback activates, a half-removed
 * index.
 */
export async function expire(db: Database, keepHours: number): Promise<IndexGeneration[]> {
  await db.query(
    `UPDATE index_generations SET status = 'dropped'
      WHERE (status = 'retired' AND retired_at < clock_timestamp() - make_interval(hours => $1))
        OR (status = 'building' AND used_at < clock_timestamp() - make_interval(hours => $1))`,
    [keepHours],
  );
  return db.query<IndexGeneration>(
    `SELECT * FROM index_generations
      WHERE status = 'dropped' AND forgotten_at IS NULL ORDER BY created_at, id`,
  );
}

/** Deletes repository by repository, to keep each statement short. */
export async function forget(db: Database, generationId: string): Promise<void> {
  const id = uuidOrNull(generationId);
  const repositories = await db.query<{ repositoryId: string }>(
    `SELECT repository_id FROM repository_indexes i JOIN index_generations g
      ON g.id = i.generation_id WHERE g.id = $1 AND g.status = 'dropped'`,
    [id],
  );
  for (const { repositoryId } of repositories) {
    await db.transaction(async (tx) => {
      for (const table of ['repository_files', 'repository_folders', 'repository_indexes']) {
        await tx.query(`DELETE FROM ${table} WHERE repository_id = $1 AND generation_id = $2`, [
          repositoryId,
          id,
        ]);
      }
    });
  }
  await db.query(
    `UPDATE index_generations SET forgotten_at = clock_timestamp() WHERE id = $1 AND status = 'dropped'`,
    [id],
  );
}
