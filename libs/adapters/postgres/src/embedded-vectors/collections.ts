import { RepotideError, type CollectionSpec } from '@core/domain';
import { type Queryable } from '../sql/database.js';

interface CollectionRow {
  dimensions: number;
  modelId: string;
  incarnation: string;
}

/** Null when the collection is missing. */
export function collectionOf(db: Queryable, collection: string): Promise<CollectionRow | null> {
  const find = 'SELECT dimensions, model_id, incarnation FROM vector_collections WHERE name = $1';
  return db.first<CollectionRow>(find, [collection]);
}

/**
 * Atomic: of racing callers one creates the collection, and all check the stored row.
 * @returns the incarnation.
 */
export async function ensureCollection(db: Queryable, spec: CollectionSpec): Promise<string> {
  await db.query(
    `INSERT INTO vector_collections (name, dimensions, model_id) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`,
    [spec.name, spec.dimensions, spec.modelId],
  );
  const found = await collectionOf(db, spec.name);
  if (found?.dimensions === spec.dimensions && found.modelId === spec.modelId) return found.incarnation;
  const message =
    `Collection "${spec.name}" holds vectors of ${found?.dimensions} dimensions of model ${found?.modelId}; needed ` +
    `are vectors of ${spec.dimensions} dimensions of model ${spec.modelId}. Set EMBEDDING_MODEL and ` +
    'EMBEDDING_DIMENSIONS back, or register the repository again with another collection_name.';
  const details = {
    ...{ collection: spec.name, expected_dimensions: spec.dimensions, expected_model: spec.modelId },
    ...{ found_dimensions: found?.dimensions ?? null, found_model: found?.modelId ?? null },
  };
  throw new RepotideError('conflict', 'collection_mismatch', message, { details });
}

/** @throws not_found `collection_missing`; invalid `vector_dimensions` when a vector does not fit. */
export async function assertFits(
  db: Queryable,
  collection: string,
  vectors: Iterable<Float32Array>,
): Promise<void> {
  const found = await collectionOf(db, collection);
  if (found === null) {
    throw new RepotideError('not_found', 'collection_missing', `There is no collection "${collection}".`);
  }
  for (const { length } of vectors) assertLength(collection, found.dimensions, length);
}

/** @throws invalid `vector_dimensions`. */
export function assertLength(collection: string, expected: number, found: number): void {
  if (found === expected) return;
  const message = `Collection "${collection}" takes vectors of ${expected} dimensions, not of ${found}.`;
  const details = { expected_dimensions: expected, found_dimensions: found };
  throw new RepotideError('invalid', 'vector_dimensions', message, { details });
}
