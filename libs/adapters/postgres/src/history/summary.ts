import { ENDED_STATUSES, type HistoryFilter, type HistorySummary } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { pick } from '../sql/rows.js';
import {
  factsOf,
  isOfOwners,
  Parameters,
  rowConditions,
  SUM_COLUMNS,
  type Sums,
  sums,
  WORK,
} from './facts.js';
import { percentilesOf } from './percentiles.js';

/** When all facts are single runs, every duration is known, and one read yields the percentiles too. */
const PERCENTILES_OF_ROWS = 'percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY duration_max)';

/** @param tx a transaction that reads one snapshot. */
export async function summarize(
  tx: Queryable,
  filter: HistoryFilter,
  hasRows: boolean,
): Promise<Pick<HistorySummary, 'runs' | 'durations' | 'totals'>> {
  const isOfRows = isOfOwners(filter);
  const parameters = new Parameters();
  const row = await tx.one<Sums & { durationMax: number | null; percentiles: [number, number] | null }>(
    `SELECT ${sums(SUM_COLUMNS)}, max(duration_max) AS duration_max,
      ${isOfRows ? PERCENTILES_OF_ROWS : 'NULL'} AS percentiles FROM (${factsOf('all', filter, parameters)}) AS fact`,
    parameters.values,
  );
  const { durationCount: runs, durationSum, durationMax: max } = row;
  const [p50, p95] = row.percentiles ?? [null, null];
  const percentiles = isOfRows ? { p50, p95, isExact: true } : await percentilesOf(tx, filter, hasRows);
  return {
    runs: { ...(await countUnended(tx, filter)), ...pick(row, ENDED_STATUSES) },
    totals: pick(row, WORK),
    durations: { runs, mean: runs === 0 ? null : durationSum / runs, max, ...percentiles },
  };
}

export function countUnended(
  tx: Queryable,
  filter: HistoryFilter,
): Promise<Record<'queued' | 'running', number>> {
  const parameters = new Parameters();
  return tx.one(
    `SELECT count(*) FILTER (WHERE status = 'queued') AS queued,
      count(*) FILTER (WHERE status = 'running') AS running FROM schedule_execution_logs
      WHERE completed_at IS NULL AND ${rowConditions(filter, parameters)}`,
    parameters.values,
  );
}
