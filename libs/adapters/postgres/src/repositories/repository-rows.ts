import { type NewRepository } from '@core/domain';
import { INDEX_STATE } from '../manifest/index-state.js';
import { type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { insertInto, pick, uuidOrNull } from '../sql/rows.js';

/** The properties of a new row. */
const GIVEN = [
  ...([
    'provider',
    'baseUrl',
    'projectId',
    'projectPath',
    'branch',
    'collectionName',
    'credentialId',
  ] as const),
  ...(['includeGlobs', 'excludeGlobs', 'maxFileBytes', 'chunkSize', 'chunkOverlap'] as const),
] satisfies (keyof NewRepository)[];

/** The select list for rows of {@link withIndex}. The commit of the index replaces the copy in the repository's row. */
export const SELECT_REPOSITORY = `r.*, ${INDEX_STATE}`;

/** Rows of `repositories`, or of a change to it, with their state in the active generation. */
export const withIndex = (rows: string): string => `${rows} r
  LEFT JOIN index_generations g ON g.collection_name = r.collection_name AND g.status = 'active'
  LEFT JOIN repository_indexes i ON i.repository_id = r.id AND i.generation_id = g.id`;

/** A change that returns its rows with the columns of a select. */
export const changed = (statement: string): string =>
  `WITH changed AS (${statement} RETURNING *) SELECT ${SELECT_REPOSITORY} FROM ${withIndex('changed')}`;

export function insertRepository(
  repository: NewRepository,
  discoveryId: string | null,
): { sql: string; values: unknown[] } {
  return insertInto('repositories', { ...pick(repository, GIVEN), discoveryId });
}

/**
 * Locks a live (or a deleted) repository until the transaction ends. Code that checks whether it is busy and
 * acts on the result must hold this lock. Lock order: execution, schedule, repository.
 * @throws not_found `repository_not_found`.
 */
export async function lockRepository(
  tx: Queryable,
  repositoryId: string,
  state: 'live' | 'deleted' = 'live',
): Promise<{ revision: number }> {
  const row = await tx.first<{ revision: number }>(
    `SELECT revision FROM repositories WHERE id = $1 AND (deleted_at IS NULL) = $2 FOR NO KEY UPDATE`,
    [uuidOrNull(repositoryId), state === 'live'],
  );
  return row ?? notFound('repository', repositoryId);
}
