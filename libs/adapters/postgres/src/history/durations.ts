import { type DurationStatistics, type HistoryFilter } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { binOf, binRange, middleOf } from './duration-bins.js';
import { type Cells, factsOf, Parameters, rowConditions } from './facts.js';

/** Reading that many durations from the index takes some 100 ms; of a denser bin the middle is answered. */
const MOST_READ = 300_000;

const CELLS: Cells = {
  table: 'history_durations',
  levels: ['month', 'day'],
  ofCell: 'bin, runs',
  ofRow: `${binOf('duration_seconds')} AS bin, 1 AS runs`,
  rowCondition: 'duration_seconds IS NOT NULL',
};

export type Percentiles = Pick<DurationStatistics, 'p50' | 'p95' | 'isExact'>;
interface Bin {
  bin: number;
  runs: number;
}

/**
 * p50 and p95, interpolated between neighbours as SQL's `percentile_cont` does. Over many runs the stored bins tell in
 * which narrow range of durations the wanted rank lies, and an index on durations tells the run itself.
 * @param hasRows false when rows of the range were deleted: then the bins are all there is.
 */
export async function percentilesOf(
  tx: Queryable,
  filter: HistoryFilter,
  hasRows: boolean,
): Promise<Percentiles> {
  const parameters = new Parameters();
  const bins = await tx.query<Bin>(
    `SELECT bin, sum(runs) AS runs FROM (${factsOf(CELLS, filter, parameters)}) AS fact
      GROUP BY bin ORDER BY bin`,
    parameters.values,
  );
  const [p50, p95] = [
    await percentileOf(tx, filter, bins, 0.5, hasRows),
    await percentileOf(tx, filter, bins, 0.95, hasRows),
  ];
  return { p50: p50.value, p95: p95.value, isExact: p50.isExact && p95.isExact };
}

async function percentileOf(
  tx: Queryable,
  filter: HistoryFilter,
  bins: readonly Bin[],
  share: number,
  hasRows: boolean,
): Promise<{ value: number | null; isExact: boolean }> {
  const runs = bins.reduce((sum, bin) => sum + bin.runs, 0);
  if (runs === 0) return { value: null, isExact: true };
  const rank = share * (runs - 1);
  const lower = locate(bins, Math.floor(rank));
  const upper = locate(bins, Math.ceil(rank));
  const fraction = rank - Math.floor(rank);
  const toRead = upper.before + upper.runs - lower.before;
  if (!hasRows || toRead > MOST_READ) {
    return { value: between(middleOf(lower.bin), middleOf(upper.bin), fraction), isExact: false };
  }
  const parameters = new Parameters();
  const found = await tx.query<{ seconds: number }>(
    `SELECT duration_seconds AS seconds FROM schedule_execution_logs
      WHERE duration_seconds >= ${parameters.add(binRange(lower.bin).low)}
        AND duration_seconds < ${parameters.add(binRange(upper.bin).high)}
        AND completed_at IS NOT NULL AND ${rowConditions(filter, parameters)}
      ORDER BY duration_seconds LIMIT 2 OFFSET ${parameters.add(Math.floor(rank) - lower.before)}`,
    parameters.values,
  );
  const [low, high = low] = found.map(({ seconds }) => seconds);
  return low === undefined || high === undefined
    ? { value: middleOf(lower.bin), isExact: false }
    : { value: between(low, high, fraction), isExact: true };
}

/** The bin that holds the run of a rank (from 0), and how many runs lie below it. */
function locate(bins: readonly Bin[], rank: number): Bin & { before: number } {
  let before = 0;
  for (const bin of bins) {
    if (rank < before + bin.runs) return { ...bin, before };
    before += bin.runs;
  }
  throw new RangeError(`There are ${before} runs, none of rank ${rank}.`);
}

function between(low: number, high: number, fraction: number): number {
  return low + (high - low) * fraction;
}
