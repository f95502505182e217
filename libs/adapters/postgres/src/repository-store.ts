import {
  type IndexState,
  type NewRepository,
  type Repository,
  RepotideError,
  type RepositorySort,
  type RepositoryStore,
} from '@core/domain';
import { assignments, columnName, columnsOf, selectList, uuidOrNull } from './columns.js';
import { OCCUPIES_REPOSITORY } from './execution-columns.js';
import { type Database, type Queryable } from './database.js';
import { isUniqueViolation } from './database-error.js';
import { SELECT_INDEX_STATE } from './index-state.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from './page.js';

const COLUMNS = columnsOf<Omit<Repository, keyof IndexState>>({
  id: true,
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
  discoveryId: true,
  missingSince: true,
  revision: true,
  createdAt: true,
  updatedAt: true,
  deletedAt: true,
  purgedAt: true,
});
const SELECT = `${selectList(COLUMNS, 'r')}, ${SELECT_INDEX_STATE}`;

/** Rows of `repositories`, or of a change to it, with their state in the active generation. */
const withIndex = (rows: string): string => `${rows} r
  LEFT JOIN index_generations g ON g.collection_name = r.collection_name AND g.status = 'active'
  LEFT JOIN repository_indexes i ON i.repository_id = r.id AND i.generation_id = g.id`;

/** A change that returns its rows, seen as a select would see them. */
const changed = (statement: string): string =>
  `WITH changed AS (${statement} RETURNING *) SELECT ${SELECT} FROM ${withIndex('changed')}`;

/** What a new row is given. */
export const GIVEN = columnsOf<NewRepository>({
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
});

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
    list(filter, page) {
      const where = new Conditions(...(filter.includeDeleted ? [] : ['r.deleted_at IS NULL']))
        .add('r.id = ANY(?::uuid[])', filter.ids)
        .add('r.project_path = ?', filter.projectPath)
        .add('position(lower(?) IN lower(r.project_path)) > 0', filter.pathPart)
        .add('r.branch = ?', filter.branch)
        .add('r.collection_name = ?', filter.collectionName);
      const from = withIndex('repositories');
      const orderBy = orderOf(page.sort ?? 'created_at', SORTS, 'r.id');
      return selectPage(db, { select: SELECT, from, where, orderBy }, page);
    },
    listStalest: (limit) =>
      db.query<Repository>(
        `SELECT ${SELECT} FROM ${withIndex('repositories')} WHERE r.deleted_at IS NULL
          ORDER BY COALESCE(i.last_sync_at, r.created_at), r.id LIMIT $1`,
        [limit],
      ),
    update: (repositoryId, changes, expectedRevision) =>
      db.transaction(async (tx) => {
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
        return row ?? notFound(repositoryId);
      }),
    softDelete: (repositoryId) => db.transaction((tx) => softDelete(tx, repositoryId)),
    // While a run of a deleted repository still stops, it may still store points: purging waits for it.
    listUnpurged: () =>
      db.query<Repository>(
        `SELECT ${SELECT} FROM ${withIndex('repositories')}
          WHERE r.deleted_at IS NOT NULL AND r.purged_at IS NULL AND NOT EXISTS (
            SELECT FROM schedule_execution_logs e
              WHERE e.repository_id = r.id AND e.status = 'running' AND ${OCCUPIES_REPOSITORY})
          ORDER BY r.deleted_at, r.id`,
      ),
    // A run that failed or was cancelled leaves its index dirty too; nobody asked to repeat that one. One that reached
    // its budget goes on at the next tick, as the budget is per run. Of several generations the one counts that runs
    // work on: they never come to the others, whose flag would stay.
    listSuspect: () =>
      db.query<Pick<Repository, 'id'>>(
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
      ),
    markPurged: (repositoryId) => db.transaction((tx) => markPurged(tx, repositoryId)),
  };
}

/**
 * Holds a live (or a deleted) repository until the transaction ends: whoever asks "is it busy?" and acts on the answer
 * does so under this lock. Whoever takes several locks takes them in the order execution, schedule, repository.
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
  return rows[0] ?? notFound(repositoryId);
}

/** @throws conflict `revision_mismatch` */
export function refuseOldRevision(what: string, found: number, expected: number | undefined): void {
  if (expected === undefined || expected === found) return;
  throw new RepotideError(
    'conflict',
    'revision_mismatch',
    `The ${what} is at revision ${found}, not ${expected}: somebody edited it. Read it again and repeat the edit.`,
    { details: { found, expected } },
  );
}

async function findAny(db: Database, repositoryId: string): Promise<Repository | null> {
  const rows = await db.query<Repository>(
    `SELECT ${SELECT} FROM ${withIndex('repositories')} WHERE r.id = $1`,
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

/** Also ends what waits and asks what runs to stop: a run that went on would store points after the purge. */
export async function softDelete(tx: Queryable, repositoryId: string): Promise<Repository> {
  const id = uuidOrNull(repositoryId);
  await tx.query(
    `SELECT 1 FROM schedule_execution_logs WHERE repository_id = $1 AND status IN ('queued', 'running')
      ORDER BY id FOR NO KEY UPDATE`,
    [id],
  );
  await tx.query(`SELECT 1 FROM schedule_sessions WHERE repository_id = $1 ORDER BY id FOR NO KEY UPDATE`, [
    id,
  ]);
  const [row] = await tx.query<Repository>(
    changed(
      `UPDATE repositories SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
        revision = revision + 1 WHERE id = $1 AND deleted_at IS NULL`,
    ),
    [id],
  );
  if (row === undefined) return notFound(repositoryId);
  await tx.query(
    `UPDATE schedule_sessions SET is_active = false, next_run_at = NULL, revision = revision + 1,
      updated_at = clock_timestamp() WHERE repository_id = $1 AND is_active`,
    [id],
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET status = 'cancelled', completed_at = clock_timestamp(),
      error_code = 'repository_deleted', error_message = 'The repository was deleted before the run started.'
      WHERE repository_id = $1 AND status = 'queued'`,
    [id],
  );
  await tx.query(
    `UPDATE schedule_execution_logs SET cancel_requested_at = COALESCE(cancel_requested_at, clock_timestamp())
      WHERE repository_id = $1 AND status = 'running'`,
    [id],
  );
  return row;
}

async function markPurged(tx: Queryable, repositoryId: string): Promise<void> {
  const marked = await tx.query(
    `UPDATE repositories SET purged_at = COALESCE(purged_at, clock_timestamp())
      WHERE id = $1 AND deleted_at IS NOT NULL RETURNING id`,
    [uuidOrNull(repositoryId)],
  );
  if (marked.length === 0) return;
  await tx.query('DELETE FROM repository_files WHERE repository_id = $1', [repositoryId]);
  await tx.query('DELETE FROM repository_folders WHERE repository_id = $1', [repositoryId]);
  await tx.query('DELETE FROM repository_indexes WHERE repository_id = $1', [repositoryId]);
}

function notFound(repositoryId: string): never {
  throw new RepotideError('not_found', 'repository_not_found', `There is no repository ${repositoryId}.`, {
    details: { repository_id: repositoryId },
  });
}
