import { ENDED_STATUSES, FAILURE_STATUSES, type HistoryFilter } from '@core/domain';
import { uuidOrNull } from '../sql/columns.js';
import { splitRange, type Level, type Part } from './range.js';

/** Collects the values of a statement; `add` gives the placeholder. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export const WORK_COLUMNS = [
  'files_processed',
  'files_failed',
  'chunks_upserted',
  'chunks_deleted',
  'embeddings_requested',
  'embeddings_reused',
] as const;

/** Columns of `history_totals` that add up. */
export const SUM_COLUMNS = [...ENDED_STATUSES, ...WORK_COLUMNS, 'duration_count', 'duration_sum'] as const;

/** The same columns out of one execution. */
export const SUMS_OF_ROW = [
  ...ENDED_STATUSES.map((status) => `(status = '${status}')::int AS ${status}`),
  ...WORK_COLUMNS,
  '(duration_seconds IS NOT NULL)::int AS duration_count',
  'COALESCE(duration_seconds, 0) AS duration_sum',
  'duration_seconds AS duration_max',
].join(', ');

export const IS_FAILURE = `status IN (${FAILURE_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** One kind of stored sums, and how its facts come out of executions that are not in it. */
export interface Cells {
  table: 'history_totals' | 'history_durations' | 'history_failures';
  /** Coarse to fine. */
  levels: readonly Level[];
  /** What to read of a cell; `bucket_start AS at` first where the time matters. */
  ofCell: string;
  ofRow: string;
  /** A row may make several facts. */
  rowJoin?: string;
  /** Which ended rows make facts at all. */
  rowCondition: string;
}

/**
 * SQL that gives every fact of the range once: whole units from stored sums and from what waits to be added to them,
 * the rest from the executions. The sums know neither repository nor schedule, so those are answered from rows alone,
 * of which one repository has few, by index.
 */
export function factsOf(cells: Cells, filter: HistoryFilter, parameters: Parameters): string {
  const levels = isOfOneRepository(filter) ? [] : cells.levels;
  const parts = splitRange(filter, levels).flatMap((part) => selectPart(part, cells, filter, parameters));
  // A range without an instant: the columns of a fact, and no row.
  return parts.length === 0
    ? `SELECT ${cells.ofCell} FROM ${cells.table} WHERE false`
    : parts.join('\n UNION ALL ');
}

/** Whether the filter asks for what only rows can tell. */
export function isOfOneRepository(filter: HistoryFilter): boolean {
  return filter.repositoryId !== undefined || filter.scheduleId !== undefined;
}

function selectPart(part: Part, cells: Cells, filter: HistoryFilter, parameters: Parameters): string[] {
  if (part.level === 'rows') {
    const range = rowConditions({ ...filter, ...part }, parameters);
    const where = `completed_at IS NOT NULL AND ${cells.rowCondition} AND ${range}`;
    return [selectRows('schedule_execution_logs', where, cells)];
  }
  const [from, to] = [parameters.add(part.from), parameters.add(part.to)];
  const who = whoConditions(filter, parameters).join(' AND ') || 'true';
  return [
    `SELECT ${cells.ofCell} FROM ${cells.table} WHERE level = '${part.level}'
       AND bucket_start >= ${from} AND bucket_start < ${to} AND ${who}`,
    selectRows(
      'history_pending',
      `${cells.rowCondition} AND queued_at >= ${from} AND queued_at < ${to} AND ${who}`,
      cells,
    ),
  ];
}

function selectRows(table: string, where: string, { ofRow, rowJoin = '' }: Cells): string {
  return `SELECT ${ofRow} FROM ${table} ${rowJoin} WHERE ${where}`;
}

/** For rows of `schedule_execution_logs`. */
export function rowConditions(filter: HistoryFilter, parameters: Parameters): string {
  const conditions = [
    `queued_at >= ${parameters.add(filter.from)}`,
    `queued_at < ${parameters.add(filter.to)}`,
    ...whoConditions(filter, parameters),
  ];
  const { repositoryId, scheduleId } = filter;
  if (repositoryId !== undefined) {
    conditions.push(`repository_id = ${parameters.add(uuidOrNull(repositoryId))}`);
  }
  if (scheduleId !== undefined) {
    conditions.push(`schedule_session_id = ${parameters.add(uuidOrNull(scheduleId))}`);
  }
  return conditions.join(' AND ');
}

function whoConditions({ trigger, podName }: HistoryFilter, parameters: Parameters): string[] {
  return [
    ...(trigger === undefined ? [] : [`trigger = ${parameters.add(trigger)}`]),
    ...(podName === undefined ? [] : [`pod_name = ${parameters.add(podName)}`]),
  ];
}

/** `sum(x) AS "x"` for each, zero where there is nothing. */
export function sums(columns: readonly string[]): string {
  return columns.map((column) => `COALESCE(sum(${column}), 0) AS "${column}"`).join(', ');
}
