import { type KnownFolder, type ManifestTotals, type RunIdentity } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { uuidOrNull } from '../sql/rows.js';

/** The sums are kept by triggers (0001-folder-sums). @param own SQL that selects the rows of repository $1. */
export async function totalsOf(db: Queryable, repositoryId: string, own: string): Promise<ManifestTotals> {
  const root = await db.first<ManifestTotals & Record<string, unknown>>(
    `SELECT file_count AS files, failed_file_count AS failed_files, sized_file_count AS sized_files, size_bytes, chunk_count AS chunks, tree_id AS root_tree_id
      FROM repository_folders WHERE ${own} AND path = ''`,
    [uuidOrNull(repositoryId)],
  );
  return root ?? { files: 0, failedFiles: 0, sizedFiles: 0, sizeBytes: 0, chunks: 0, rootTreeId: null };
}

export function findFolders(
  db: Queryable,
  repositoryId: string,
  own: string,
  parents: readonly string[],
): Promise<KnownFolder[]> {
  return db.query<KnownFolder & Record<string, unknown>>(
    `SELECT path, tree_id FROM repository_folders WHERE ${own} AND parent_path = ANY($2)`,
    [uuidOrNull(repositoryId), parents],
  );
}

/** A folder with a failed file is read again by the next run. */
export async function recordFolderIds(
  tx: Queryable,
  run: RunIdentity,
  own: string,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  await tx.query(
    `UPDATE repository_folders folder SET tree_id = given.id FROM unnest($2::text[], $3::text[]) AS given (name, id)
      WHERE ${own} AND path = name AND failed_file_count = 0 AND tree_id IS DISTINCT FROM given.id`,
    [run.repositoryId, [...ids.keys()], [...ids.values()]],
  );
}
