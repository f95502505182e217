import { type GenerationStore } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { uuidOrNull } from '../sql/rows.js';

/** One statement, so that of two callers one sees the change of the other. */
export function adoptCollection(
  db: Queryable,
  generationId: string,
  incarnation: string | null,
  { known, own }: { known?: string; own?: string },
): ReturnType<GenerationStore['adoptCollection']> {
  return db.first(
    `WITH former AS (SELECT id, incarnation FROM index_generations WHERE id = $4
        AND incarnation IS DISTINCT FROM $1 AND ($2::text IS NULL OR incarnation = $2) FOR NO KEY UPDATE),
      adopted AS (
        UPDATE index_generations g SET incarnation = $1 FROM former WHERE g.id = former.id RETURNING g.id),
      lost AS (
        UPDATE repository_indexes i SET index_dirty = true,
            index_suspicions = index_suspicions + (i.repository_id IS DISTINCT FROM $3)::int,
            lost_since = COALESCE(lost_since, clock_timestamp()),
            suspect_since = COALESCE(suspect_since, clock_timestamp())
          FROM former WHERE i.generation_id = former.id AND former.incarnation IS NOT NULL
            AND i.last_synced_commit IS NOT NULL
          RETURNING i.repository_id)
      SELECT former.incarnation AS former, (SELECT count(*) FROM lost WHERE repository_id IS DISTINCT FROM $3) AS lost FROM former, adopted`,
    [incarnation, known ?? null, uuidOrNull(own ?? ''), uuidOrNull(generationId)],
  );
}

export async function listOwners(db: Queryable, collectionName: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM repositories
      WHERE collection_name = $1 AND (deleted_at IS NULL OR purged_at IS NULL) ORDER BY id`,
    [collectionName],
  );
  return rows.map(({ id }) => id);
}
