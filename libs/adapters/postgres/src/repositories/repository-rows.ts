import { type IndexState, type NewRepository, type Repository, RepotideError } from '@core/domain';
import { columnsOf, selectList } from '../sql/columns.js';
import { SELECT_INDEX_STATE } from '../manifest/index-state.js';

const GIVEN_FIELDS = {
  provider: true,
  baseUrl: true,
  projectId: true,
  projectPath: true,
  branch: true,
  collectionName: true,
  includeGlobs: true,
  excludeGlobs: true,
  maxFileBytes: true,
  chunkSize: true,
  chunkOverlap: true,
  credentialId: true,
} as const;

/** The columns that an insert sets. */
export const GIVEN = columnsOf<NewRepository>(GIVEN_FIELDS);

const COLUMNS = columnsOf<Omit<Repository, keyof IndexState>>({
  id: true,
  ...GIVEN_FIELDS,
  discoveryId: true,
  missingSince: true,
  revision: true,
  createdAt: true,
  updatedAt: true,
  deletedAt: true,
  purgedAt: true,
});
/** The select list for rows of {@link withIndex}. */
export const SELECT_REPOSITORY = `${selectList(COLUMNS, 'r')}, ${SELECT_INDEX_STATE}`;

/** Rows of `repositories`, or of a change to it, with their state in the active generation. */
export const withIndex = (rows: string): string => `${rows} r
  LEFT JOIN index_generations g ON g.collection_name = r.collection_name AND g.status = 'active'
  LEFT JOIN repository_indexes i ON i.repository_id = r.id AND i.generation_id = g.id`;

/** A change that returns its rows with the columns of a select. */
export const changed = (statement: string): string =>
  `WITH changed AS (${statement} RETURNING *) SELECT ${SELECT_REPOSITORY} FROM ${withIndex('changed')}`;

/** @throws not_found `repository_not_found` */
export function repositoryNotFound(repositoryId: string): never {
  throw new RepotideError('not_found', 'repository_not_found', `There is no repository ${repositoryId}.`, {
    details: { repository_id: repositoryId },
  });
}
