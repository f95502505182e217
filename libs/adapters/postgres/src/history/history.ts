import {
  type AnsweredRange,
  type FailureBreakdown,
  type HistoryFilter,
  type HistorySummary,
  type Timeline,
  type TimelineBucketSize,
} from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { isOfOwners, rowsDeletedBefore } from './facts.js';
import { breakDownFailures } from './failures.js';
import { ceilTo, floorTo } from './range.js';
import { retain } from './retention.js';
import { summarize } from './summary.js';
import { drawTimeline } from './timeline.js';

const MERGED_AT_ONCE = 5_000;
/** Other chores wait for this one. */
const MERGE_BUDGET_MS = 10_000;

/**
 * Exact counts of ended and live executions over any range. Whole units of time come from `history_sums` and from
 * `history_additions`, where a trigger notes each execution in the transaction that ends it; the rest of the range is read
 * from the executions.
 */
export class PostgresHistory {
  constructor(private readonly db: Database) {}

  summary(filter: HistoryFilter): Promise<HistorySummary> {
    return this.answer(filter, summarize);
  }

  /** @param timezone IANA name: days and weeks begin at its midnight, weeks on Monday. */
  timeline(filter: HistoryFilter, bucket: TimelineBucketSize, timezone: string): Promise<Timeline> {
    return this.answer(filter, async (tx, answered) => ({
      buckets: await drawTimeline(tx, answered, bucket, timezone),
    }));
  }

  failures(filter: HistoryFilter, timezone: string, limit: number): Promise<FailureBreakdown> {
    return this.answer(filter, (tx, answered) => breakDownFailures(tx, answered, timezone, limit));
  }

  /**
   * Makes the partitions of the next months, and drops those of months that ended more than `days` ago (0: none), except
   * the newest `minRows` executions of each schedule and of each repository. Any pod may call it at any time.
   * @returns the dropped months, for example `2026_05`.
   */
  retain(retention: { days: number; minRows: number }): Promise<string[]> {
    return retain(this.db, retention);
  }

  /**
   * Adds the executions that ended since the last call to the sums. Answers are exact without it, and slower. Stops after
   * some seconds at the latest; the next call continues. Any pod may call it at any time: two merge different rows.
   */
  async mergeSums(): Promise<void> {
    const deadline = performance.now() + MERGE_BUDGET_MS;
    const merge = `SELECT merge_history(${MERGED_AT_ONCE}) AS rows`;
    for (let rows = MERGED_AT_ONCE; rows === MERGED_AT_ONCE && performance.now() < deadline;)
      rows = (await this.db.one<{ rows: number }>(merge)).rows;
  }

  private answer<T extends object>(
    filter: HistoryFilter,
    read: (tx: Queryable, answered: HistoryFilter, hasRows: boolean) => Promise<T>,
  ): Promise<AnsweredRange & T> {
    return this.db.snapshot(async (tx) => {
      const deletedBefore = await rowsDeletedBefore(tx);
      const hasRows = deletedBefore === null || filter.from >= deletedBefore;
      const answered = hasRows || isOfOwners(filter) ? filter : widened(filter, deletedBefore);
      const { from, to } = answered;
      return { from, to, rowsDeletedBefore: deletedBefore, ...(await read(tx, answered, hasRows)) };
    });
  }
}

/** Widens the range to whole days where rows were deleted, because only sums remain there. */
function widened(filter: HistoryFilter, deletedBefore: Date): HistoryFilter {
  const to = filter.to < deletedBefore ? ceilTo('day', filter.to) : filter.to;
  return { ...filter, from: floorTo('day', filter.from), to };
}
