import { longPathSql, pathKeySql } from '../manifest/long-paths.js';
import { folderSql } from '../manifest/path-sql.js';

/** Deletions count negatively, so an update is a deletion and an insertion. */
const CHANGED_ROWS = {
  insert: 'SELECT *, 1 AS sign FROM new_rows',
  update: 'SELECT *, -1 AS sign FROM old_rows UNION ALL SELECT *, 1 FROM new_rows',
  delete: 'SELECT *, -1 AS sign FROM old_rows',
};
const TRANSITIONS = {
  insert: 'NEW TABLE AS new_rows',
  update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
  delete: 'OLD TABLE AS old_rows',
};
const SUMS = [
  ...['file_count', 'indexed_file_count', 'failed_file_count', 'sized_file_count'],
  ...['size_bytes', 'chunk_count'],
];

const SAME_FOLDER = ['repository_id', 'generation_id', 'path']
  .map((column) => `folder.${column} = change.${column}`)
  .join(' AND ');

/**
 * Keeps the sums of each folder equal to its files, in the statement that changes the files: whoever writes them, no sum
 * can be wrong, and a statement touches only the folders above its files. It forgets the tree id of a folder with changed
 * content; a file whose content stays (a repair, changed rules) keeps the id.
 */
export const FOLDER_SUMS = (['insert', 'update', 'delete'] as const)
  .flatMap((operation) => [
    sumFunction(operation),
    ...['repository_files', 'repository_files_long'].map(
      (table) => `CREATE TRIGGER sum_folders_after_${operation} AFTER ${operation} ON ${table}
        REFERENCING ${TRANSITIONS[operation]}
        FOR EACH STATEMENT EXECUTE FUNCTION sum_folders_after_${operation}();`,
    ),
  ])
  .join('\n');

/** The settings make the planner look each folder up: it cannot know that few are changed. */
function sumFunction(operation: keyof typeof CHANGED_ROWS): string {
  return `
  CREATE FUNCTION sum_folders_after_${operation}() RETURNS trigger LANGUAGE plpgsql
    SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
  BEGIN
    WITH files AS (
      SELECT repository_id, generation_id, path, string_to_array(path, '/') AS names,
        sum(sign) AS file_count,
        sum(sign * (last_error IS NULL AND skip_reason IS NULL)::int) AS indexed_file_count,
        sum(sign * (last_error IS NOT NULL)::int) AS failed_file_count,
        sum(sign * (size_bytes IS NOT NULL)::int) AS sized_file_count,
        sum(sign * COALESCE(size_bytes, 0)) AS size_bytes,
        sum(sign * CASE WHEN indexed_at IS NULL THEN 0 ELSE chunk_count END) AS chunk_count,
        sum(sign) <> 0 OR min(mode) <> max(mode) OR min(blob_sha) <> max(blob_sha)
          OR bool_or(last_error IS NOT NULL) AS is_changed
      FROM (${CHANGED_ROWS[operation]}) AS row GROUP BY repository_id, generation_id, path
    ), folders AS MATERIALIZED (
      SELECT repository_id, generation_id, array_to_string(names[:depth], '/') AS path,
        ${SUMS.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(', ')}, bool_or(is_changed) AS is_changed
      FROM files, generate_series(0, cardinality(names) - 1) AS depth
      GROUP BY 1, 2, 3
      HAVING bool_or(is_changed) OR ${SUMS.map((sum) => `sum(${sum}) <> 0`).join(' OR ')}
    ), emptied AS (
      DELETE FROM repository_folders folder USING folders change WHERE ${SAME_FOLDER}
        AND folder.path <> '' AND folder.file_count + change.file_count = 0
    ), known AS (
      UPDATE repository_folders folder SET
        ${SUMS.map((sum) => `${sum} = folder.${sum} + change.${sum}`).join(', ')},
        tree_id = CASE WHEN NOT change.is_changed THEN tree_id END
      FROM folders change WHERE ${SAME_FOLDER}
        AND (folder.path = '' OR folder.file_count + change.file_count <> 0)
    ), new AS (
      ${insert('repository_folders', `NOT (${longPathSql('path')})`)}
    )
    ${insert('repository_folders_long', longPathSql('path'), 'path_sha256')};
    RETURN NULL;
  END $$;`;
}

function insert(table: string, condition: string, key?: string): string {
  const parent = `CASE WHEN path = '' THEN NULL ELSE ${folderSql('path')} END`;
  return `INSERT INTO ${table} (repository_id, generation_id, path, parent_path, ${SUMS.join(', ')}
      ${key === undefined ? '' : `, ${key}`})
    SELECT repository_id, generation_id, path, ${parent}, ${SUMS.join(', ')}
      ${key === undefined ? '' : `, ${pathKeySql('path')}`}
    FROM folders change WHERE file_count > 0 AND ${condition}
      AND NOT EXISTS (SELECT FROM repository_folders folder WHERE ${SAME_FOLDER})`;
}
