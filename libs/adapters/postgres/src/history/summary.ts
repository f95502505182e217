import {
  type EndedStatus,
  type ExecutionStatus,
  type HistoryFilter,
  type HistorySummary,
  type WorkTotals,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { percentilesOf, type Percentiles } from './durations.js';
import {
  type Cells,
  factsOf,
  isOfOneRepository,
  Parameters,
  rowConditions,
  SUM_COLUMNS,
  sums,
  SUMS_OF_ROW,
} from './facts.js';

export type Sums = Record<(typeof SUM_COLUMNS)[number], number>;

export const TOTALS: Omit<Cells, 'levels'> = {
  table: 'history_totals',
  ofCell: `bucket_start AS at, ${SUM_COLUMNS.join(', ')}, duration_max`,
  ofRow: `queued_at AS at, ${SUMS_OF_ROW}`,
  rowCondition: 'true',
};

interface Measured {
  duration_max: number | null;
  percentiles: [number, number] | null;
}

const PERCENTILES = 'percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY duration_max)';

function exact(percentiles: [number, number] | null): Percentiles {
  const [p50, p95] = percentiles ?? [null, null];
  return { p50, p95, isExact: true };
}

/** Within a transaction that sees one moment. */
export async function summarize(
  tx: Queryable,
  filter: HistoryFilter,
  hasRows: boolean,
): Promise<Pick<HistorySummary, 'runs' | 'durations' | 'totals'>> {
  const parameters = new Parameters();
  const facts = factsOf({ ...TOTALS, levels: ['day', 'hour'] }, filter, parameters);
  // Facts that are all single rows hold every duration: one reading of them gives the percentiles too.
  const isOfRows = isOfOneRepository(filter);
  const [row] = await tx.query<Sums & Measured>(
    `SELECT ${sums(SUM_COLUMNS)}, max(duration_max) AS duration_max,
      ${isOfRows ? PERCENTILES : 'NULL'} AS percentiles FROM (${facts}) AS fact`,
    parameters.values,
  );
  if (row === undefined) throw new TypeError('A sum without groups gave no row.');
  const unended = await countUnended(tx, filter);
  const percentiles = isOfRows ? exact(row.percentiles) : await percentilesOf(tx, filter, hasRows);
  const runs = { queued: 0, running: 0, ...countsOf(row), ...unended } satisfies Record<
    ExecutionStatus,
    number
  >;
  return {
    runs,
    totals: workOf(row),
    durations: {
      runs: row.duration_count,
      mean: row.duration_count === 0 ? null : row.duration_sum / row.duration_count,
      max: row.duration_max,
      ...percentiles,
    },
  };
}

export function countsOf(row: Sums): Record<EndedStatus, number> {
  const { completed, partial, failed, cancelled, missed, skipped } = row;
  return { completed, partial, failed, cancelled, missed, skipped };
}

export function workOf(row: Sums): WorkTotals {
  return {
    filesProcessed: row.files_processed,
    filesFailed: row.files_failed,
    chunksUpserted: row.chunks_upserted,
    chunksDeleted: row.chunks_deleted,
    embeddingsRequested: row.embeddings_requested,
    embeddingsReused: row.embeddings_reused,
  };
}

export async function countUnended(
  tx: Queryable,
  filter: HistoryFilter,
): Promise<Partial<Record<'queued' | 'running', number>>> {
  const parameters = new Parameters();
  const rows = await tx.query<{ status: 'queued' | 'running'; runs: number }>(
    `SELECT status, count(*) AS runs FROM schedule_execution_logs
      WHERE status IN ('queued', 'running') AND ${rowConditions(filter, parameters)} GROUP BY status`,
    parameters.values,
  );
  return Object.fromEntries(rows.map(({ status, runs }) => [status, runs]));
}
