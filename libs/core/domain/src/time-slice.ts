/** Other work waits at most this long; several runs may work in turns. */
const SLICE_MS = 5;

/** A long loop checks this between items, so that health checks and other runs do not wait for the loop to end. */
export class TimeSlice {
  private startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.startedAt >= SLICE_MS;
  }

  /** Lets waiting work run first. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.startedAt = performance.now();
  }
}

const SORTED_AT_ONCE = 1_000;

/** Sorts like `toSorted`, in time slices. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
): Promise<T[]> {
  const slice = new TimeSlice();
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += SORTED_AT_ONCE) {
    if (slice.isOver) await slice.next();
    runs.push(items.slice(start, start + SORTED_AT_ONCE).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await merge(runs[index]!, runs[index + 1] ?? [], compare, slice));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (left: T, right: T) => number,
  slice: TimeSlice,
): Promise<T[]> {
  const merged: T[] = [];
  let fromLeft = 0;
  let fromRight = 0;
  while (merged.length < left.length + right.length) {
    if (merged.length % SORTED_AT_ONCE === 0 && slice.isOver) await slice.next();
    const isLeft =
      fromRight === right.length ||
      (fromLeft < left.length && compare(left[fromLeft]!, right[fromRight]!) <= 0);
    merged.push(isLeft ? left[fromLeft++]! : right[fromRight++]!);
  }
  return merged;
}
