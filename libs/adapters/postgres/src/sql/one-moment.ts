import { type Database, type Queryable } from './database.js';

/** Runs several statements on one snapshot, so that an execution that ends in between is not counted twice. */
export function atOneMoment<T>(db: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // JIT compilation takes longer than these statements.
    await tx.query('SET LOCAL jit = off');
    return read(tx);
  });
}

/**
 * Executions before this time may have been deleted, so only the sums are complete; after it both agree.
 * Null: none were deleted.
 */
export async function rowsDeletedBefore(tx: Queryable): Promise<Date | null> {
  const [state] = await tx.query<{ before: Date | null }>(
    'SELECT rows_deleted_before AS before FROM history_state',
  );
  return state?.before ?? null;
}
