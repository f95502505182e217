import { type AnsweredRange, type HistoryFilter, type HistoryStore } from '@core/domain';
import { type Database, type Queryable } from '../database.js';
import { isOfOneRepository } from './facts.js';
import { breakDownFailures } from './failures.js';
import { ceilTo, floorTo } from './range.js';
import { summarize } from './summary.js';
import { drawTimeline } from './timeline.js';

/** History from stored sums and, where they do not reach, from rows; exact either way. */
export function createHistoryStore(db: Database): HistoryStore {
  return {
    summary: (filter) =>
      atOneMoment(db, filter, async (tx, answered, hasRows) => ({
        ...rangeOf(answered),
        ...(await summarize(tx, answered, hasRows)),
      })),
    timeline: (filter, bucket, timezone) =>
      atOneMoment(db, filter, async (tx, answered) => ({
        ...rangeOf(answered),
        buckets: await drawTimeline(tx, answered, bucket, timezone),
      })),
    failures: (filter, timezone, limit) =>
      atOneMoment(db, filter, async (tx, answered) => ({
        ...rangeOf(answered),
        ...(await breakDownFailures(tx, answered, timezone, limit)),
      })),
  };
}

type Answered = HistoryFilter & AnsweredRange;

/** Several statements that see the same rows: an execution that ends in between is not counted twice. */
function atOneMoment<T>(
  db: Database,
  filter: HistoryFilter,
  read: (tx: Queryable, answered: Answered, hasRows: boolean) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // Compiling costs more than these statements run.
    await tx.query('SET LOCAL jit = off');
    const [state] = await tx.query<{ rowsDeletedBefore: Date | null }>(
      'SELECT rows_deleted_before AS "rowsDeletedBefore" FROM history_state',
    );
    const rowsDeletedBefore = state?.rowsDeletedBefore ?? null;
    const hasRows = rowsDeletedBefore === null || filter.from >= rowsDeletedBefore;
    return read(tx, { ...widened(filter, rowsDeletedBefore), rowsDeletedBefore }, hasRows);
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
