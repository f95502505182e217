import { type Database, type Queryable } from './database.js';

/** Several statements that see the same rows: an execution that ends in between is not counted twice. */
export function atOneMoment<T>(db: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // Compiling costs more than these statements run.
    await tx.query('SET LOCAL jit = off');
    return read(tx);
  });
}

/** Before it executions may be deleted, and the sums tell more than there is; from it on both agree. Null: none are. */
export async function rowsDeletedBefore(tx: Queryable): Promise<Date | null> {
  const [state] = await tx.query<{ before: Date | null }>(
    'SELECT rows_deleted_before AS before FROM history_state',
  );
  return state?.before ?? null;
}
