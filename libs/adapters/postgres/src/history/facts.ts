import {
  ENDED_STATUSES,
  type EndedStatus,
  FAILURE_STATUSES,
  type HistoryFilter,
  type WorkTotals,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { columnName, uuidOrNull } from '../sql/rows.js';
import { type Level, splitRange } from './range.js';

/** Collects the values of a statement; `add` returns the placeholder. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export const WORK: readonly (keyof WorkTotals)[] = [
  ...(['filesProcessed', 'filesFailed', 'chunksUpserted', 'chunksDeleted'] as const),
  ...(['embeddingsRequested', 'embeddingsReused'] as const),
];
const WORK_COLUMNS = WORK.map(columnName);

/** What adds up in `history_sums`; the maximum duration does not. */
export type Sums = Record<EndedStatus, number> & WorkTotals & { durationCount: number; durationSum: number };
export const SUM_COLUMNS = [...ENDED_STATUSES, ...WORK_COLUMNS, 'duration_count', 'duration_sum'];

/** The columns of a fact, as read from one execution. */
const FACT_OF_ROW: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ENDED_STATUSES.map((status) => [status, `(status = '${status}')::int`])),
  ...Object.fromEntries(WORK_COLUMNS.map((column) => [column, column])),
  duration_count: '(duration_seconds IS NOT NULL)::int',
  duration_sum: 'COALESCE(duration_seconds, 0)',
  duration_max: 'duration_seconds',
};

interface Subject {
  /** Units of the stored sums, coarse to fine. */
  levels: readonly Level[];
  /** The sums over all triggers and pods. */
  totals?: { kind: string; levels: readonly Level[] };
  ofRow: string;
  /** Selects the executions that have this fact. */
  condition: string;
}

const IS_FAILURE = `status IN (${FAILURE_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** The subjects of the sums, beside time, trigger and pod; must match the function `history_cells` of the schema. */
const SUBJECTS = {
  all: { levels: ['day', 'quarter'], ofRow: `''`, condition: 'true' },
  bin: {
    levels: ['month', 'day'],
    totals: { kind: 'bins', levels: ['month', 'day', 'hour'] },
    ofRow: 'history_bin(duration_seconds)::text',
    condition: 'duration_seconds IS NOT NULL',
  },
  repository: {
    levels: ['month', 'day'],
    totals: { kind: 'repositories', levels: ['month', 'week', 'day', 'hour'] },
    ofRow: 'repository_id::text',
    condition: IS_FAILURE,
  },
  error: {
    levels: ['month', 'day'],
    totals: { kind: 'errors', levels: ['month', 'day', 'hour'] },
    ofRow: `COALESCE(error_code, '')`,
    condition: IS_FAILURE,
  },
} satisfies Record<string, Subject>;

/**
 * SQL that yields every execution of the range once, as a row or within a sum: whole units of time from
 * `history_sums` and the ends that are not merged into it, the rest from the executions. The sums know neither
 * repository nor schedule, so those filters read only rows, which are few and indexed. Columns: `at`, `subject` and
 * those of `columns`; by default {@link SUM_COLUMNS} and `duration_max`. Fewer columns may be read from an index alone.
 */
export function factsOf(
  kind: keyof typeof SUBJECTS,
  filter: HistoryFilter,
  parameters: Parameters,
  {
    columns = Object.keys(FACT_OF_ROW),
    levels,
  }: { columns?: readonly string[]; levels?: readonly Level[] } = {},
): string {
  const subject: Subject = SUBJECTS[kind];
  const isOfAll = filter.trigger === undefined && filter.podName === undefined;
  const stored = (isOfAll && subject.totals) || { kind, levels: subject.levels };
  const parts = splitRange(filter, isOfOwners(filter) ? [] : (levels ?? stored.levels));
  const facts = `${subject.ofRow} AS subject, ${columns.map((column) => `${FACT_OF_ROW[column]} AS ${column}`).join(', ')}`;
  const selects = parts.map(({ level, from, to }) =>
    level === 'rows'
      ? `SELECT queued_at AS at, ${facts} FROM schedule_execution_logs
          WHERE completed_at IS NOT NULL AND ${subject.condition}
            AND ${rowConditions({ ...filter, from, to }, parameters)}`
      : `SELECT bucket_start AS at, subject, ${columns.join(', ')} FROM history_sums
          WHERE cell = '${stored.kind}_${level}' AND ${conditionsOf('bucket_start', { ...filter, from, to }, parameters)}`,
  );
  // An empty range yields the columns of a fact and no rows.
  if (parts.length === 0) return `SELECT bucket_start AS at, * FROM history_sums WHERE false`;
  const summed = parts.filter(({ level }) => level !== 'rows');
  const [first, last] = [summed[0], summed.at(-1)];
  if (first !== undefined && last !== undefined)
    selects.push(`SELECT queued_at AS at, ${facts} FROM history_additions
      WHERE ${subject.condition} AND ${conditionsOf('queued_at', { ...filter, from: first.from, to: last.to }, parameters)}`);
  return selects.join('\n UNION ALL ');
}

/** Whether only rows can answer, because the sums know neither repository nor schedule. */
export function isOfOwners({ repositoryId, scheduleId, visible }: HistoryFilter): boolean {
  return repositoryId !== undefined || scheduleId !== undefined || (visible ?? null) !== null;
}

/** For rows of `schedule_execution_logs`. */
export function rowConditions(filter: HistoryFilter, parameters: Parameters): string {
  const { repositoryId, scheduleId, visible, from } = filter;
  return [
    conditionsOf('queued_at', filter, parameters),
    // Follows from queued_at, and leaves out the partitions of earlier months.
    `(completed_at IS NULL OR completed_at >= ${parameters.add(from)})`,
    ...(visible ? [`repository_id = ANY(${parameters.add(visible)}::uuid[])`] : []),
    ...(repositoryId === undefined ? [] : [`repository_id = ${parameters.add(uuidOrNull(repositoryId))}`]),
    ...(scheduleId === undefined ? [] : [`schedule_session_id = ${parameters.add(uuidOrNull(scheduleId))}`]),
  ].join(' AND ');
}

function conditionsOf(time: string, filter: HistoryFilter, parameters: Parameters): string {
  const { from, to, trigger, podName } = filter;
  return [
    `${time} >= ${parameters.add(from)} AND ${time} < ${parameters.add(to)}`,
    ...(trigger === undefined ? [] : [`trigger = ${parameters.add(trigger)}`]),
    ...(podName === undefined ? [] : [`pod_name = ${parameters.add(podName)}`]),
  ].join(' AND ');
}

/** `sum(x) AS x` for each column; zero when there are no rows. */
export function sums(columns: readonly string[]): string {
  return columns.map((column) => `COALESCE(sum(${column}), 0) AS ${column}`).join(', ');
}

/**
 * Executions before this time may have been deleted, so only the sums are complete; after it both agree.
 * Null: none were deleted.
 */
export async function rowsDeletedBefore(tx: Queryable): Promise<Date | null> {
  const state = await tx.first<{ before: Date | null }>(
    'SELECT rows_deleted_before AS before FROM history_state',
  );
  return state?.before ?? null;
}
