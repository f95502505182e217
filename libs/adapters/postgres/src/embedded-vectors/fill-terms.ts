import { type PointPayload, type Terms } from '@core/domain';
import { type Ask } from './ask.js';
import { LISTED_WITH_TEXT } from './list-points.js';
import { bytesOfTerms } from './vector-bytes.js';

/** Points that were stored before the lexical lane existed. */
export async function countWithoutTerms(
  ask: Ask,
  collection: string,
  repositoryId: string | null,
  signal: AbortSignal,
): Promise<number> {
  const [row] = await ask<{ points: number }>(
    `SELECT count(*) AS points FROM vector_points
       WHERE collection = $1 AND terms IS NULL AND ($2::text IS NULL OR repository_id = $2)`,
    [collection, repositoryId],
    signal,
  );
  return row?.points ?? 0;
}

/** Computes the missing terms of a repository's points. Repeating is safe. @returns how many points got terms. */
export async function fillTerms(
  ask: Ask,
  collection: string,
  repositoryId: string,
  termsOf: (point: PointPayload) => Terms,
  signal: AbortSignal,
): Promise<number> {
  for (let filled = 0; ;) {
    const page = await ask<{ id: string; payload: PointPayload }>(
      `SELECT id, payload FROM vector_points WHERE collection = $1 AND repository_id = $2 AND terms IS NULL
         ORDER BY id LIMIT ${LISTED_WITH_TEXT}`,
      [collection, repositoryId],
      signal,
    );
    if (page.length === 0) return filled;
    const terms = page.map(({ payload }) => bytesOfTerms(termsOf(payload)));
    await ask(FILL_TERMS, [collection, page.map(({ id }) => id), terms], signal);
    filled += page.length;
  }
}

const FILL_TERMS = `
  UPDATE vector_points AS point SET terms = filled.terms, written_by = pg_current_xact_id()
  FROM unnest($2::uuid[], $3::bytea[]) AS filled (id, terms)
  WHERE point.collection = $1 AND point.id = filled.id`;
