import { groupsOf, type Point } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { bytesOfTerms, bytesOfVector } from './vector-bytes.js';

const COLUMNS = [
  ...['collection', 'id', 'repository_id', 'path', 'directories', 'language', 'file_version', 'blob_sha'],
  ...['chunk_index', 'fence', 'vector', 'terms', 'payload'],
];
const REPLACED = [...COLUMNS.slice(2), 'written_by']
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');
/** Together some 2 MB with text of 7,000 characters: one statement, far from any limit. */
const POINTS_PER_STATEMENT = 200;

/**
 * Splits points into statements. Of equal ids the last wins. All writers use the order of ids, so that two
 * writers of the same points do not deadlock.
 */
export function statementsOf(points: readonly Point[]): Generator<Point[]> {
  const byId = new Map(points.map((point) => [point.id, point]));
  const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return groupsOf(sorted, POINTS_PER_STATEMENT);
}

/** Does not replace a point that was written under a higher fence. */
export async function insertPoints(
  db: Queryable,
  collection: string,
  points: readonly Point[],
): Promise<void> {
  const values = points.map((point) => rowOf(collection, point));
  const rows = values.map((_, row) => {
    const parameters = COLUMNS.map((_column, column) => `$${row * COLUMNS.length + column + 1}`);
    return `(${parameters.join(', ')}, pg_current_xact_id())`;
  });
  await db.query(
    `INSERT INTO vector_points (${COLUMNS.join(', ')}, written_by) VALUES ${rows.join(', ')}
     ON CONFLICT (collection, id) DO UPDATE SET ${REPLACED} WHERE vector_points.fence <= excluded.fence`,
    values.flat(),
  );
}

/** The values of {@link COLUMNS}. */
function rowOf(collection: string, { id, vector, terms, payload }: Point): unknown[] {
  const { repository_id, path, directories, language, file_version, blob_sha } = payload;
  return [
    ...[collection, id, repository_id, path, directories, language, file_version, blob_sha],
    ...[payload.chunk_index, payload.fence, bytesOfVector(normalised(vector)), terms && bytesOfTerms(terms)],
    JSON.stringify(payload),
  ];
}

/** Scales to length 1, so that the cosine is a dot product; a vector of zeros stays unchanged. */
export function normalised(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (length === 0) return vector;
  const scaled = new Float32Array(vector.length);
  for (let index = 0; index < vector.length; index++) scaled[index] = vector[index]! / length;
  return scaled;
}
