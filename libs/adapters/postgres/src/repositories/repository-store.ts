import {
  type NewRepository,
  type Page,
  type Repository,
  type RepositoryChanges,
  type RepositorySort,
  type RepositoryStore,
  RepotideError,
} from '@core/domain';
import { assignments, columnName, uuidOrNull } from '../sql/columns.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { type Database, type Queryable } from '../sql/database.js';
import { OCCUPIES_REPOSITORY } from '../sql/execution-columns.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { listUnpurged, markPurged, softDelete } from './repository-deletion.js';
import { changed, GIVEN, repositoryNotFound, SELECT_REPOSITORY, withIndex } from './repository-rows.js';
import { refuseOldRevision } from '../sql/revision.js';

const EDITABLE = [
  'projectPath',
  'includeGlobs',
  'excludeGlobs',
  'maxFileBytes',
  'chunkSize',
  'chunkOverlap',
  'credentialId',
] as const;

const SORTS: Record<RepositorySort, Order> = {
  created_at: orderByAlways('r.created_at'),
  updated_at: orderByAlways('r.updated_at'),
  project_path: orderByAlways('r.project_path'),
  last_sync_at: orderByMaybe('i.last_sync_at'),
};

/** The registered repositories, in Postgres. */
export function createRepositoryStore(db: Database): RepositoryStore {
  return {
    create: (repository) => insert(db, repository),
    async find(repositoryId) {
      const repository = await findAny(db, repositoryId);
      return repository?.deletedAt === null ? repository : null;
    },
    findIncludingDeleted: (repositoryId) => findAny(db, repositoryId),
    list: (filter, page) => list(db, filter, page),
    listStalest: (limit) =>
      db.query<Repository>(
        `SELECT ${SELECT_REPOSITORY} FROM ${withIndex('repositories')} WHERE r.deleted_at IS NULL
          ORDER BY COALESCE(i.last_sync_at, r.created_at), r.id LIMIT $1`,
        [limit],
      ),
    update: (repositoryId, changes, expectedRevision) =>
      db.transaction((tx) => update(tx, repositoryId, changes, expectedRevision)),
    softDelete: (repositoryId) => db.transaction((tx) => softDelete(tx, repositoryId)),
    listUnpurged: () => listUnpurged(db),
    listSuspect: () => listSuspect(db),
    markPurged: (repositoryId) => db.transaction((tx) => markPurged(tx, repositoryId)),
  };
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
  const rows = await tx.query<{ revision: number }>(
    `SELECT revision FROM repositories
      WHERE id = $1 AND (deleted_at IS NULL) = $2 FOR NO KEY UPDATE`,
    [uuidOrNull(repositoryId), state === 'live'],
  );
  return rows[0] ?? repositoryNotFound(repositoryId);
}

async function findAny(db: Database, repositoryId: string): Promise<Repository | null> {
  const rows = await db.query<Repository>(
    `SELECT ${SELECT_REPOSITORY} FROM ${withIndex('repositories')} WHERE r.id = $1`,
    [uuidOrNull(repositoryId)],
  );
  return rows[0] ?? null;
}

async function insert(db: Database, repository: NewRepository): Promise<Repository> {
  try {
    const [row] = await db.query<Repository>(
      changed(
        `INSERT INTO repositories (${GIVEN.map(columnName).join(', ')})
          VALUES (${GIVEN.map((_, index) => `$${index + 1}`).join(', ')})`,
      ),
      GIVEN.map((property) => repository[property]),
    );
    if (row === undefined)
      throw new RepotideError('internal', 'database_error', 'An insert returned no row.');
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'repositories_identity_key')) throw error;
    const { projectPath, branch, baseUrl } = repository;
    throw new RepotideError(
      'conflict',
      'repository_exists',
      `${projectPath} at branch ${branch} of ${baseUrl} is registered already.`,
      { details: { project_id: repository.projectId, branch, base_url: baseUrl }, cause: error },
    );
  }
}

function list(
  db: Database,
  filter: Parameters<RepositoryStore['list']>[0],
  page: Parameters<RepositoryStore['list']>[1],
): Promise<Page<Repository>> {
  const where = new Conditions(...(filter.includeDeleted ? [] : ['r.deleted_at IS NULL']))
    .add('r.id = ANY(?::uuid[])', filter.ids)
    .add('r.project_path = ?', filter.projectPath)
    .add('position(lower(?) IN lower(r.project_path)) > 0', filter.pathPart)
    .add('r.branch = ?', filter.branch)
    .add('r.collection_name = ?', filter.collectionName);
  const from = withIndex('repositories');
  const orderBy = orderOf(page.sort ?? 'created_at', SORTS, 'r.id');
  return selectPage(db, { select: SELECT_REPOSITORY, from, where, orderBy }, page);
}

async function update(
  tx: Queryable,
  repositoryId: string,
  changes: RepositoryChanges,
  expectedRevision: number | undefined,
): Promise<Repository> {
  const found = await lockRepository(tx, repositoryId);
  refuseOldRevision('repository', found.revision, expectedRevision);
  const { sql, values } = assignments(changes, EDITABLE, 2);
  const [row] = await tx.query<Repository>(
    changed(
      `UPDATE repositories SET ${[...sql, 'revision = revision + 1', 'updated_at = clock_timestamp()'].join(', ')}
        WHERE id = $1`,
    ),
    [repositoryId, ...values],
  );
  return row ?? repositoryNotFound(repositoryId);
}

/**
 * Repositories whose index is dirty although their last run completed. A failed or cancelled run also leaves
 * its index dirty, but is not repeated without a request. A run that reached its budget continues at the next
 * tick, because the budget is per run. Of several generations the last synced one counts: runs no longer work
 * on the others, so their flag would stay set.
 */
function listSuspect(db: Queryable): Promise<Pick<Repository, 'id'>[]> {
  return db.query<Pick<Repository, 'id'>>(
    `SELECT id FROM repositories r
      WHERE deleted_at IS NULL AND (
        SELECT i.index_dirty FROM repository_indexes i WHERE i.repository_id = r.id
        ORDER BY i.last_sync_at DESC NULLS LAST LIMIT 1)
      AND NOT EXISTS (
        SELECT FROM schedule_execution_logs e
        WHERE e.repository_id = r.id AND e.status IN ('queued', 'running') AND ${OCCUPIES_REPOSITORY})
      AND (SELECT CASE WHEN e.error_code IN ('budget_reached', 'time_budget_reached') THEN 'stopped' ELSE e.status END
        FROM schedule_execution_logs e
        WHERE e.repository_id = r.id AND e.handler = 'repository_sync'
          AND e.status IN ('completed', 'partial', 'failed', 'cancelled')
        ORDER BY e.completed_at DESC LIMIT 1) IN ('completed', 'partial')
      ORDER BY id`,
  );
}
