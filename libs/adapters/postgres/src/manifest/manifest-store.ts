import {
  groupsOf,
  type FileSort,
  type FileStatus,
  type Folder,
  type Manifest,
  type ManifestEntry,
  type ManifestScope,
  type ManifestStore,
  type Page,
  type PageRequest,
  type SortedPageRequest,
  type StoredEntry,
} from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { fenced } from '../sql/fence.js';
import { findFolders, recordFolderIds, totalsOf } from './folders.js';
import { advancePointer, findIndexState, markDirty, recordVerification } from './index-state.js';
import { commitBatch, ENTRY } from './manifest-batch.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { storableMessage, uuidOrNull } from '../sql/rows.js';
import { dotFileSql, fileNameSql, folderKeySql, folderSql } from './path-sql.js';

const SELECT = ENTRY.join(', ');
const FOLDER = 'path, parent_path, file_count, indexed_file_count, size_bytes';

/** About 300 bytes a row: a page is a few hundred kilobytes. */
const PAGE_SIZE = 1000;

const FOLDERS_PER_QUERY = 100;

const FENCE_MARGIN = 1_000;

/** The same rule as `fileStatusOf` of the domain. */
const IS_STATUS: Record<FileStatus, string> = {
  failed: 'last_error IS NOT NULL',
  skipped: 'last_error IS NULL AND skip_reason IS NOT NULL',
  indexed: 'last_error IS NULL AND skip_reason IS NULL',
};

const SORTS: Record<FileSort, Order> = {
  path: orderByAlways('path'),
  size_bytes: orderByMaybe('size_bytes'),
  chunk_count: orderByAlways('chunk_count'),
  indexed_at: orderByMaybe('indexed_at'),
};

/** SQL of the active generation's id of the collection of repository $1. */
const ACTIVE = `(SELECT g.id FROM index_generations g JOIN repositories r USING (collection_name)
  WHERE r.id = $1 AND g.status = 'active')`;

/** The manifests and the index states of repositories, in Postgres. */
export function createManifestStore(db: Database): ManifestStore {
  return {
    ...manifestIn(db, ACTIVE),
    of: (generationId) => manifestIn(db, literalOf(generationId)),
    async flagSuspect(repositoryId) {
      await db.query(
        `WITH suspect AS (
            UPDATE repository_indexes SET index_dirty = true, index_suspicions = index_suspicions + 1,
                suspect_since = COALESCE(suspect_since, clock_timestamp())
              WHERE repository_id = $1)
          UPDATE repositories SET purged_at = NULL WHERE id = $1 AND purged_at IS NOT NULL`,
        [uuidOrNull(repositoryId)],
      );
    },
    listFolder: (repositoryId, path, page) => listFolder(db, repositoryId, path, page),
  };
}

/** Only a uuid may enter the SQL; any other text matches no generation. */
function literalOf(generationId: string): string {
  const id = uuidOrNull(generationId);
  return id === null ? 'NULL::uuid' : `'${id}'::uuid`;
}

/** @param generation SQL of the generation's id, in terms of repository $1. */
function manifestIn(db: Database, generation: string) {
  const own = `repository_id = $1 AND generation_id = ${generation}`;
  return {
    stateOf: (repositoryId) => findIndexState(db, repositoryId, generation),
    markDirty: (run, warnings) => fenced(db, run, (tx) => markDirty(tx, run, generation, warnings)),
    listEntries: (repositoryId) => listEntries(db, repositoryId, own),
    listEntriesIn: (repositoryId, scope) => listEntriesIn(db, repositoryId, own, scope),
    findFolders: (repositoryId, parents) => findFolders(db, repositoryId, own, parents),
    findIndexedByBlob: (repositoryId, blobShas) =>
      db.query<ManifestEntry>(
        `SELECT ${SELECT} FROM repository_files WHERE ${own} AND blob_sha = ANY($2)
          AND indexed_at IS NOT NULL AND chunk_count > 0 AND ${IS_STATUS.indexed} ORDER BY path`,
        [uuidOrNull(repositoryId), blobShas],
      ),
    findNamed: (repositoryId, fileNames) =>
      db.query<ManifestEntry>(
        `SELECT ${SELECT} FROM repository_files
          WHERE ${own} AND ${dotFileSql('path')} AND ${fileNameSql('path')} = ANY($2) ORDER BY path`,
        [uuidOrNull(repositoryId), fileNames],
      ),
    commitBatch: (run, batch, counters) => commitBatch(db, generation, run, batch, counters),
    recordFinding: (run, report) =>
      fenced(db, run, async (tx) => {
        const stored = storableMessage(JSON.stringify(report));
        await tx.query('UPDATE schedule_execution_logs SET report = $2::jsonb WHERE id = $1', [
          run.executionId,
          stored,
        ]);
      }),
    recordFolderIds: (run, ids) => fenced(db, run, (tx) => recordFolderIds(tx, run, own, ids)),
    advancePointer: (run, pointer) => advancePointer(db, run, generation, pointer),
    recordVerification: (run, drift) =>
      fenced(db, run, (tx) => recordVerification(tx, run, generation, drift)),
    totalsOf: (repositoryId) => totalsOf(db, repositoryId, own),
    raiseFences: (fence) => db.transaction((tx) => raiseFences(tx, fence)),
    listFiles: (repositoryId, filter, page) =>
      listFiles(db, ofRepository(repositoryId, generation), filter, page),
  } satisfies Manifest;
}

/**
 * Keyset paging: each page starts after the last path of the one before, so that no page costs more than the
 * first.
 */
async function* listEntries(db: Database, repositoryId: string, own: string): AsyncIterable<StoredEntry[]> {
  let after: string | null = null;
  for (;;) {
    const rows: StoredEntry[] = await db.query<StoredEntry>(
      `SELECT ${SELECT}, execution_id FROM repository_files
        WHERE ${own} AND ($2::text IS NULL OR path > $2) ORDER BY path LIMIT ${PAGE_SIZE}`,
      [uuidOrNull(repositoryId), after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < PAGE_SIZE) return;
    after = last.path;
  }
}

/** The rows of groups of folders, so that many folders are few queries and a page has the rows of few folders. */
async function* listEntriesIn(
  db: Database,
  repositoryId: string,
  own: string,
  { folders, below }: ManifestScope,
): AsyncIterable<StoredEntry[]> {
  for (const group of groupsOf([...folders], FOLDERS_PER_QUERY)) {
    yield await db.query<StoredEntry>(
      // OFFSET keeps the planner from one pass over all files of the repository.
      `SELECT found.* FROM unnest($2::text[]) AS scope (folder), LATERAL (
        SELECT ${SELECT}, execution_id FROM repository_files
        WHERE ${own} AND ${folderKeySql('path')} = hashtextextended(folder, 0) AND ${folderSql('path')} = folder
        OFFSET 0) AS found`,
      [uuidOrNull(repositoryId), group],
    );
  }
  for (const folder of below) {
    // `0` follows `/` in byte order.
    const range = `path > $2::text || '/' AND path < $2::text || '0'`;
    yield await db.query<StoredEntry>(
      `SELECT ${SELECT}, execution_id FROM repository_files WHERE ${own} AND ${range} ORDER BY path`,
      [uuidOrNull(repositoryId), folder],
    );
  }
}

/** Two callers must not lower each other's value. The margin covers fences that are drawn at the same time. */
async function raiseFences(tx: Queryable, fence: number): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('repotide fences', 0))`);
  await tx.query(
    `SELECT setval('execution_fence_seq', $1::bigint) FROM execution_fence_seq WHERE last_value < $1`,
    [fence + FENCE_MARGIN],
  );
}

/** The id comes first, because the SQL of the generation may refer to $1. */
function ofRepository(repositoryId: string, generation: string): Conditions {
  return new Conditions(`generation_id = ${generation}`).add('repository_id = ?', uuidOrNull(repositoryId));
}

function listFiles(
  db: Database,
  where: Conditions,
  filter: Parameters<ManifestStore['listFiles']>[1],
  page: SortedPageRequest<FileSort>,
): Promise<Page<ManifestEntry>> {
  const prefix = folderPath(filter.pathPrefix ?? '');
  const { hasSecrets, status, pathPart } = filter;
  where.add('position(lower(?) IN lower(path)) > 0', pathPart);
  // A folder or a file: the path itself and everything below it. `0` follows `/` in byte order.
  where.add(
    `(path = ?::text OR (path > ?::text || '/' AND path < ?::text || '0'))`,
    prefix === '' ? undefined : prefix,
  );
  if (status !== undefined) where.always(IS_STATUS[status]);
  if (hasSecrets !== undefined) where.always(hasSecrets ? 'secrets_found > 0' : 'secrets_found = 0');
  const orderBy = orderOf(page.sort ?? 'path', SORTS, 'path');
  return selectPage(db, { select: SELECT, from: 'repository_files', where, orderBy }, page);
}

async function listFolder(
  db: Database,
  repositoryId: string,
  path: string,
  page: PageRequest,
): Promise<Page<Folder> | null> {
  const folder = folderPath(path);
  const id = uuidOrNull(repositoryId);
  const exists = `SELECT 1 FROM repository_folders WHERE repository_id = $1 AND generation_id = ${ACTIVE} AND path = $2`;
  if (folder !== '' && !(await db.has(exists, [id, folder]))) return null;
  const where = ofRepository(repositoryId, ACTIVE).add('parent_path = ?', folder);
  return selectPage(db, { select: FOLDER, from: 'repository_folders', where, orderBy: 'path' }, page);
}

function folderPath(path: string): string {
  return path.replace(/\/+$/, '').replaceAll('\0', '');
}
