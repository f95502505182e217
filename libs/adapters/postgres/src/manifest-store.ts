import {
  type FileStatus,
  type Folder,
  type ManifestEntry,
  type ManifestStore,
  type Page,
  type PageRequest,
} from '@core/domain';
import { columnsOf, selectList, uuidOrNull } from './columns.js';
import { type Database } from './database.js';
import { fenced } from './fence.js';
import { REBUILD_FOLDERS } from './folders.js';
import { commitBatch } from './manifest-batch.js';
import { Conditions, selectPage } from './page.js';

const SELECT = selectList(
  columnsOf<ManifestEntry>({
    path: true,
    mode: true,
    blobSha: true,
    fingerprint: true,
    sizeBytes: true,
    language: true,
    chunkCount: true,
    indexedAt: true,
    skipReason: true,
    skipDetail: true,
    lastError: true,
    secretsFound: true,
    secretDetail: true,
  }),
);
const SELECT_FOLDER = selectList(
  columnsOf<Folder>({
    path: true,
    parentPath: true,
    fileCount: true,
    indexedFileCount: true,
    sizeBytes: true,
  }),
);

/** About 300 bytes a row: a page is a few hundred kilobytes. */
const PAGE_SIZE = 1000;

/** The same rule as `fileStatusOf` of the domain. */
const IS_STATUS: Record<FileStatus, string> = {
  failed: 'last_error IS NOT NULL',
  skipped: 'last_error IS NULL AND skip_reason IS NOT NULL',
  indexed: 'last_error IS NULL AND skip_reason IS NULL',
};

/** The manifest and the index state of repositories, in Postgres. */
export function createManifestStore(db: Database): ManifestStore {
  return {
    markDirty: (run) =>
      fenced(db, run, async (tx) => {
        await tx.query('UPDATE repositories SET index_dirty = true WHERE id = $1 AND NOT index_dirty', [
          run.repositoryId,
        ]);
      }),
    async flagSuspect(repositoryId) {
      await db.query(
        `UPDATE repositories SET index_dirty = true, index_suspicions = index_suspicions + 1 WHERE id = $1`,
        [uuidOrNull(repositoryId)],
      );
    },
    listEntries: (repositoryId) => listEntries(db, repositoryId),
    findIndexedByBlob: (repositoryId, blobShas) =>
      db.query<ManifestEntry>(
        `SELECT ${SELECT} FROM repository_files WHERE repository_id = $1 AND blob_sha = ANY($2)
          AND indexed_at IS NOT NULL AND chunk_count > 0 AND ${IS_STATUS.indexed} ORDER BY path`,
        [uuidOrNull(repositoryId), blobShas],
      ),
    findNamed: (repositoryId, fileNames) =>
      db.query<ManifestEntry>(
        `SELECT ${SELECT} FROM repository_files
          WHERE repository_id = $1 AND regexp_replace(path, '^.*/', '') = ANY($2) ORDER BY path`,
        [uuidOrNull(repositoryId), fileNames],
      ),
    commitBatch: (run, batch, counters) => commitBatch(db, run, batch, counters),
    rebuildFolders: (run) =>
      fenced(db, run, async (tx) => {
        await tx.query(REBUILD_FOLDERS, [run.repositoryId]);
      }),
    advancePointer: (run, { commit, fingerprint, indexSuspicions, projectPath }) =>
      fenced(db, run, async (tx) => {
        await tx.query(
          `UPDATE repositories SET last_synced_commit = $2, index_fingerprint = $3,
            index_dirty = (index_suspicions <> $4), last_sync_at = clock_timestamp(),
            project_path = COALESCE($5, project_path) WHERE id = $1`,
          [run.repositoryId, commit, fingerprint, indexSuspicions, projectPath ?? null],
        );
      }),
    async hasFailures(repositoryId) {
      const rows = await db.query(
        `SELECT 1 FROM repository_files WHERE repository_id = $1 AND ${IS_STATUS.failed} LIMIT 1`,
        [uuidOrNull(repositoryId)],
      );
      return rows.length > 0;
    },
    listFiles: (repositoryId, filter, page) => listFiles(db, repositoryId, filter, page),
    listFolder: (repositoryId, path, page) => listFolder(db, repositoryId, path, page),
  };
}

/** Keyset paging: the last path of a page starts the next, so that no page costs more than the first. */
async function* listEntries(db: Database, repositoryId: string): AsyncIterable<ManifestEntry[]> {
  let after: string | null = null;
  for (;;) {
    const rows: ManifestEntry[] = await db.query<ManifestEntry>(
      `SELECT ${SELECT} FROM repository_files
        WHERE repository_id = $1 AND ($2::text IS NULL OR path > $2) ORDER BY path LIMIT ${PAGE_SIZE}`,
      [uuidOrNull(repositoryId), after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < PAGE_SIZE) return;
    after = last.path;
  }
}

function listFiles(
  db: Database,
  repositoryId: string,
  filter: Parameters<ManifestStore['listFiles']>[1],
  page: PageRequest,
): Promise<Page<ManifestEntry>> {
  const isStatus = filter.status === undefined ? [] : [IS_STATUS[filter.status]];
  const prefix = folderPath(filter.pathPrefix ?? '');
  const { hasSecrets } = filter;
  const isLeaky = hasSecrets === undefined ? [] : [hasSecrets ? 'secrets_found > 0' : 'secrets_found = 0'];
  const where = new Conditions(...isStatus, ...isLeaky)
    .add('repository_id = ?', uuidOrNull(repositoryId))
    // A folder or a file: itself and everything below. `0` follows `/` in byte order.
    .add(
      `(path = ?::text OR (path > ?::text || '/' AND path < ?::text || '0'))`,
      prefix === '' ? undefined : prefix,
    );
  return selectPage(db, { select: SELECT, from: 'repository_files', where, orderBy: 'path' }, page);
}

async function listFolder(
  db: Database,
  repositoryId: string,
  path: string,
  page: PageRequest,
): Promise<Page<Folder> | null> {
  const folder = folderPath(path);
  const id = uuidOrNull(repositoryId);
  const [found] = await db.query('SELECT 1 FROM repository_folders WHERE repository_id = $1 AND path = $2', [
    id,
    folder,
  ]);
  if (found === undefined && folder !== '') return null;
  const where = new Conditions().add('repository_id = ?', id).add('parent_path = ?', folder);
  return selectPage(db, { select: SELECT_FOLDER, from: 'repository_folders', where, orderBy: 'path' }, page);
}

function folderPath(path: string): string {
  return path.replace(/\/+$/, '').replaceAll('\0', '');
}
