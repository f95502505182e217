import {
  ENDED_STATUSES,
  type HistoryFilter,
  type TimelineBucket,
  type TimelineBucketSize,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { pick } from '../sql/rows.js';
import { factsOf, Parameters, SUM_COLUMNS, type Sums, sums, WORK } from './facts.js';

const EMPTY = Object.fromEntries([...ENDED_STATUSES, ...WORK].map((name) => [name, 0])) as unknown as Sums;

/** @param tx a transaction that reads one snapshot. */
export async function drawTimeline(
  tx: Queryable,
  filter: HistoryFilter,
  size: TimelineBucketSize,
  timezone: string,
): Promise<TimelineBucket[]> {
  const starts = await bucketStarts(tx, filter, size, timezone);
  const parameters = new Parameters();
  const rows = await tx.query<Sums & { bucket: number }>(
    `SELECT width_bucket(at, ${parameters.add(starts)}::timestamptz[]) AS bucket, ${sums(SUM_COLUMNS)}
      FROM (${factsOf('all', filter, parameters, { levels: ['quarter'] })}) AS fact GROUP BY 1`,
    parameters.values,
  );
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return starts.map((start, index) => {
    const row = byBucket.get(index + 1) ?? EMPTY;
    // The range may cut the first and the last bucket.
    const end = starts[index + 1] ?? filter.to;
    return { start, end, runs: pick(row, ENDED_STATUSES), totals: pick(row, WORK) };
  });
}

/**
 * Start times of the buckets; the first starts with the range. An hour has sixty minutes even when the clocks
 * change; days and weeks follow the calendar of the time zone.
 */
async function bucketStarts(
  tx: Queryable,
  { from, to }: HistoryFilter,
  size: TimelineBucketSize,
  timezone: string,
): Promise<Date[]> {
  const series =
    size === 'hour'
      ? `generate_series(date_trunc('hour', $1::timestamptz, $3), $2::timestamptz, '1 hour')`
      : `generate_series(date_trunc('${size}', $1::timestamptz AT TIME ZONE $3), $2::timestamptz AT TIME ZONE $3,
          '1 ${size}')`;
  const instant = size === 'hour' ? 'start' : 'start AT TIME ZONE $3';
  const rows = await tx.query<{ start: Date }>(
    `SELECT DISTINCT GREATEST(${instant}, $1) AS start FROM ${series} AS start
      WHERE ${instant} < $2 ORDER BY 1`,
    [from, to, timezone],
  );
  return rows.map(({ start }) => start);
}
