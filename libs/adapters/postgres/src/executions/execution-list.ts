import {
  type Execution,
  type ExecutionFilter,
  type ExecutionSort,
  type Page,
  type SortedPageRequest,
} from '@core/domain';
import { uuidOrNull } from '../sql/columns.js';
import { type Queryable } from '../sql/database.js';
import { SELECT_EXECUTION } from '../sql/execution-columns.js';
import { countExecutions } from '../history/count-executions.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf } from '../sql/page.js';

const SORTS: Record<ExecutionSort, Order> = {
  queued_at: orderByAlways('e.queued_at'),
  started_at: orderByMaybe('e.started_at'),
};

/** Newest first by default. @param tx reads one snapshot, so that page and total agree. */
export async function listExecutions(
  tx: Queryable,
  filter: ExecutionFilter,
  { limit, offset, sort = '-queued_at' }: SortedPageRequest<ExecutionSort>,
): Promise<Page<Execution>> {
  const total = await countExecutions(tx, filter);
  if (offset >= total) return { items: [], total };
  const where = conditionsOf(filter);
  const orderBy = orderOf(sort, SORTS, 'e.id');
  const next = where.values.length + 1;
  // Skips the earlier pages by the index alone; only rows of this page are read.
  const items = await tx.query<Execution>(
    `SELECT ${SELECT_EXECUTION} FROM (
        SELECT e.id FROM schedule_execution_logs e WHERE ${where.sql}
        ORDER BY ${orderBy} LIMIT $${next} OFFSET $${next + 1}
      ) AS page JOIN schedule_execution_logs e USING (id) ORDER BY ${orderBy}`,
    [...where.values, limit, offset],
  );
  return { items, total };
}

/** For rows of `schedule_execution_logs` named `e`. */
export function conditionsOf(filter: ExecutionFilter): Conditions {
  const idOf = (text: string | undefined): string | null | undefined =>
    text === undefined ? undefined : uuidOrNull(text);
  return new Conditions()
    .add('repository_id = ?', idOf(filter.repositoryId))
    .add('schedule_session_id = ?', idOf(filter.scheduleId))
    .add('status = ANY(?)', filter.status)
    .add('trigger = ?', filter.trigger)
    .add('pod_name = ?', filter.podName)
    .add('queued_at >= ?', filter.from)
    .add('queued_at < ?', filter.to);
}
