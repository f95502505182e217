import { type DurationStatistics, type HistoryFilter } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { factsOf, Parameters, rowConditions } from './facts.js';

/** Reading this many durations from the index takes about 100 ms. For a fuller bin the answer is the bin's middle. */
const MOST_READ = 300_000;
/** As in `history_bin` of the schema: a bin is 2 % wide, so its geometric middle is off by 1 % at most. */
const BIN_GROWTH = 1.02;
/** Larger than any rounding error; the bin itself is compared exactly. */
const MARGIN = 1e-9;

export type Percentiles = Pick<DurationStatistics, 'p50' | 'p95' | 'isExact'>;

interface Bin {
  bin: number;
  runs: number;
}

/**
 * p50 and p95, interpolated between neighbours like SQL's `percentile_cont`. The stored bins give the narrow
 * range of durations that contains the run, and an index on durations finds it.
 * @param hasRows false when rows of the range were deleted: only the bins remain then.
 */
export async function percentilesOf(
  tx: Queryable,
  filter: HistoryFilter,
  hasRows: boolean,
): Promise<Percentiles> {
  const parameters = new Parameters();
  const facts = factsOf('bin', filter, parameters, { columns: ['duration_count'] });
  const bins = await tx.query<Bin>(
    `SELECT subject::int AS bin, sum(duration_count) AS runs FROM (${facts}) AS fact GROUP BY subject ORDER BY 1`,
    parameters.values,
  );
  const p50 = await percentileOf(tx, filter, bins, 0.5, hasRows);
  const p95 = await percentileOf(tx, filter, bins, 0.95, hasRows);
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
  const first = Math.floor(rank);
  const lower = locate(bins, first);
  const upper = locate(bins, Math.ceil(rank));
  const between = (low: number, high: number): number => low + (high - low) * (rank - first);
  const toRead = upper.before + upper.runs - lower.before;
  const estimate = { value: between(middleOf(lower), middleOf(upper)), isExact: false };
  if (!hasRows || toRead > MOST_READ) return estimate;
  const parameters = new Parameters();
  const found = await tx.query<{ seconds: number }>(
    `SELECT duration_seconds AS seconds FROM schedule_execution_logs
      WHERE duration_seconds >= ${parameters.add(lowestOf(lower))} AND duration_seconds < ${parameters.add(highestOf(upper))}
        AND history_bin(duration_seconds) BETWEEN ${parameters.add(lower.bin)} AND ${parameters.add(upper.bin)}
        AND completed_at IS NOT NULL AND ${rowConditions(filter, parameters)}
      ORDER BY duration_seconds LIMIT 2 OFFSET ${parameters.add(first - lower.before)}`,
    parameters.values,
  );
  const [low, high = low] = found.map(({ seconds }) => seconds);
  return low === undefined || high === undefined ? estimate : { value: between(low, high), isExact: true };
}

/** The bin of the run with this rank (from 0), and the number of runs below the bin. */
function locate(bins: readonly Bin[], rank: number): Bin & { before: number } {
  let before = 0;
  for (const bin of bins) {
    if (rank < before + bin.runs) return { ...bin, before };
    before += bin.runs;
  }
  throw new RangeError(`There are ${before} runs, none of rank ${rank}.`);
}

/** The shortest durations share one bin. */
const FIRST_BIN = Math.floor(Math.log(0.001) / Math.log(BIN_GROWTH));

const lowestOf = ({ bin }: Bin): number => (bin <= FIRST_BIN ? -Infinity : BIN_GROWTH ** bin * (1 - MARGIN));
const highestOf = ({ bin }: Bin): number => BIN_GROWTH ** (bin + 1) * (1 + MARGIN);
const middleOf = ({ bin }: Bin): number => BIN_GROWTH ** (bin + 0.5);
