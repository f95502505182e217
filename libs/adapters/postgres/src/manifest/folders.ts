import { longPathSql, pathKeySql } from './long-paths.js';

/**
 * Rebuilds the folders of repository $1 in one generation from its files. Each file counts for every
 * ancestor, including the root (the empty path). Writes only changed rows, so that a run that changed one
 * file touches only its ancestors.
 */
export const rebuildFolders = (generation: string): string => `
  WITH files AS (
    SELECT string_to_array(path, '/') AS names, COALESCE(size_bytes, 0) AS size_bytes,
      (last_error IS NULL AND skip_reason IS NULL)::int AS indexed
    FROM repository_files WHERE repository_id = $1 AND generation_id = ${generation}
  ), wanted AS (
    SELECT array_to_string(names[:depth], '/') AS path,
      count(*) AS file_count, sum(indexed) AS indexed_file_count, sum(size_bytes) AS size_bytes
    FROM files, generate_series(1, cardinality(names) - 1) AS depth
    GROUP BY 1
    UNION ALL
    SELECT '', count(*), COALESCE(sum(indexed), 0), COALESCE(sum(size_bytes), 0) FROM files
  ), vanished AS (
    DELETE FROM repository_folders folder WHERE repository_id = $1 AND generation_id = ${generation}
      AND NOT EXISTS (SELECT FROM wanted WHERE wanted.path = folder.path)
  ), written AS (
    ${insert(generation, { table: 'repository_folders', key: 'path', isLong: false })}
  )
  ${insert(generation, { table: 'repository_folders_long', key: 'path_sha256', isLong: true })}`;

function insert(generation: string, target: { table: string; key: string; isLong: boolean }): string {
  const { table, key, isLong } = target;
  return `INSERT INTO ${table} AS folder (repository_id, generation_id, path, parent_path, file_count,
    indexed_file_count, size_bytes ${isLong ? `, ${key}` : ''})
  SELECT $1, ${generation}, path,
    CASE WHEN path = '' THEN NULL WHEN path LIKE '%/%' THEN regexp_replace(path, '/[^/]*$', '') ELSE '' END,
    file_count, indexed_file_count, size_bytes ${isLong ? `, ${pathKeySql('path')}` : ''}
  FROM wanted WHERE ${isLong ? '' : 'NOT '}(${longPathSql('path')})
  ON CONFLICT (repository_id, generation_id, ${key}) DO UPDATE SET
    file_count = excluded.file_count,
    indexed_file_count = excluded.indexed_file_count,
    size_bytes = excluded.size_bytes
  WHERE (folder.file_count, folder.indexed_file_count, folder.size_bytes)
    IS DISTINCT FROM (excluded.file_count, excluded.indexed_file_count, excluded.size_bytes)`;
}
