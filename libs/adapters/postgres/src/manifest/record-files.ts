import { type ManifestEntry, type RunIdentity } from '@core/domain';
import { storableMessage } from '../sql/rows.js';
import { type Queryable } from '../sql/database.js';
import { longPathSql, pathKeySql } from './long-paths.js';

/** Per status and execution: a first sync of a large repository may skip a hundred thousand files. */
const MOST_FILES = 1000;
const LONGEST_MESSAGE = 2000;

const INSERT = `
  WITH given AS (
    SELECT $1::uuid AS execution_id, row.path, row.status, row.error_code, row.message
    FROM (
      SELECT *, row_number() OVER (PARTITION BY status ORDER BY path) AS place
      FROM jsonb_to_recordset($2::jsonb) AS given (path text, status text, error_code text, message text)
    ) AS row
    WHERE row.place <= ${MOST_FILES} -
      (SELECT count(*) FROM execution_file_errors WHERE execution_id = $1 AND status = row.status)
  ), plain AS (
    INSERT INTO execution_file_errors (execution_id, path, status, error_code, message)
    SELECT * FROM given WHERE NOT (${longPathSql('path')})
    ON CONFLICT DO NOTHING
  )
  INSERT INTO execution_file_errors_long (execution_id, path, status, error_code, message, path_sha256)
  SELECT *, ${pathKeySql('path')} FROM given WHERE ${longPathSql('path')}
  ON CONFLICT DO NOTHING`;

/**
 * Records which files of a batch an execution left out or failed to index, within the batch's transaction. A
 * later batch or attempt replaces the record of a path. Repeating is harmless.
 */
export async function recordFiles(
  tx: Queryable,
  run: RunIdentity,
  batch: { upserts: readonly ManifestEntry[]; deletes: readonly string[] },
): Promise<void> {
  const paths = [...batch.upserts.map(({ path }) => path), ...batch.deletes];
  if (paths.length === 0) return;
  await tx.query('DELETE FROM execution_file_errors WHERE execution_id = $1 AND path = ANY($2)', [
    run.executionId,
    paths,
  ]);
  // If a path is given twice the last entry counts, as in the manifest.
  const files = [...new Map(batch.upserts.map((entry) => [entry.path, entry])).values()].flatMap(fileOf);
  if (files.length > 0) await tx.query(INSERT, [run.executionId, JSON.stringify(files)]);
}

interface FileRow {
  path: string;
  status: 'failed' | 'skipped';
  error_code: string;
  message: string | null;
}

function fileOf({ path, lastError, skipReason, skipDetail }: ManifestEntry): FileRow[] {
  if (lastError !== null) return [{ path, status: 'failed', ...codeAndMessage(lastError) }];
  if (skipReason === null) return [];
  return [{ path, status: 'skipped', error_code: skipReason, message: shown(skipDetail) }];
}

/** The manifest keeps both in one text: `code: message`. */
function codeAndMessage(lastError: string): Pick<FileRow, 'error_code' | 'message'> {
  const [, code, message] = /^([a-z][a-z0-9_]*): (.*)$/s.exec(lastError) ?? [];
  if (code === undefined || message === undefined) {
    return { error_code: 'file_failed', message: shown(lastError) };
  }
  return { error_code: code, message: shown(message) };
}

function shown(message: string | null): string | null {
  return storableMessage(message === null ? null : message.slice(0, LONGEST_MESSAGE));
}
