import { type Queryable } from '../sql/database.js';
import { type Level } from './range.js';

/**
 * The stored unit that divides every hour and day of a time zone in a range: in most zones the hour, in those of India
 * or Nepal the quarter of an hour. Clocks differ by whole quarters everywhere since 1972.
 */
export async function finestLevel(
  tx: Queryable,
  range: { from: Date; to: Date },
  timezone: string,
): Promise<Level> {
  // A change of the clock lasts weeks at least: a look at each day misses none.
  const [row] = await tx.query<{ isWhole: boolean }>(
    `SELECT bool_and(EXTRACT(EPOCH FROM (day AT TIME ZONE $3) - (day AT TIME ZONE 'UTC'))::int % 3600 = 0) AS "isWhole"
      FROM generate_series($1::timestamptz, $2::timestamptz + interval '1 day', '1 day') AS day`,
    [range.from, range.to, timezone],
  );
  return row?.isWhole === true ? 'hour' : 'quarter';
}
