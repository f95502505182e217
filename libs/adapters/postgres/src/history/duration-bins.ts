/** Neighbouring borders differ by 2 %, so the geometric middle of a bin is off by 1 % at most. */
const GROWTH = 1.02;
const SHORTEST_SECONDS = 0.001;
/** Sixteen days: longer than MAX_RUN_SECONDS may be. */
const LONGEST_SECONDS = 1_382_400;

/**
 * Borders of the duration bins in seconds. Stored sums are counted by them: changing them means building
 * `history_durations` again from the rows. Bin 0 lies below the first border, bin n from border n-1 on.
 */
export const DURATION_BORDERS: readonly number[] = Array.from(
  { length: Math.ceil(Math.log(LONGEST_SECONDS / SHORTEST_SECONDS) / Math.log(GROWTH)) },
  (_, power) => Number((SHORTEST_SECONDS * GROWTH ** power).toPrecision(6)),
);

/** SQL for the bin of a duration; the server compares with exactly the numbers that {@link binRange} gives. */
export function binOf(expression: string): string {
  return `width_bucket(${expression}, '{${DURATION_BORDERS.join(',')}}'::double precision[])`;
}

/** The durations of a bin: from `low` (inclusive) to `high` (exclusive). */
export function binRange(bin: number): { low: number; high: number } {
  return { low: DURATION_BORDERS[bin - 1] ?? -Infinity, high: DURATION_BORDERS[bin] ?? Infinity };
}

/** A duration that stands for all of its bin. */
export function middleOf(bin: number): number {
  const { low, high } = binRange(bin);
  if (low === -Infinity) return 0;
  return high === Infinity ? low : Math.sqrt(low * high);
}
