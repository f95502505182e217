import { type Database } from '../sql/database.js';

const BATCH = 5_000;
/** Other chores wait for this one. */
const TIME_BUDGET_MS = 10_000;

/** Stops after some seconds at the latest; the next call continues. Two pods at the same time merge different rows. */
export async function mergeSums(db: Database): Promise<void> {
  const deadline = performance.now() + TIME_BUDGET_MS;
  for (let rows = BATCH; rows === BATCH && performance.now() < deadline;)
    rows = (await db.one<{ rows: number }>(`SELECT merge_history(${BATCH}) AS rows`)).rows;
}
