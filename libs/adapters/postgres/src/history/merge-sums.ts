import { type Database } from '../sql/database.js';
import { SUM_COLUMNS } from './facts.js';

const BATCH = 5_000;
/** Other chores wait for this one. */
const TIME_BUDGET_MS = 10_000;
const KEY = 'cell, bucket_start, trigger, pod_name, subject';

/** SKIP LOCKED: two pods at the same time merge different rows. The order of the keys prevents deadlocks. */
const MERGE = `
  WITH taken AS (
    DELETE FROM history_sums WHERE (${KEY}, addition) IN (
      SELECT ${KEY}, addition FROM history_sums WHERE addition <> 0
      ORDER BY addition LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
    RETURNING *
  ), merged AS (
    INSERT INTO history_sums AS s (${KEY}, ${SUM_COLUMNS.join(', ')}, duration_max)
    SELECT ${KEY}, ${SUM_COLUMNS.map((column) => `sum(${column})`).join(', ')}, max(duration_max)
    FROM taken GROUP BY ${KEY} ORDER BY ${KEY}
    ON CONFLICT (${KEY}, addition) DO UPDATE SET
      ${SUM_COLUMNS.map((column) => `${column} = s.${column} + excluded.${column}`).join(', ')},
      duration_max = GREATEST(s.duration_max, excluded.duration_max)
  ) SELECT count(*) AS rows FROM taken`;

/** Stops after some seconds at the latest; the next call continues. */
export async function mergeSums(db: Database): Promise<void> {
  const deadline = performance.now() + TIME_BUDGET_MS;
  for (let rows = BATCH; rows === BATCH && performance.now() < deadline;)
    rows = (await db.first<{ rows: number }>(MERGE))!.rows;
}
