import { type Execution, type ExecutionFilter, type Page, type PageRequest } from '@core/domain';
import { uuidOrNull } from './columns.js';
import { type Queryable } from './database.js';
import { SELECT_EXECUTION } from './execution-columns.js';
import { countExecutions } from './history/index.js';
import { Conditions } from './page.js';

/** Newest first. @param tx sees one moment, so that page and total agree. */
export async function listExecutions(
  tx: Queryable,
  filter: ExecutionFilter,
  { limit, offset }: PageRequest,
): Promise<Page<Execution>> {
  const total = await countExecutions(tx, filter);
  if (offset >= total) return { items: [], total };
  const where = conditionsOf(filter);
  const next = where.values.length + 1;
  // An index alone passes over the rows of the pages before; only those of this page are read.
  const items = await tx.query<Execution>(
    `SELECT ${SELECT_EXECUTION} FROM (
        SELECT e.id FROM schedule_execution_logs e WHERE ${where.sql}
        ORDER BY queued_at DESC, e.id DESC LIMIT $${next} OFFSET $${next + 1}
      ) AS page JOIN schedule_execution_logs e USING (id) ORDER BY e.queued_at DESC, e.id DESC`,
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
