import {
  type Execution,
  type ExecutionFile,
  type ExecutionFilter,
  type ExecutionSort,
  type ExecutionStatus,
  type Page,
  type PageRequest,
  type SortedPageRequest,
} from '@core/domain';
import { countExecutions } from '../history/count-executions.js';
import { type Database, type Queryable } from '../sql/database.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf, selectPage } from '../sql/page.js';
import { uuidOrNull } from '../sql/rows.js';

/** About 800 bytes a row: a page is less than a megabyte. */
const PAGE_SIZE = 1000;

const SORTS: Record<ExecutionSort, Order> = {
  queued_at: orderByAlways('e.queued_at'),
  started_at: orderByMaybe('e.started_at'),
};

/** Executions in bulk, and their files. */
export class ExecutionArchive {
  constructor(private readonly db: Database) {}

  /**
   * Newest first, in pages of bounded size; omits rows queued after the start. Keyset paging: each page starts after
   * the last row of the one before, so that no page costs more than the first.
   */
  async *stream(filter: ExecutionFilter): AsyncIterable<Execution[]> {
    const where = conditionsOf(filter);
    const next = where.values.length + 1;
    let after: [string | null, string | null] = [null, null];
    for (;;) {
      // The time is text, because a `Date` would lose microseconds and the paging would then skip rows.
      const rows: (Execution & { position: string })[] = await this.db.query(
        `SELECT e.*, queued_at::text AS position FROM schedule_execution_logs e
          WHERE ${where.sql} AND ($${next}::timestamptz IS NULL OR (queued_at, id) < ($${next}, $${next + 1}::uuid))
          ORDER BY queued_at DESC, id DESC LIMIT ${PAGE_SIZE}`,
        [...where.values, ...after],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      if (rows.length < PAGE_SIZE) return;
      after = [last.position, last.id];
    }
  }

  /** Ordered by path. An execution keeps the first thousand files of each status. */
  listFiles(
    executionId: string,
    { status }: { status?: ExecutionFile['status'] },
    page: PageRequest,
  ): Promise<Page<ExecutionFile>> {
    const where = new Conditions().add('execution_id = ?', uuidOrNull(executionId)).add('status = ?', status);
    const select = 'path, status, error_code, message';
    return selectPage(this.db, { select, from: 'execution_file_errors', where, orderBy: 'path' }, page);
  }
}

/** Newest first by default. @param tx reads one snapshot, so that page and total agree. */
export async function listExecutions(
  tx: Queryable,
  filter: ExecutionFilter,
  { limit, offset, sort = '-queued_at' }: SortedPageRequest<ExecutionSort>,
): Promise<Page<Execution>> {
  const total = await countExecutions(tx, filter);
  if (offset >= total) return { items: [], total };
  const column = sort.endsWith('queued_at') ? leadingColumn(filter) : undefined;
  const where = conditionsOf(filter, column);
  const orderBy = orderOf(sort, column ? { ...SORTS, queued_at: orderAfter(column) } : SORTS, 'e.id');
  const next = where.values.length + 1;
  // Skips the earlier pages by the index alone; only rows of this page are read, from the partitions that hold them.
  const page = await tx.query<{ id: string; endedAt: string | null }>(
    `SELECT e.id, e.completed_at::text AS ended_at FROM schedule_execution_logs e WHERE ${where.sql}
      ORDER BY ${orderBy} LIMIT $${next} OFFSET $${next + 1}`,
    [...where.values, limit, offset],
  );
  const ends = page.flatMap(({ endedAt }) => endedAt ?? []);
  const items = await tx.query<Execution>(
    `SELECT e.* FROM schedule_execution_logs e
      WHERE e.id = ANY($1) AND (${ends.length < page.length ? 'completed_at IS NULL OR ' : ''}completed_at = ANY($2))
      ORDER BY ${orderBy}`,
    [page.map(({ id }) => id), ends],
  );
  return { items, total };
}

const isLive = (status: ExecutionStatus): boolean => status === 'queued' || status === 'running';

/**
 * The filter with an index `(column, queued_at, id)`. PostgreSQL takes the rows of a pod for evenly spread, and would
 * look for a page of a pod that ended last week among all executions since then. It cannot when the order begins with
 * the column, and the condition does not show that the column has one value.
 */
function leadingColumn({
  repositoryId,
  scheduleId,
  podName,
  status,
  trigger,
}: ExecutionFilter): string | undefined {
  if (repositoryId !== undefined) return 'repository_id';
  if (scheduleId !== undefined) return 'schedule_session_id';
  // The index of pods knows neither status nor trigger; that of unusual executions does.
  return podName !== undefined && status === undefined && trigger === undefined ? 'pod_name' : undefined;
}

function orderAfter(column: string): Order {
  const { up, down } = SORTS.queued_at;
  return { up: `e.${column}, ${up}`, down: `e.${column} DESC, ${down}` };
}

/**
 * For rows of `schedule_execution_logs` named `e`.
 * @param column its condition is a range of one value, see {@link leadingColumn}.
 */
function conditionsOf(filter: ExecutionFilter, column?: string): Conditions {
  const equals = (name: string): string => (name === column ? `${name} BETWEEN ? AND ?` : `${name} = ?`);
  const idOf = (text: string | undefined): string | null | undefined =>
    text === undefined ? undefined : uuidOrNull(text);
  const { status } = filter;
  const hasLive = status === undefined || status.some(isLive);
  const hasEnded = status === undefined || !status.every(isLive);
  // The conditions on completed_at follow from the others; they say which partitions can be left out.
  return new Conditions(
    ...(hasEnded ? [] : ['completed_at IS NULL']),
    ...(hasLive ? [] : ['completed_at IS NOT NULL']),
  )
    .add('(completed_at IS NULL OR completed_at >= ?)', filter.from)
    .add('repository_id = ANY(?::uuid[])', filter.visible ?? undefined)
    .add(equals('repository_id'), idOf(filter.repositoryId))
    .add(equals('schedule_session_id'), idOf(filter.scheduleId))
    .add('status = ANY(?)', filter.status)
    .add('trigger = ?', filter.trigger)
    .add(equals('pod_name'), filter.podName)
    .add('queued_at >= ?', filter.from)
    .add('queued_at < ?', filter.to);
}
