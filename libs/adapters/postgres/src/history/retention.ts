import { type Database } from '../sql/database.js';
import { FORGET_REQUEST_KEYS } from '../sql/request-keys.js';
import { addMonths, dropMonths } from './months.js';

const BATCH = 5_000;
/** Other chores wait for this one, so it stops after this time; the next call continues. */
const TIME_BUDGET_MS = 10_000;

const DELETE_FILES = `
  DELETE FROM execution_file_errors WHERE execution_id IN (
    SELECT execution_id FROM execution_file_errors
    WHERE recorded_at < (SELECT rows_deleted_before FROM history_state) LIMIT ${BATCH})`;

/** See {@link PostgresHistory.retain}. */
export async function retain(
  db: Database,
  { days, minRows }: { days: number; minRows: number },
): Promise<string[]> {
  await addMonths(db);
  await db.query(FORGET_REQUEST_KEYS);
  if (days === 0) return [];
  const dropped = await dropMonths(db, days, minRows);
  await deleteFiles(db);
  return dropped;
}

/** The files of executions that ended before the oldest month. */
async function deleteFiles(db: Database): Promise<void> {
  const deadline = performance.now() + TIME_BUDGET_MS;
  for (;;) {
    const deleted = await db.query(`${DELETE_FILES} RETURNING 1`);
    if (deleted.length === 0 || performance.now() > deadline) return;
  }
}
