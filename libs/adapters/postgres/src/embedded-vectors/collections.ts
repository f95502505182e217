import { RepotideError, type CollectionSpec } from '@core/domain';
import { type Queryable } from '../sql/database.js';

interface CollectionRow {
  dimensions: number;
  modelId: string;
  incarnation: string;
}

const FIND = `SELECT dimensions, model_id, incarnation FROM vector_collections WHERE name = $1`;

/** Null when the collection is missing. */
export function collectionOf(db: Queryable, collection: string): Promise<CollectionRow | null> {
  return db.first<CollectionRow>(FIND, [collection]);
}

/** Null when the collection is missing. */
export async function incarnationOf(db: Queryable, collection: string): Promise<string | null> {
  return (await collectionOf(db, collection))?.incarnation ?? null;
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
  throw new RepotideError(
    'conflict',
    'collection_mismatch',
    `Collection "${spec.name}" holds vectors of ${found?.dimensions} dimensions of model ${found?.modelId}; needed ` +
      `are vectors of ${spec.dimensions} dimensions of model ${spec.modelId}. Set EMBEDDING_MODEL and ` +
      'EMBEDDING_DIMENSIONS back, or register the repository again with another collection_name.',
    {
      details: {
        collection: spec.name,
        found_dimensions: found?.dimensions ?? null,
        found_model: found?.modelId ?? null,
        expected_dimensions: spec.dimensions,
        expected_model: spec.modelId,
      },
    },
  );
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
  throw new RepotideError(
    'invalid',
    'vector_dimensions',
    `Collection "${collection}" takes vectors of ${expected} dimensions, not of ${found}.`,
    { details: { expected_dimensions: expected, found_dimensions: found } },
  );
}
