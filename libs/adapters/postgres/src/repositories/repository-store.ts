import {
  type NewRepository,
  type Repository,
  type RepositoryChanges,
  type RepositorySort,
  type RepositoryStore,
  RepotideError,
} from '@core/domain';
import { isUniqueViolation, refuseOldRevision } from '../sql/database-error.js';
import { type Database } from '../sql/database.js';
import { IS_SCHEDULED_VERIFICATION, OCCUPIES_REPOSITORY } from '../sql/fence.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { editOf, pick, uuidOrNull } from '../sql/rows.js';
import { markPurged, softDelete } from './repository-deletion.js';
import {
  changed,
  insertRepository,
  lockRepository,
  SELECT_REPOSITORY,
  withIndex,
} from './repository-rows.js';

const IDENTITIES = ['repositories_identity_key', 'repositories_git_key'];
const isTwin = (error: unknown): boolean => IDENTITIES.some((key) => isUniqueViolation(error, key));

const EDITABLE = [
  ...(['projectPath', 'branch', 'includeGlobs', 'excludeGlobs', 'maxFileBytes'] as const),
  ...(['chunkSize', 'chunkOverlap', 'credentialId'] as const),
];

const SORTS: Record<RepositorySort, Order> = {
  created_at: orderByAlways('r.created_at'),
  updated_at: orderByAlways('r.updated_at'),
  project_path: orderByAlways('r.project_path'),
  last_sync_at: orderByMaybe('i.last_sync_at'),
  last_verified_at: orderByMaybe('i.last_verified_at'),
};

const SELECT = `SELECT ${SELECT_REPOSITORY} FROM ${withIndex('repositories')}`;

/** Purges that fail are repeated ever less often. For a repository `r`. */
const PURGE_BACK_OFF = `
  SELECT FROM (
    SELECT count(*)::int AS failures, max(completed_at) AS newest FROM schedule_execution_logs e
      WHERE e.repository_id = r.id AND e.queued_at >= r.deleted_at AND e.status = 'failed' AND e.handler = 'purge') AS f
    WHERE f.newest + LEAST(interval '30 s' * 2 ^ LEAST(f.failures - 1, 10), interval '1 h') > clock_timestamp()`;

/** The registered repositories, in Postgres. */
export function createRepositoryStore(db: Database): RepositoryStore {
  const findIncludingDeleted = (repositoryId: string): Promise<Repository | null> =>
    db.first(`${SELECT} WHERE r.id = $1`, [uuidOrNull(repositoryId)]);
  return {
    create: (repository) => insert(db, repository),
    async find(repositoryId) {
      const repository = await findIncludingDeleted(repositoryId);
      return repository?.deletedAt === null ? repository : null;
    },
    findIncludingDeleted,
    list(filter, page) {
      const where = new Conditions(...(filter.includeDeleted ? [] : ['r.deleted_at IS NULL']))
        .add('r.id = ANY(?::uuid[])', filter.ids)
        .add('r.id = ANY(?::uuid[])', filter.visible ?? undefined)
        .add('r.project_path = ?', filter.projectPath)
        .add('position(lower(?) IN lower(r.project_path)) > 0', filter.pathPart)
        .add('r.branch = ?', filter.branch)
        .add('r.collection_name = ?', filter.collectionName);
      const from = withIndex('repositories');
      const orderBy = orderOf(page.sort ?? 'created_at', SORTS, 'r.id');
      return selectPage(db, { select: SELECT_REPOSITORY, from, where, orderBy }, page);
    },
    listStalest: (limit) =>
      db.query(
        `${SELECT} WHERE r.deleted_at IS NULL ORDER BY COALESCE(i.last_sync_at, r.created_at), r.id LIMIT $1`,
        [limit],
      ),
    update: (repositoryId, changes, expectedRevision) => update(db, repositoryId, changes, expectedRevision),
    softDelete: (repositoryId) => db.transaction((tx) => softDelete(tx, repositoryId)),
    // A run of a deleted repository may store points until it has stopped, so purging waits for it.
    listUnpurged: () =>
      db.query(
        `${SELECT} WHERE r.deleted_at IS NOT NULL AND r.purged_at IS NULL AND NOT EXISTS (
            SELECT FROM schedule_execution_logs e
              WHERE e.repository_id = r.id AND e.completed_at IS NULL AND e.status = 'running' AND ${OCCUPIES_REPOSITORY})
            AND NOT EXISTS (${PURGE_BACK_OFF})
          ORDER BY r.deleted_at, r.id`,
      ),
    listSuspect: () => db.query(SUSPECT),
    async countLost() {
      const from = withIndex('repositories');
      const lost = `SELECT count(*) FROM ${from} WHERE r.deleted_at IS NULL AND i.lost_since IS NOT NULL`;
      return (await db.one<{ count: number }>(lost)).count;
    },
    listDrifted: () => db.query(DRIFTED),
    listUnverified: ({ afterSeconds, roundSeconds }) => db.query(UNVERIFIED, [afterSeconds, roundSeconds]),
    verificationState: (intervalSeconds) => db.one(VERIFICATION_STATE, [intervalSeconds]),
    markPurged: (repositoryId) => db.transaction((tx) => markPurged(tx, repositoryId)),
  };
}

async function insert(db: Database, repository: NewRepository): Promise<Repository> {
  const { sql, values } = insertRepository(repository, null);
  try {
    return await db.one<Repository>(changed(sql), values);
  } catch (error) {
    throw isTwin(error) ? await alreadyRegistered(db, repository, error) : error;
  }
}

async function update(
  db: Database,
  repositoryId: string,
  changes: RepositoryChanges,
  expectedRevision: number | undefined,
): Promise<Repository> {
  try {
    return await db.transaction(async (tx) => {
      const found = await lockRepository(tx, repositoryId);
      refuseOldRevision('repository', found.revision, expectedRevision);
      const { sql, values } = editOf('repositories', repositoryId, pick(changes, EDITABLE));
      return tx.one<Repository>(changed(sql), values);
    });
  } catch (error) {
    if (!isTwin(error)) throw error;
    const repository = await db.one<Repository>(`${SELECT} WHERE r.id = $1`, [repositoryId]);
    throw await alreadyRegistered(db, { ...repository, ...changes }, error);
  }
}

async function alreadyRegistered(
  db: Database,
  { provider, projectId, projectPath, branch, baseUrl }: NewRepository,
  cause: unknown,
): Promise<RepotideError> {
  const twin = await db.first<{ id: string }>(
    `SELECT id FROM repositories
      WHERE provider = $1 AND base_url = $2 AND branch = $3 AND deleted_at IS NULL
        AND (project_id = $4 OR project_id IS NULL AND project_path = $5)`,
    [provider, baseUrl, branch, projectId, projectPath],
  );
  const id = twin?.id ?? null;
  const message = `${projectPath} at branch ${branch} of ${baseUrl} is already registered${id === null ? '' : ` with the id ${id}`}.`;
  const details = { repository_id: id, project_id: projectId, branch, base_url: baseUrl };
  return new RepotideError('conflict', 'repository_exists', message, { details, cause });
}

/**
 * The end of a sync removes the mark `suspect_since`, so no former runs are read. Of several generations the last synced
 * one counts: runs no longer work on the others, so their mark would stay.
 */
const SUSPECT = `
  SELECT r.id FROM repository_indexes i JOIN repositories r ON r.id = i.repository_id
  WHERE i.suspect_since IS NOT NULL AND r.deleted_at IS NULL
  AND NOT EXISTS (
    SELECT FROM repository_indexes newer WHERE newer.repository_id = i.repository_id
      AND newer.generation_id <> i.generation_id AND newer.last_sync_at > COALESCE(i.last_sync_at, '-infinity'))
  AND NOT EXISTS (
    SELECT FROM schedule_execution_logs e
    WHERE e.repository_id = r.id AND e.completed_at IS NULL AND ${OCCUPIES_REPOSITORY})
  ORDER BY r.id`;

/** Every live run of repository r except dry runs, also a queued verification. */
const IS_LIVE = `EXISTS (SELECT FROM schedule_execution_logs e
  WHERE e.repository_id = r.id AND e.completed_at IS NULL AND e.handler <> 'dry_run')`;

const ACTIVE_INDEXES = `repository_indexes i
  JOIN index_generations g ON g.id = i.generation_id AND g.status = 'active'
  JOIN repositories r ON r.id = i.repository_id AND r.deleted_at IS NULL`;

/** The newest verify or repair is a scheduled verification: there has been no repair since. */
const DRIFTED = `
  SELECT r.id FROM ${ACTIVE_INDEXES}
  WHERE i.last_drift IS NOT NULL AND NOT ${IS_LIVE} AND (
    SELECT ${IS_SCHEDULED_VERIFICATION} FROM schedule_execution_logs e
    WHERE e.repository_id = r.id AND e.handler IN ('verify', 'repair')
    ORDER BY e.queued_at DESC, e.id DESC LIMIT 1)
  ORDER BY r.id`;

/** A fraction between 0 and 1: spreads the first verifications of repositories that were registered together. */
const SHARE_BY_ID = `(('x' || left(md5(r.id::text), 8))::bit(32)::bigint / 4294967296.0)`;

/** A verification that failed, for example because GitLab is down, is repeated after a seventh of the time. */
const UNVERIFIED = `
  SELECT r.id FROM ${ACTIVE_INDEXES}
  WHERE i.last_synced_commit IS NOT NULL
    AND COALESCE(i.last_verified_at + make_interval(secs => $1),
      r.created_at + make_interval(secs => $1 * ${SHARE_BY_ID})) <= clock_timestamp()
    AND NOT ${IS_LIVE} AND NOT EXISTS (
      SELECT FROM schedule_execution_logs e WHERE e.repository_id = r.id AND ${IS_SCHEDULED_VERIFICATION}
        AND e.queued_at > clock_timestamp() - make_interval(secs => $1 / 7))
  ORDER BY i.last_verified_at NULLS FIRST, i.repository_id
  LIMIT (SELECT ceil(count(*) * $2 / $1) FROM repositories WHERE deleted_at IS NULL)`;

const VERIFICATION_STATE = `
  SELECT count(*) FILTER (WHERE i.last_drift IS NOT NULL) AS drifted,
    count(*) FILTER (WHERE age > $1::float8) AS overdue, COALESCE(max(age), 0) AS oldest_age_seconds
  FROM ${ACTIVE_INDEXES} CROSS JOIN LATERAL (SELECT EXTRACT(EPOCH FROM
    clock_timestamp() - COALESCE(i.last_verified_at, r.created_at))::float8 AS age) AS verified
  WHERE i.last_synced_commit IS NOT NULL`;
