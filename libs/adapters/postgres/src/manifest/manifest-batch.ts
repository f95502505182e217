import { type ManifestEntry, RepotideError, type RunCounters, type RunIdentity } from '@core/domain';
import { storableMessage } from '../sql/rows.js';
import { type Database } from '../sql/database.js';
import { recordFiles } from './record-files.js';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT, raiseCounters } from '../sql/fence.js';
import { isLongPath, pathKeySql } from './long-paths.js';

/** One statement for all rows of a table. */
function upsert(generation: string, isLong: boolean): string {
  const [table, key] = isLong ? ['repository_files_long', 'path_sha256'] : ['repository_files', 'path'];
  return `
  INSERT INTO ${table} (repository_id, generation_id, path, mode, blob_sha, fingerprint, size_bytes, language,
    chunk_count, indexed_at, skip_reason, skip_detail, last_error, secrets_found, secret_detail
    ${isLong ? ', path_sha256' : ''})
  SELECT $1, ${generation}, row.* ${isLong ? `, ${pathKeySql('row.path')}` : ''}
  FROM jsonb_to_recordset($2::jsonb) AS row (path text, mode text, blob_sha text,
    fingerprint text, size_bytes bigint, language text, chunk_count int, indexed_at timestamptz,
    skip_reason text, skip_detail text, last_error text, secrets_found int, secret_detail text)
  ON CONFLICT (repository_id, generation_id, ${key}) DO UPDATE SET
    mode = excluded.mode, blob_sha = excluded.blob_sha, fingerprint = excluded.fingerprint,
    size_bytes = excluded.size_bytes, language = excluded.language, chunk_count = excluded.chunk_count,
    indexed_at = excluded.indexed_at, skip_reason = excluded.skip_reason,
    skip_detail = excluded.skip_detail, last_error = excluded.last_error,
    secrets_found = excluded.secrets_found, secret_detail = excluded.secret_detail`;
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
    const current = await tx.query(
      `UPDATE schedule_execution_logs SET ${sql} WHERE ${IS_CURRENT_ATTEMPT} RETURNING id`,
      [...attemptParameters(run), ...values],
    );
    if (current.length === 0) throw fenceLost(run);
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
      await tx.query(upsert(generation, isLong), [run.repositoryId, JSON.stringify(meant)]);
    }
    await recordFiles(tx, run, batch);
  });
}

function rowOf(entry: ManifestEntry): { path: string } & Record<string, unknown> {
  refuseUnstorable(entry.path);
  return {
    path: entry.path,
    mode: entry.mode,
    blob_sha: entry.blobSha,
    fingerprint: entry.fingerprint,
    size_bytes: entry.sizeBytes,
    language: entry.language,
    chunk_count: entry.chunkCount,
    indexed_at: entry.indexedAt,
    skip_reason: entry.skipReason,
    skip_detail: storableMessage(entry.skipDetail),
    last_error: storableMessage(entry.lastError),
    secrets_found: entry.secretsFound,
    secret_detail: entry.secretDetail,
  };
}

/** A path is refused where a message would be cleaned, because a cleaned path would name another file. */
function refuseUnstorable(path: string): void {
  if (storableMessage(path) === path) return;
  throw new RepotideError(
    'invalid',
    'path_not_storable',
    `A path of the repository has a character that text cannot hold: ${JSON.stringify(path.slice(0, 120))}. ` +
      'Rename the file.',
  );
}
