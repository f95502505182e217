import { type AnsweredRange, type HistoryFilter, type HistoryStore } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { isOfOneRepository } from './facts.js';
import { breakDownFailures } from './failures.js';
import { atOneMoment, rowsDeletedBefore } from '../sql/one-moment.js';
import { ceilTo, floorTo } from './range.js';
import { summarize } from './summary.js';
import { drawTimeline } from './timeline.js';

/** History from stored sums and, where they do not reach, from rows; exact either way. */
export function createHistoryStore(db: Database): HistoryStore {
  return {
    summary: (filter) =>
      answer(db, filter, async (tx, answered, hasRows) => ({
        ...rangeOf(answered),
        ...(await summarize(tx, answered, hasRows)),
      })),
    timeline: (filter, bucket, timezone) =>
      answer(db, filter, async (tx, answered) => ({
        ...rangeOf(answered),
        buckets: await drawTimeline(tx, answered, bucket, timezone),
      })),
    failures: (filter, timezone, limit) =>
      answer(db, filter, async (tx, answered) => ({
        ...rangeOf(answered),
        ...(await breakDownFailures(tx, answered, timezone, limit)),
      })),
  };
}

type Answered = HistoryFilter & AnsweredRange;

function answer<T>(
  db: Database,
  filter: HistoryFilter,
  read: (tx: Queryable, answered: Answered, hasRows: boolean) => Promise<T>,
): Promise<T> {
  return atOneMoment(db, async (tx) => {
    const deletedBefore = await rowsDeletedBefore(tx);
    const hasRows = deletedBefore === null || filter.from >= deletedBefore;
    return read(tx, { ...widened(filter, deletedBefore), rowsDeletedBefore: deletedBefore }, hasRows);
  });
}

/** Where rows are gone, sums of whole units are what is left. */
function widened(filter: HistoryFilter, deletedBefore: Date | null): HistoryFilter {
  if (deletedBefore === null || isOfOneRepository(filter) || filter.from >= deletedBefore) return filter;
  const to = filter.to < deletedBefore ? ceilTo('day', filter.to) : filter.to;
  return { ...filter, from: floorTo('day', filter.from), to };
}

function rangeOf({ from, to, rowsDeletedBefore }: Answered): AnsweredRange {
  return { from, to, rowsDeletedBefore };
}
