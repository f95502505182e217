import { type ManifestEntry, RepotideError, type RunCounters, type RunIdentity } from '@core/domain';
import { propertyName, storableMessage } from '../sql/rows.js';
import { type Database } from '../sql/database.js';
import { recordFiles } from './record-files.js';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT, raiseCounters } from '../sql/fence.js';
import { isLongPath, pathKeySql } from './long-paths.js';

/** The columns of a manifest entry, which follow the key. */
export const ENTRY = [
  ...['path', 'mode', 'blob_sha', 'fingerprint', 'size_bytes', 'language', 'chunk_count', 'indexed_at'],
  ...['skip_reason', 'skip_detail', 'last_error', 'secrets_found', 'secret_detail'],
];

const PROPERTIES = ENTRY.map((column) => [column, propertyName(column) as keyof ManifestEntry] as const);

/** One statement for all rows of a table. */
function upsert(generation: string, isLong: boolean): string {
  const [table, key] = isLong ? ['repository_files_long', 'path_sha256'] : ['repository_files', 'path'];
  const listed = (prefix: string): string => ENTRY.map((column) => `${prefix}${column}`).join(', ');
  return `
  INSERT INTO ${table} (repository_id, generation_id, execution_id, ${listed('')} ${isLong ? ', path_sha256' : ''})
  SELECT $1, ${generation}, $3, ${listed('row.')} ${isLong ? `, ${pathKeySql('row.path')}` : ''}
  FROM jsonb_populate_recordset(NULL::repository_files, $2::jsonb) AS row
  ON CONFLICT (repository_id, generation_id, ${key}) DO UPDATE
    SET (execution_id, ${listed('')}) = ROW (excluded.execution_id, ${listed('excluded.')})`;
}

/**
 * Writes rows and counters atomically. A path in both lists keeps its new row; if a path is given twice, the
 * last entry counts. Repeating is harmless.
 * @param generation SQL of the generation's id.
 * @throws fence_lost `fence_lost`; invalid `path_not_storable`.
 */
export async function commitBatch(
  db: Database,
  generation: string,
  run: RunIdentity,
  batch: { upserts: readonly ManifestEntry[]; deletes: readonly string[] },
  counters: RunCounters,
): Promise<void> {
  const rows = new Map(batch.upserts.map((entry) => [entry.path, rowOf(entry)]));
  batch.deletes.forEach(refuseUnstorable);
  const { sql, values } = raiseCounters(counters, 4);
  await db.transaction(async (tx) => {
    // The fence check. It locks the attempt's row until the commit.
    const isCurrent = await tx.has(
      `UPDATE schedule_execution_logs SET ${sql} WHERE ${IS_CURRENT_ATTEMPT} RETURNING id`,
      [...attemptParameters(run), ...values],
    );
    if (!isCurrent) throw fenceLost(run);
    if (batch.deletes.length > 0) {
      await tx.query(
        `DELETE FROM repository_files
          WHERE repository_id = $1 AND generation_id = ${generation} AND path = ANY($2)`,
        [run.repositoryId, batch.deletes],
      );
    }
    for (const isLong of [false, true]) {
      const meant = [...rows.values()].filter(({ path }) => isLongPath(path) === isLong);
      if (meant.length === 0) continue;
      await tx.query(upsert(generation, isLong), [run.repositoryId, JSON.stringify(meant), run.executionId]);
    }
    await recordFiles(tx, run, batch);
  });
}

function rowOf(entry: ManifestEntry): { path: string } & Record<string, unknown> {
  refuseUnstorable(entry.path);
  const { skipDetail, lastError } = entry;
  const stored = { ...entry, skipDetail: storableMessage(skipDetail), lastError: storableMessage(lastError) };
  const row: Record<string, unknown> = {};
  for (const [column, property] of PROPERTIES) row[column] = stored[property];
  return { ...row, path: entry.path };
}

/** A path is refused where a message would be cleaned, because a cleaned path would name another file. */
function refuseUnstorable(path: string): void {
  if (storableMessage(path) === path) return;
  const message =
    `A path of the repository has a character that text cannot hold: ${JSON.stringify(path.slice(0, 120))}. ` +
    'Rename the file.';
  throw new RepotideError('invalid', 'path_not_storable', message);
}
