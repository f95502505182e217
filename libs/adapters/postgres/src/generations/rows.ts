import { type IndexGeneration } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { uuidOrNull } from '../sql/rows.js';

/** Locks the name until the transaction ends: before the first generation there is no row to lock. */
export async function lockCollection(tx: Queryable, collectionName: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('repotide collection ' || $1, 0))`, [
    collectionName,
  ]);
}

export function findGeneration(db: Queryable, generationId: string): Promise<IndexGeneration | null> {
  return db.first('SELECT * FROM index_generations WHERE id = $1', [uuidOrNull(generationId)]);
}

/** Newest first, without the dropped ones. */
export function listGenerations(
  db: Queryable,
  collectionNames?: readonly string[],
): Promise<IndexGeneration[]> {
  return db.query<IndexGeneration>(
    `SELECT * FROM index_generations
      WHERE status <> 'dropped' AND ($1::text[] IS NULL OR collection_name = ANY($1))
      ORDER BY collection_name, created_at DESC, id`,
    [collectionNames ?? null],
  );
}
