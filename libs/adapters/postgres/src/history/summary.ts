import { type EndedStatus, type HistoryFilter, type HistorySummary, type WorkTotals } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { factsOf, isOfOneRepository, Parameters, rowConditions, SUM_COLUMNS, sums } from './facts.js';
import { percentilesOf } from './percentiles.js';

export type Sums = Record<(typeof SUM_COLUMNS)[number], number>;

/** When all facts are single runs, every duration is known, and one read yields the percentiles too. */
const PERCENTILES_OF_ROWS = 'percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY duration_max)';

/** @param tx a transaction that reads one snapshot. */
export async function summarize(
  tx: Queryable,
  filter: HistoryFilter,
  hasRows: boolean,
): Promise<Pick<HistorySummary, 'runs' | 'durations' | 'totals'>> {
  const parameters = new Parameters();
  const facts = factsOf('all', filter, parameters);
  const isOfRows = isOfOneRepository(filter);
  const [row] = await tx.query<Sums & { duration_max: number | null; percentiles: [number, number] | null }>(
    `SELECT ${sums(SUM_COLUMNS)}, max(duration_max) AS duration_max,
      ${isOfRows ? PERCENTILES_OF_ROWS : 'NULL'} AS percentiles FROM (${facts}) AS fact`,
    parameters.values,
  );
  if (row === undefined) throw new TypeError('A sum without groups returned no row.');
  const [p50, p95] = row.percentiles ?? [null, null];
  return {
    runs: { ...(await countUnended(tx, filter)), ...countsOf(row) },
    totals: workOf(row),
    durations: {
      runs: row.duration_count,
      mean: row.duration_count === 0 ? null : row.duration_sum / row.duration_count,
      max: row.duration_max,
      ...(isOfRows ? { p50, p95, isExact: true } : await percentilesOf(tx, filter, hasRows)),
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
): Promise<Record<'queued' | 'running', number>> {
  const parameters = new Parameters();
  const [row] = await tx.query<Record<'queued' | 'running', number>>(
    `SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'running') AS running
      FROM schedule_execution_logs
      WHERE status IN ('queued', 'running') AND ${rowConditions(filter, parameters)}`,
    parameters.values,
  );
  return row ?? { queued: 0, running: 0 };
}
